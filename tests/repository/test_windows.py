"""Windows against a plain loop over lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qidf.repository.windows import WINDOW_CHARACTERS, WINDOW_LINES, windows


def line_by_line(lines: list[str], first: int, last: int) -> list[tuple[int, int]]:
    """The definition: cut where a line doesn't fit, back at the last blank line past the half."""
    ranges: list[tuple[int, int]] = []
    start, size, rest = first, 0, -1
    number = first
    while number <= last:
        line = lines[number - 1]
        full = size + len(line) > WINDOW_CHARACTERS or number - start >= WINDOW_LINES
        if full and number > start:
            end = rest if rest >= start else number - 1
            ranges.append((start, end))
            start, size, rest = end + 1, 0, -1
            number = start
            continue
        size += len(line) + 1
        if not line.strip() and size >= WINDOW_CHARACTERS / 2:
            rest = number
        number += 1
    if start <= last:
        ranges.append((start, last))
    return ranges


LENGTHS = st.sampled_from([0, 0, 1, 2, 30, 80, 300, 998, 999, 1000, 1001, 1999, 2000, 2001, 5000])


@given(st.lists(LENGTHS, max_size=200), st.integers(1, 4), st.integers(0, 3))
def test_windows_are_those_of_the_plain_loop(lengths: list[int], first: int, left: int) -> None:
    lines = ["x" * length for length in lengths]
    last = len(lines) - left
    assert windows(lines, first, last) == line_by_line(lines, first, last)


@given(st.lists(st.sampled_from(["# One", "text", "", "x" * 700]), min_size=1, max_size=80))
def test_prose_is_filled_between_headings(lines: list[str]) -> None:
    expected: list[tuple[int, int]] = []
    starts = [n for n, line in enumerate(lines, 1) if n == 1 or line.startswith("#")]
    for start, after in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        expected += line_by_line(lines, start, after - 1)
    assert windows(lines, 1, len(lines), prose=True) == expected
