"""Where documentation stands in languages that keep it in comments."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

from benchmarks.corpora.functions import Span
from benchmarks.corpora.languages.language import Source

_OPENING = re.compile(r"^\s*/\*+")
_CLOSING = re.compile(r"\**\*/\s*$")
_LINE_STAR = re.compile(r"^\s*\*+ ?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of a file, found by where they are."""

    source: Source
    nodes: list[Any]
    spans: list[Span]
    by_last_row: dict[int, Any]

    @classmethod
    def from_source(cls, source: Source) -> Comments:
        """The nodes the language's query captured as `comment`."""
        nodes = source.nodes("comment")
        return cls(
            source,
            nodes,
            [(node.start_byte, node.end_byte) for node in nodes],
            {node.end_point.row: node for node in nodes},
        )

    def inside(self, outer: Span) -> tuple[Span, ...]:
        """The spans of comments within `outer`."""
        first = bisect_left(self.spans, outer)
        last = bisect_left(self.spans, (outer[1], 0))
        return tuple(span for span in self.spans[first:last] if span[1] <= outer[1])

    def lines_above(self, row: int) -> list[Any]:
        """Comments that stand alone on the lines right above `row`, top first."""
        above: list[Any] = []
        while (node := self.by_last_row.get(row - 1)) is not None:
            line_start = node.start_byte - node.start_point.column
            if self.source.data[line_start : node.start_byte].strip():
                break
            above.append(node)
            row = node.start_point.row
        return above[::-1]

    def block_before(self, position: int) -> str:
        """The `/** */` comment with nothing but space between it and `position`, else empty."""
        index = bisect_right(self.spans, (position, 0)) - 1
        if index < 0 or self.source.data[self.spans[index][1] : position].strip():
            return ""
        text = self.source.text(self.nodes[index])
        return block_text(text) if text.startswith("/**") else ""


def block_text(comment: str) -> str:
    """A `/* */` comment without its delimiters and the stars its lines begin with."""
    return _LINE_STAR.sub("", _CLOSING.sub("", _OPENING.sub("", comment)))


def qualified(source: Source, node: Any, name: str, owners: frozenset[str]) -> str:
    """`name` after the names of the classes or modules around it, joined by dots."""
    parts = [name]
    parent = node.parent
    while parent is not None:
        if parent.type in owners:
            owner = source.text(parent.child_by_field_name("name"))
            if owner:
                parts.append(owner)
        parent = parent.parent
    return ".".join(reversed(parts))
