"""Cutting lines that no definition claims: at headings, at blank lines, or when it is full."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Some 500 tokens: large enough to stand alone, small enough that ten fit in a prompt.
WINDOW_CHARACTERS = 2_000
WINDOW_LINES = 60
# A window may end at a blank line once it is half full.
_FULL_ENOUGH_CHARACTERS = WINDOW_CHARACTERS // 2

_MARKDOWN_HEADING = re.compile(r"#{1,6}\s")
_UNDERLINE = re.compile(r"([=\-~^\"'*+])\1{2,}\s*$")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


def windows(
    lines: Sequence[str], first: int, last: int, *, prose: bool = False
) -> list[tuple[int, int]]:
    """Ranges of lines, counted from 1 and inclusive, that cover first to last without overlap."""
    headings = _headings(lines, first, last) if prose else set()
    # Most are one window; this says so without looking at every line.
    few = not headings and 0 <= last - first < WINDOW_LINES
    if few and len("\n".join(lines[first - 1 : last])) <= WINDOW_CHARACTERS:
        return [(first, last)]
    ranges: list[tuple[int, int]] = []
    start, size, rest = first, 0, -1
    number = first
    while number <= last:
        line = lines[number - 1]
        length = len(line)
        if number > start and number in headings:
            ranges.append((start, number - 1))
            start, size, rest = number, 0, -1
        full = size + length > WINDOW_CHARACTERS or number - start >= WINDOW_LINES
        if full and number > start:
            # Back to the last blank line, if that leaves a window worth having.
            end = rest if rest >= start else number - 1
            ranges.append((start, end))
            start, size, rest = end + 1, 0, -1
            number = start
            continue
        size += length + 1
        if size >= _FULL_ENOUGH_CHARACTERS and not line.strip():
            rest = number
        number += 1
    if start <= last:
        ranges.append((start, last))
    return ranges


def _headings(lines: Sequence[str], first: int, last: int) -> set[int]:
    """Lines that begin a section: `# so`, or with a line of marks under it; none inside a fence."""
    found, fence = set(), ""
    for number in range(first, last + 1):
        line = lines[number - 1]
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark.group(1) == fence):
            fence = "" if fence else mark.group(1)
        elif not fence and (_MARKDOWN_HEADING.match(line) or _is_underlined(lines, number, last)):
            found.add(number)
    return found


def _is_underlined(lines: Sequence[str], number: int, last: int) -> bool:
    line = lines[number - 1]
    if number >= last or not line.strip() or _UNDERLINE.match(line):
        return False
    below = lines[number]
    return _UNDERLINE.match(below) is not None and len(below.rstrip()) >= len(line.rstrip())
