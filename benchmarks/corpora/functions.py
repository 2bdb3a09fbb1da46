"""A documented function, as a language finds it and as the corpus keeps it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Found:
    """A function in one file: byte spans into the source, and its cleaned documentation."""

    symbol: str
    documentation: str
    span: Span
    # What `stripped` leaves out: inner comments, and the docstring where it is inside.
    cuts: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """One pair of the corpus with its provenance."""

    package: str
    version: str
    path: str
    symbol: str
    documentation: str
    published: str
    stripped: str


def first_paragraph(documentation: str) -> str:
    """Text up to the first blank line or the first line that is a tag, on one line.

    CodeSearchNet cuts at a blank line or at `@`; only an `@` that starts a line is a tag.
    """
    kept: list[str] = []
    for raw in documentation.splitlines():
        line = raw.strip()
        if line.startswith("@") or (kept and not line):
            break
        if line:
            kept.append(line)
    return " ".join(" ".join(kept).split())


def without(source: bytes, span: Span, cuts: Iterable[Span]) -> str:
    """The text of `span` minus `cuts`, without the lines that are blank afterwards."""
    position, end = span
    pieces: list[bytes] = []
    for start, stop in sorted(cuts):
        if start < position or stop > end:
            continue
        pieces.append(source[position:start])
        position = stop
    pieces.append(source[position:end])
    text = b"".join(pieces).decode("utf-8", "replace")
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Maximal runs of letters, digits and underscores: the tokens of filters and duplicates."""
    return _WORD.findall(text)
