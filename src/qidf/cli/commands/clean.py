"""qidf clean: forget indexes of repositories."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.terminal import printable


@click.command("clean")
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--all", "everything", is_flag=True, help="The indexes of all repositories.")
def command(path: Path, everything: bool) -> None:
    """Delete the index of the repository at PATH from your cache; the code isn't touched."""
    from qidf.repository.roots import cache_directory, cache_home, find_root
    from qidf.repository.store import remove

    if everything:
        home = cache_home()
        folders = sorted(home.iterdir()) if home.is_dir() else []
    else:
        folders = [cache_directory(find_root(path))]
    removed = [folder for folder in folders if remove(folder)]
    for folder in removed:
        click.echo(f"deleted {printable(folder)}")
    if not removed:
        click.echo("there is no index to delete")
