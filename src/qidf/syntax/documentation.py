"""What people wrote about a definition: inside it, or on the lines above it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from qidf.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node

# Words before a decorator or type parameters on their line: `template`, `export`.
_WORDS = re.compile(rb"[\w\s]*")
# Lines are mostly shorter; beyond this a node is asked where its line begins, which costs more than
# looking for the line feed, but not more on a line of a megabyte.
_SHORT_LINE = 1_000


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring or doc comment: where it stands, and its text without comment marks."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    text: str


class Above(NamedTuple):
    """A comment or prefix that belongs to the definition below it.

    Bytes are those of its node; `line` is where its first line begins.
    """

    node: Node
    comment: bool
    start_byte: int
    line: int


class Attachments:
    """Comments and prefixes by the beginning of the line that they end on.

    There are far more of them than definitions, so what they are is asked only for those that
    stand above one.
    """

    __slots__ = ("_by_line", "_source")

    def __init__(self, source: bytes) -> None:
        """Begin with none."""
        self._source = source
        self._by_line: dict[int, tuple[Node, bool]] = {}

    def add(self, node: Node, *, comment: bool) -> None:
        """Note one; of several on a line the last that begins its line counts."""
        start, end = node.start_byte, node.end_byte
        # A line feed at its end is part of its last line.
        last = end - 1 if end > start else end
        line = self._source.rfind(b"\n", max(0, last - _SHORT_LINE), last) + 1
        if not line and last > _SHORT_LINE:
            line = self._long_line(node, last)
        if line not in self._by_line or self._above(node, comment, line) is not None:
            self._by_line[line] = node, comment

    def above(self, node: Node, line: int) -> list[Above]:
        """What belongs to a definition whose line begins at this byte, the nearest first."""
        chain = []
        # Something attached may end on the definition's own line and begin above it.
        item = self._ending_on(line)
        if item is not None and item.line < line and item.node.end_byte <= node.start_byte:
            chain.append(item)
            line = item.line
        find = self._source.rfind
        while line:
            line = find(b"\n", 0, line - 1) + 1
            if line not in self._by_line:
                break
            item = self._above(*self._by_line[line], line)
            if item is None:
                break
            chain.append(item)
            line = item.line
        return chain

    def _ending_on(self, line: int) -> Above | None:
        found = self._by_line.get(line)
        return None if found is None else self._above(*found, line)

    def _above(self, node: Node, comment: bool, line: int) -> Above | None:
        """What begins its line, given its last one; what trails other code documents nothing."""
        start = node.start_byte
        if start < line:
            line = start - node.start_point[1]
        if start > line:
            before = self._source[line:start]
            if before.strip() and (comment or _WORDS.fullmatch(before) is None):
                return None
        return Above(node, comment, start, line)

    def _long_line(self, node: Node, last: int) -> int:
        column = node.end_point[1]
        return node.end_byte - column if column else self._source.rfind(b"\n", 0, last) + 1


def rows(node: Node) -> tuple[int, int]:
    """First and last row of a node; a last row of which it holds nothing doesn't count."""
    first = node.start_point[0]
    last, column = node.end_point
    return first, last - 1 if column == 0 and last > first else last


def inside(node: Node, source: bytes, marks: Sequence[str]) -> Documentation:
    """A documentation string."""
    first, last = rows(node)
    text = clean(_decoded(source, node.start_byte, node.end_byte), marks)
    return Documentation(first + 1, last + 1, node.start_byte, node.end_byte, text)


def from_comments(
    nodes: Sequence[Node], source: bytes, marks: Sequence[str]
) -> Documentation | None:
    """Comments that follow one another, as one."""
    if not nodes:
        return None
    text = "\n".join(
        clean(_decoded(source, each.start_byte, each.end_byte), marks) for each in nodes
    ).strip()
    return Documentation(
        rows(nodes[0])[0] + 1,
        rows(nodes[-1])[1] + 1,
        nodes[0].start_byte,
        nodes[-1].end_byte,
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
