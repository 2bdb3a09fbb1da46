"""Where a repository begins, and where its index is kept."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from qidf.errors import InputError
from qidf.repository.git import GIT as GIT
from qidf.repository.listing import is_ignored

# Enough of a digest that no two of anybody's folders share it.
_DIGEST_CHARACTERS = 16


def find_root(path: str | Path) -> Path:
    """The work tree a path lies in; the folder itself where there is no git, or git ignores it."""
    start = Path(os.path.realpath(path))
    if not start.exists():
        raise InputError(f"there is nothing at {path}; check the path")
    if not start.is_dir():
        start = start.parent
    for folder in (start, *start.parents):
        if (folder / GIT).exists():
            inside = start.relative_to(folder).as_posix()
            return start if start != folder and is_ignored(folder, inside) else folder
    return start


def holds_home(root: Path) -> bool:
    """Whether a folder is somebody's home or holds it: nothing to index without being asked."""
    try:
        home = Path(os.path.realpath(Path.home()))
    except RuntimeError:
        return root.parent == root
    return root == home or root in home.parents


def cache_home() -> Path:
    """The folder for all indexes: XDG's, or what the platform has in its place."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says to ignore a relative path.
    if os.path.isabs(given):
        return Path(given, "qidf", "repositories")
    if os.name == "nt":  # pragma: no cover
        return Path(os.environ.get("LOCALAPPDATA", Path.home()), "qidf", "repositories")
    try:
        return Path.home() / ".cache" / "qidf" / "repositories"
    except RuntimeError:
        # No home: unwritable, so that the index stays in memory and the notice says why.
        return Path(os.sep, "nonexistent", "qidf", "repositories")


def cache_directory(root: Path) -> Path:
    """The folder for one repository's index, named so that a person recognises it."""
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:_DIGEST_CHARACTERS]
    name = re.sub(r"[^\w.-]+", "-", root.name, flags=re.ASCII)[:40].strip(".-")
    return cache_home() / f"{name or 'root'}-{digest}"
