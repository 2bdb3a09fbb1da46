"""Ignore files, `.gitignore` and `.qidfignore`: which paths their patterns rule out, as in git.

git compares bytes, so paths and patterns are taken as one character a byte here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from qidf.corpora.confinement import read_if_regular
from qidf.records import dataclass
from qidf.repository.globs import GlobError, check, compile_globs, is_literal

GITIGNORE = ".gitignore"
QIDFIGNORE = ".qidfignore"
# The longest that generators write have a few thousand lines; matching a path takes as long as its
# patterns are many.
MAX_BYTES = 1_000_000
MAX_PATTERNS = 5_000


class _Globs:
    """Globs that mean the same where they match: literal ones are looked up, others matched."""

    __slots__ = ("_literal", "_pattern")

    def __init__(self, globs: Sequence[str], ignore_case: bool) -> None:
        self._literal = frozenset() if ignore_case else frozenset(filter(is_literal, globs))
        others = [glob for glob in globs if glob not in self._literal]
        self._pattern = compile_globs(others, ignore_case=ignore_case) if others else None

    def match(self, text: str) -> bool:
        return text in self._literal or (
            self._pattern is not None and self._pattern.fullmatch(text) is not None
        )


@dataclass(frozen=True, slots=True)
class _Line:
    """One pattern: the glob, whether it brings back, means folders only, or any name."""

    glob: str
    negated: bool
    folders_only: bool
    any_depth: bool


@dataclass(frozen=True, slots=True)
class _Verdict:
    """Patterns that follow each other and say the same."""

    ignored: bool
    names: _Globs
    paths: _Globs
    folder_names: _Globs
    folder_paths: _Globs

    def applies(self, path: str, name: str, is_folder: bool) -> bool:
        return (
            self.names.match(name)
            or self.paths.match(path)
            or (is_folder and (self.folder_names.match(name) or self.folder_paths.match(path)))
        )


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of one ignore file; the last that matches decides."""

    verdicts: tuple[_Verdict, ...]

    def verdict(self, path: str, name: str, is_folder: bool) -> bool | None:
        """Whether a path relative to the file's folder is ignored; None if nothing is said."""
        for each in self.verdicts:
            if each.applies(path, name, is_folder):
                return each.ignored
        return None


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns in force in a folder: those of its own file last, since they have the last word.

    Each list applies to paths relative to the folder of its file.
    """

    lists: tuple[tuple[str, Patterns], ...] = ()

    def below(self, folder: str, patterns: Patterns | None) -> Rules:
        """The rules with one more list, that of `folder` (relative to the root, "" for it)."""
        return self if patterns is None else Rules((*self.lists, (folder, patterns)))

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether a path relative to the root is ignored, given that its parent folder isn't."""
        for folder, patterns in reversed(self.lists):
            relative = path[len(folder) + 1 :] if folder else path
            if not relative.isascii():
                relative = os.fsencode(relative).decode("latin-1")
            verdict = patterns.verdict(relative, relative.rpartition("/")[2], is_folder)
            if verdict is not None:
                return verdict
        return False


def read_patterns(
    path: str | Path, *, ignore_case: bool = False, links: bool = False
) -> Patterns | None:
    """The patterns of an ignore file; None if there is no such file or nothing in it.

    git follows a link for files that are its own or the user's, and none in a work tree.
    """
    data = read_if_regular(path, MAX_BYTES, links=links)
    if data is None:
        return None
    # git skips a byte order mark.
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    parsed = [each for each in map(_parsed, lines) if each is not None][:MAX_PATTERNS]
    verdicts = []
    for negated, group in groupby(reversed(parsed), key=lambda each: each.negated):
        same = list(group)
        verdicts.append(
            _Verdict(
                not negated,
                *(
                    _Globs(
                        [
                            each.glob
                            for each in same
                            if (each.folders_only, each.any_depth) == (folders_only, any_depth)
                        ],
                        ignore_case,
                    )
                    for folders_only in (False, True)
                    for any_depth in (True, False)
                ),
            )
        )
    return Patterns(tuple(verdicts)) if verdicts else None


def _parsed(line: str) -> _Line | None:
    """A line of an ignore file; None for a comment and for what can't match anything."""
    text = line.removesuffix("\r")
    if text.startswith("#"):
        return None
    # Blanks at the end don't count, but for one with a backslash before it.
    kept = text.rstrip(" ")
    escaped = (len(kept) - len(kept.rstrip("\\"))) % 2 == 1
    text = text[: len(kept) + escaped]
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    any_depth = "/" not in text
    text = text.removeprefix("/")
    try:
        check(text)
    except GlobError:
        return None
    return _Line(text, negated, folders_only, any_depth) if text else None
