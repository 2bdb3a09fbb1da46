"""Globs as regular expressions, with git's meaning and in time that no glob can draw out.

`*` and `?` stay within a name, `[a-z]` stands for one character of it, a backslash takes the next
character as it is, and a name of stars alone, `**`, stands for any folders. Whatever stands between
two stars is as long in the path as in the glob, so where it first fits is as good a place as any:
it is searched for once and never again, and the time is that of reading the path, at most, once for
each character of the glob. Backtracking would take years for a glob of thirty stars.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count

# No file system has a longer path.
MAX_CHARACTERS = 4_096

_STAR, _FOLDERS, _SLASH = object(), object(), object()
_CLASSES = {
    "alnum": r"0-9A-Za-z",
    "alpha": r"A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": r"0-9",
    "graph": r"!-~",
    "lower": r"a-z",
    "print": r" -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t-\r",
    "upper": r"A-Z",
    "xdigit": r"0-9A-Fa-f",
}


class GlobError(ValueError):
    """A glob that can't match anything; the message is the rest of a sentence about it."""


def compile_globs(
    globs: Iterable[str], *, behind: str = "", ignore_case: bool = False
) -> re.Pattern[str]:
    """One expression for several globs, to be matched in full; `behind` is what may follow each."""
    numbers = count()
    wanted = "|".join(f"(?:{_translated(glob, numbers)})" for glob in globs)
    flags = re.DOTALL | (re.IGNORECASE | re.ASCII if ignore_case else 0)
    return re.compile(f"(?:{wanted}){behind}", flags)


def is_literal(glob: str) -> bool:
    """Whether a glob matches itself and nothing else."""
    return not any(character in glob for character in "*?[\\")


def check(glob: str) -> None:
    """Raise a GlobError for a glob that can't match anything."""
    if len(glob) > MAX_CHARACTERS:
        raise GlobError(f"has more than {MAX_CHARACTERS:,} characters")
    for _ in _tokens(glob):
        pass


def _translated(glob: str, numbers: Iterator[int]) -> str:
    """An expression for a glob; numbers name the groups of the whole expression."""
    runs: list[list[list[object]]] = [[[]]]
    for token in _tokens(glob):
        if token is _FOLDERS:
            runs.append([])
        elif token is _SLASH:
            runs[-1].append([])
        else:
            runs[-1][-1].append(token)
    # A run is the names between two `**`; behind the last slash before a `**` there is no name.
    last = len(runs) - 1
    translated = ""
    for number, run in enumerate(runs):
        names = run[: len(run) - (number < last)]
        if not names:
            continue
        found = "/".join(_name(name, numbers) for name in names)
        if number == 0:
            translated += found + ("/" if last else "")
        elif number < last:
            translated += _once(f"(?:[^/]+/)*?{found}/", numbers)
        else:
            translated += f"(?:[^/]+/)*{found}"
    return translated + (".+" if not runs[-1] else "")


def _name(tokens: list[object], numbers: Iterator[int]) -> str:
    """An expression for one name of a path."""
    chunks = [""]
    for token in tokens:
        if token is _STAR:
            chunks.append("")
        else:
            chunks[-1] += str(token)
    first, *rest = chunks
    if not rest:
        return first
    middle = "".join(_once(f"[^/]*?{chunk}", numbers) for chunk in rest[:-1] if chunk)
    return f"{first}{middle}[^/]*{rest[-1]}"


def _once(expression: str, numbers: Iterator[int]) -> str:
    """An expression that isn't tried anew further on when what follows doesn't match."""
    group = f"_{next(numbers)}"
    return f"(?=(?P<{group}>{expression}))(?P={group})"


def _tokens(glob: str) -> Iterator[object]:
    """Stars, folders, slashes, and expressions for one character each."""
    at = 0
    while at < len(glob):
        character = glob[at]
        if character == "*":
            start = at
            while at < len(glob) and glob[at] == "*":
                at += 1
            alone = (start == 0 or glob[start - 1] == "/") and (
                at == len(glob) or glob[at] == "/" or glob.startswith("\\/", at)
            )
            yield _FOLDERS if alone and at - start > 1 else _STAR
            continue
        if character == "\\":
            at += 1
            if at == len(glob):
                raise GlobError("ends with a backslash")
            character = glob[at]
        elif character == "[":
            expression, at = _bracket(glob, at + 1)
            yield expression
            continue
        elif character == "?":
            yield "[^/]"
            at += 1
            continue
        yield _SLASH if character == "/" else re.escape(character)
        at += 1


def _bracket(glob: str, at: int) -> tuple[str, int]:
    """An expression for the characters in a bracket, and where it ends."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    inside, before, first = "", "", True
    while first or glob[at : at + 1] != "]":
        character, first = glob[at : at + 1], False
        if not character:
            raise GlobError("has a [ without a ] behind it")
        if character == "[" and glob[at + 1 : at + 2] == ":":
            end = glob.find("]", at + 2)
            if end < 0:
                raise GlobError("has a [ without a ] behind it")
            name = glob[at + 2 : end - 1]
            if end > at + 2 and glob[end - 1] == ":":
                if name not in _CLASSES:
                    raise GlobError(f"names the class {name!r}, which there isn't")
                inside, before, at = inside + _CLASSES[name], "", end + 1
                continue
        elif character == "-" and before and glob[at + 1 : at + 2] not in ("", "]"):
            upper, at = _member(glob, at + 1)
            if before <= upper:
                inside += f"{re.escape(before)}-{re.escape(upper)}"
            before = ""
            continue
        before, at = _member(glob, at)
        inside += re.escape(before)
    if not inside:
        # A range that ends before it begins holds nothing.
        return ("[^/]" if negated else "(?!)"), at + 1
    return (f"[^/{inside}]" if negated else f"(?!/)[{inside}]"), at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    """A character in a bracket, and what is behind it."""
    at += glob[at] == "\\"
    if at == len(glob):
        raise GlobError("has a [ without a ] behind it")
    return glob[at], at + 1
