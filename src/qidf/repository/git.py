"""Asking git: which files a work tree has, and which folders it ignores."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

GIT = ".git"
# A listing takes a second on the largest work trees; a hung network disk shouldn't hang us.
TIMEOUT_SECONDS = 120

# What a hook or an outer git command may have set would point git at another repository.
_REDIRECTIONS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
# A repository's own configuration may name a program for git to run; a search must not run it.
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


def list_files(top: Path) -> list[str] | None:
    """Tracked and other files that aren't ignored, relative to a work tree; None if git can't.

    Tracked files are listed even if a pattern would ignore them, as in git itself. An entry may be
    gone, a link or a folder: that of a submodule, or (with a slash behind) of another repository.
    """
    output = _run(top, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    return None if output is None else sorted(set(_names(output)))


def ignored_folders(top: Path, folders: list[str]) -> set[str] | None:
    """Which of these folders, relative to a work tree, git ignores; None if git can't say."""
    if not folders:
        return set()
    # Without a slash behind: with one, git takes `folder/*` to match the folder itself.
    names = b"\0".join(map(os.fsencode, folders))
    output = _run(top, ["check-ignore", "-z", "--stdin"], names)
    return None if output is None else set(_names(output))


def git_directory(top: Path) -> Path | None:
    """The git directory of a work tree; in a linked work tree or a submodule a file names it."""
    path = top / GIT
    if path.is_dir():
        return path
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    if not text.startswith("gitdir:"):
        return None
    return Path(os.path.normpath(top / text.removeprefix("gitdir:").strip()))


def common_directory(top: Path) -> Path | None:
    """The directory that a repository's linked work trees share."""
    directory = git_directory(top)
    if directory is None:
        return None
    try:
        text = (directory / "commondir").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return Path(os.path.realpath(directory))
    return Path(os.path.realpath(directory / text.strip()))


def global_excludes(top: Path) -> Path | None:
    """The user's own list of ignored files, if there is one."""
    output = _run(top, ["config", "--get", "--path", "core.excludesFile"])
    if output and output.strip():
        return Path(os.fsdecode(output.strip()))
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(home, "git", "ignore")


def _names(output: bytes) -> list[str]:
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def _run(top: Path, arguments: list[str], stdin: bytes = b"") -> bytes | None:
    """A git command's output; None where git is missing, refuses or fails."""
    program = shutil.which("git")
    if program is None:
        return None
    environment = {key: value for key, value in os.environ.items() if key not in _REDIRECTIONS}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        done = subprocess.run(
            [program, *_SAFE, *arguments],
            cwd=top,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
            env=environment,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    # check-ignore and config say 1 for "none".
    return (
        done.stdout if done.returncode in (0, 1) and not done.stderr.startswith(b"fatal") else None
    )
