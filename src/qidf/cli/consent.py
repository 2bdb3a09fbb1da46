"""Asking before much is indexed that nobody may have meant."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from qidf.cli.terminal import printable, warn
from qidf.errors import InputError

# Indexing as many takes minutes, and a folder without git that has them is seldom one project.
MANY_FILES = 50_000


def ask_about_home(root: Path) -> None:
    """Don't index a home folder, or what holds one, unless somebody says so; once is enough."""
    from qidf.repository.roots import holds_home

    if not holds_home(root) or _is_indexed(root):
        return
    what = f"{root} is your home folder or holds it"
    if not _confirmed(what):
        raise InputError(
            f"{what}; go to or name a folder inside, or index all of it once with:"
            f" qidf index {root}"
        )


def ask_about_many(root: Path, num_files: int) -> None:
    """Say how much a folder without git is, and ask where somebody can answer."""
    from qidf.repository.roots import GIT

    if num_files <= MANY_FILES or (root / GIT).exists() or _is_indexed(root):
        return
    what = f"{root} is no git repository and has {num_files:,} files"
    if not _confirmed(what):
        warn([f"{printable(what)}; a .qidfignore leaves out what isn't searched."])


def _is_indexed(root: Path) -> bool:
    from qidf.repository.roots import cache_directory
    from qidf.repository.store import SETTINGS

    return (cache_directory(root) / SETTINGS).exists()


def _confirmed(what: str) -> bool:
    """Ask at a terminal, where a no ends the command; elsewhere nobody can answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return click.confirm(f"{printable(what)}. Index all of it?", abort=True, err=True)
