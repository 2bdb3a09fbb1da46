"""The lines of a document that say why it was found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from qidf.analysis import Analyzer

# A line of code fits; of a paragraph, about two lines on the page.
EXCERPT_CHARACTERS = 240
# Of a long line, what comes before the match; on a narrow page the match must still be seen.
LEAD_CHARACTERS = 24
# Lines around the best one, for the document that is looked at.
CONTEXT_LINES = 4
# Of a common word in a long file the first few places will do.
PLACES_PER_TOKEN = 8
TOKENS_LOOKED_FOR = 12

_WORDS = re.compile(r"\w+|\W+")
_SPACED = re.compile(r"\S+|\s+")


@dataclass(frozen=True, slots=True)
class Line:
    """A line, cut to what fits, in runs that are or aren't words of the query.

    Lines of a text that isn't a file's, or is a single line, have no number.
    """

    number: int | None
    runs: tuple[tuple[str, bool], ...]

    def to_dict(self) -> dict[str, object]:
        """JSON's types."""
        runs = [{"text": text, "matched": matched} for text, matched in self.runs]
        return {"number": self.number, "runs": runs}


def best_line(text: str, worth: Mapping[str, float], analyzer: Analyzer) -> int:
    """The number, from 1, of the line whose query tokens are worth most; 1 if none has any."""
    candidates = _candidate_lines(text, worth)
    best, most = 1, 0.0
    for number, start, stop in candidates:
        found = set(analyzer.tokens(text[start:stop]))
        value = sum(worth.get(token, 0.0) for token in found)
        if value > most:
            best, most = number, value
    return best


def excerpt(
    text: str,
    worth: Mapping[str, float],
    analyzer: Analyzer,
    *,
    context: int = 0,
    first_line: int | None = 1,
) -> tuple[Line, ...]:
    """The best line of a text, with as many lines around it as asked for."""
    # Lines are what an editor counts; splitlines() would also end them at form feeds.
    lines = text.split("\n")
    number = best_line(text, worth, analyzer)
    first = max(number - context, 1)
    shown = range(first, min(number + context, len(lines)) + 1)
    return tuple(
        Line(
            None if first_line is None else first_line + each - 1,
            marked(lines[each - 1].rstrip("\r"), worth, analyzer),
        )
        for each in shown
    )


def marked(
    line: str, worth: Mapping[str, float], analyzer: Analyzer
) -> tuple[tuple[str, bool], ...]:
    """A line in runs, those with a token of the query marked, cut around the first of them."""
    line = line.expandtabs(4)
    pattern = _SPACED if analyzer.words == "whitespace" else _WORDS
    # A minified line has a million words; what is shown is near the first match.
    start = _first_match(line, worth) if len(line) > EXCERPT_CHARACTERS else 0
    start = max(start - LEAD_CHARACTERS, 0)
    if start:
        # Begin with a whole word, if one begins before the match.
        start += max(line[start : start + LEAD_CHARACTERS].find(" ") + 1, 0)
    cut = line[start : start + EXCERPT_CHARACTERS]
    if start:
        cut = "…" + cut
    if start + EXCERPT_CHARACTERS < len(line):
        cut += "…"
    runs: list[tuple[str, bool]] = []
    for word in pattern.findall(cut):
        matched = any(token in worth for token in analyzer.tokens(word))
        if runs and runs[-1][1] == matched:
            runs[-1] = (runs[-1][0] + word, matched)
        else:
            runs.append((word, matched))
    return tuple(runs)


def _candidate_lines(text: str, worth: Mapping[str, float]) -> list[tuple[int, int, int]]:
    """Lines that may hold the tokens worth most: number, start and end of each."""
    folded = text.lower()
    if len(folded) != len(text):
        # Some letters change length when folded, so places in one are none in the other.
        folded = text
    wanted = sorted(worth, key=lambda token: -worth[token])[:TOKENS_LOOKED_FOR]
    places: set[int] = set()
    for token in wanted:
        at = -1
        for _ in range(PLACES_PER_TOKEN):
            at = folded.find(token, at + 1)
            if at < 0:
                break
            places.add(at)
    lines: dict[int, tuple[int, int, int]] = {}
    number, counted = 1, 0
    for place in sorted(places):
        start = text.rfind("\n", 0, place) + 1
        number += text.count("\n", counted, start)
        counted = start
        stop = text.find("\n", place)
        lines[start] = (number, start, len(text) if stop < 0 else stop)
    return list(lines.values())


def _first_match(line: str, worth: Mapping[str, float]) -> int:
    folded = line.lower()
    wanted = sorted(worth, key=lambda token: -worth[token])[:TOKENS_LOOKED_FOR]
    return max(next((at for at in map(folded.find, wanted) if at >= 0), 0), 0)
