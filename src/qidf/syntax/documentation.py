"""What people wrote about a definition: inside it, or on the lines above it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

# Words before a decorator or type parameters on their line: `template`, `export`.
_WORDS = re.compile(rb"[\w\s]*")


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring or doc comment: where it stands, and its text without comment marks."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    text: str


@dataclass(frozen=True, slots=True)
class Above:
    """Something that belongs to the definition on the line after its last; rows count from 0."""

    first_row: int
    last_row: int
    start_byte: int
    end_byte: int
    comment: bool


def rows(node: Node) -> tuple[int, int]:
    """First and last row of a node; a last row of which it holds nothing doesn't count."""
    first, end = node.start_point.row, node.end_point
    return first, end.row - 1 if end.column == 0 and end.row > first else end.row


def above(node: Node, source: bytes, *, comment: bool) -> Above | None:
    """A comment or prefix that begins its line; what trails other code documents nothing."""
    start = node.start_byte
    before = source[source.rfind(b"\n", 0, start) + 1 : start]
    if before.strip() and (comment or _WORDS.fullmatch(before) is None):
        return None
    first, last = rows(node)
    return Above(first, last, start - len(before.lstrip()), node.end_byte, comment)


def inside(node: Node, source: bytes, marks: Sequence[str]) -> Documentation:
    """A documentation string."""
    first, last = rows(node)
    text = clean(_decoded(source, node.start_byte, node.end_byte), marks)
    return Documentation(first + 1, last + 1, node.start_byte, node.end_byte, text)


def from_comments(
    comments: Sequence[Above], source: bytes, marks: Sequence[str]
) -> Documentation | None:
    """Comments that follow one another, as one."""
    if not comments:
        return None
    text = "\n".join(
        clean(_decoded(source, each.start_byte, each.end_byte), marks) for each in comments
    ).strip()
    return Documentation(
        comments[0].first_row + 1,
        comments[-1].last_row + 1,
        comments[0].start_byte,
        comments[-1].end_byte,
        text,
    )


def clean(text: str, marks: Sequence[str]) -> str:
    """Strip comment marks from both ends of every line, and blank lines from both ends."""
    # Longest first, so that `///` isn't taken for `//` and a slash.
    ordered = sorted(marks, key=len, reverse=True)
    lines = [_without_marks(line, ordered) for line in text.replace("\r", "").split("\n")]
    return "\n".join(lines).strip()


def _without_marks(line: str, marks: Sequence[str]) -> str:
    stripped = line.strip()
    for mark in marks:
        if stripped.startswith(mark):
            stripped = stripped[len(mark) :]
            break
    for mark in marks:
        # A closing mark; an opening one at the end of a line is text.
        if stripped.endswith(mark) and mark in _CLOSING:
            stripped = stripped[: -len(mark)]
            break
    return stripped.strip()


_CLOSING = frozenset({"*/", '"""', "'''", '"', "'", "|#", "-}", "*)", "}", "]]", "#>", "=#", "%}"})


def _decoded(source: bytes, start: int, end: int) -> str:
    return source[start:end].decode("utf-8", "replace")
