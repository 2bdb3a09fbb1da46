"""Cutting lines that no definition claims: at headings, at blank lines, or when it is full."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, count
from operator import add

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
    if not prose:
        return _filled(lines, first, last)
    starts = sorted({first, *_headings(lines, first, last)})
    ends = [*(start - 1 for start in starts[1:]), last]
    return [
        each for start, end in zip(starts, ends, strict=True) for each in _filled(lines, start, end)
    ]


def _filled(lines: Sequence[str], first: int, last: int) -> list[tuple[int, int]]:
    """Windows as full as they may be, each ending at the last blank line if that is late enough."""
    if first > last:
        return []
    own = lines[first - 1 : last]
    # Most are one window; this says so without looking at every line.
    if len(own) <= WINDOW_LINES and len("\n".join(own)) <= WINDOW_CHARACTERS:
        return [(first, last)]
    # Characters up to the end of each line, with a line feed between.
    ends = list(map(add, accumulate(map(len, own)), count()))
    ranges: list[tuple[int, int]] = []
    start, before = 0, 0
    while True:
        most = min(start + WINDOW_LINES, len(own))
        # The first line that doesn't fit; a line that alone is too long is a window.
        stop = bisect_right(ends, before + WINDOW_CHARACTERS, min(start + 1, most), most)
        if stop == len(own):
            ranges.append((first + start, last))
            return ranges
        enough = before + _FULL_ENOUGH_CHARACTERS - 1
        rest = stop - 1
        while rest >= start and ends[rest] >= enough and own[rest].strip():
            rest -= 1
        if rest >= start and ends[rest] >= enough:
            stop = rest + 1
        ranges.append((first + start, first + stop - 1))
        start, before = stop, ends[stop - 1] + 1


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
