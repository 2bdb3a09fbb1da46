"""Ignore files read without git: `.gitignore` where git can't be asked, `.qidfignore` always."""

from __future__ import annotations

import os
import re
import stat
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qidf.errors import MissingExtraError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

GITIGNORE = ".gitignore"
QIDFIGNORE = ".qidfignore"


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns in force in a folder: those of its own file last, since they have the last word.

    Each list applies to paths relative to the folder of its file.
    """

    lists: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def below(self, folder: str, spec: GitIgnoreSpec | None) -> Rules:
        """The rules with one more list, that of `folder` (relative to the root, "" for it)."""
        return self if spec is None else Rules((*self.lists, (folder, spec)))

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether a path relative to the root is ignored, given that its parent folder isn't."""
        for folder, spec in reversed(self.lists):
            relative = path[len(folder) + 1 :] if folder else path
            verdict = spec.check_file(f"{relative}/" if is_folder else relative).include
            if verdict is not None:
                return bool(verdict)
        return False


def read_rules(path: str | Path) -> GitIgnoreSpec | None:
    """The patterns of an ignore file; None if there is no such file or nothing in it."""
    try:
        # Opening a pipe of this name must not wait for its other end.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            data = file.read()
    except OSError:
        return None
    try:
        from pathspec import GitIgnoreSpec
    except ImportError:
        raise MissingExtraError("pathspec", "code") from None
    # git skips a byte order mark, and takes bytes that aren't UTF-8 as they are.
    lines = os.fsdecode(data.removeprefix(b"\xef\xbb\xbf")).split("\n")
    # pathspec takes `folder/**` to match the folder itself, and `folder/**/` to match files;
    # spelled like this, neither can.
    patterns = [re.sub(r"/\*\*(/? *)$", r"/**/*\1", line.removesuffix("\r")) for line in lines]
    if not any(line and not line.startswith("#") for line in patterns):
        return None
    return _parsed(patterns, GitIgnoreSpec)


def _parsed(patterns: list[str], spec: type[GitIgnoreSpec]) -> GitIgnoreSpec:
    """The patterns that can match something; git passes over the others in silence."""
    valid = []
    with warnings.catch_warnings():
        # About brackets in brackets, which git has no second meaning for either.
        warnings.simplefilter("ignore", FutureWarning)
        for pattern in patterns:
            try:
                spec.from_lines([pattern])
            except ValueError:
                continue
            valid.append(pattern)
        return spec.from_lines(valid)
