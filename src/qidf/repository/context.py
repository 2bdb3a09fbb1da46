"""As many of the best spans as fit in a number of tokens, ready for a prompt."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from qidf.errors import InvalidArgumentError
from qidf.records import dataclass
from qidf.repository.results import CodeHit
from qidf.token_counts import TokenCounter

# Spans that lie this close together are one: two blank lines, as between Python's functions, cost
# less than a second heading.
_JOINED_WITHIN = 3
# Less than this has no room for a heading, its fences and a line.
_NO_ROOM = 24
# After so many spans in a row that didn't fit, what is left is too little to look further.
_MISSES = 50


@dataclass(frozen=True, slots=True)
class ContextSpan:
    """Neighbouring hits of one file as one span; `rank` is that of the best of them."""

    path: str
    start_line: int
    end_line: int
    symbols: tuple[str, ...]
    language: str
    rank: int
    tokens: int
    text: str

    @property
    def location(self) -> str:
        """The span as path:start-end."""
        return f"{self.path}:{self.start_line}-{self.end_line}"

    def to_dict(self) -> dict[str, Any]:
        """The span in JSON's types; these names are stable."""
        return {
            "path": self.path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "symbols": list(self.symbols),
            "language": self.language or None,
            "rank": self.rank,
            "tokens": self.tokens,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Context:
    """A prompt-ready block: its text, what it holds, and what was tried and had no room.

    It is `complete` if it holds all that matches; otherwise there may be more than was tried.
    """

    text: str
    spans: tuple[ContextSpan, ...]
    left_out: tuple[CodeHit, ...]
    complete: bool
    budget: int
    tokens: int
    counter: str

    def __str__(self) -> str:
        """The block itself."""
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The context in JSON's types; these names are stable."""
        return {
            "budget": self.budget,
            "tokens": self.tokens,
            "counter": self.counter,
            "complete": self.complete,
            "spans": [span.to_dict() for span in self.spans],
            "left_out": [
                {"rank": hit.rank, "path": hit.path, "start_line": hit.start_line}
                | {"end_line": hit.end_line, "symbol": hit.symbol or None}
                for hit in self.left_out
            ],
        }


Lines = Callable[[str, int, int], Sequence[str]]


def pack(hits: Iterable[CodeHit], budget: int, counter: TokenCounter, lines_of: Lines) -> Context:
    """Take whole hits, best first, as long as the block stays within the budget.

    A hit that doesn't fit is left out and the next is tried, until nothing could fit. `lines_of`
    gives lines of a file.
    """
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise InvalidArgumentError(
            f"a budget must be a number of tokens above zero, not {budget!r}"
        )
    # Of each file, since spans of others don't touch.
    by_path: defaultdict[str, list[ContextSpan]] = defaultdict(list)
    left_out: list[CodeHit] = []
    texts: set[tuple[str, str]] = set()
    used = missed = 0
    for hit in hits:
        room = budget - used
        if (by_path and room < _NO_ROOM) or missed >= _MISSES:
            left_out.append(hit)
            break
        # Each line is a token at least, so that nothing need be read to know.
        if hit.end_line - hit.start_line > room:
            left_out.append(hit)
            missed += 1
            continue
        beside = by_path.get(hit.path, ())
        touching = [span for span in beside if _touches(span, hit)]
        joined = _joined(hit, touching, counter, lines_of)
        if not touching and (hit.language, joined.text) in texts:
            # A copy, as in another build of one file, says nothing new.
            continue
        # Pieces are counted one by one, which is quick; a seam may cost a token more.
        others = used - sum(span.tokens + 1 for span in touching)
        if others + joined.tokens <= budget:
            by_path[hit.path] = [*(span for span in beside if span not in touching), joined]
            used = others + joined.tokens + 1
            texts.add((hit.language, joined.text))
            missed = 0
        else:
            left_out.append(hit)
            missed += 1
    spans = sorted((span for found in by_path.values() for span in found), key=_rank)
    text = "\n".join(render(span) for span in spans)
    complete, tokens = not left_out, counter.count(text)
    return Context(text, tuple(spans), tuple(left_out), complete, budget, tokens, counter.name)


def render(span: ContextSpan) -> str:
    """A span under a heading that says where it is."""
    runs = re.findall("`+", span.text) if "`" in span.text else []
    longest = max(map(len, runs), default=0)
    fence = "`" * max(3, longest + 1)
    title = " ".join([span.location, *span.symbols])
    return f"### {title}\n{fence}{span.language}\n{span.text}\n{fence}\n"


def _rank(span: ContextSpan) -> int:
    return span.rank


def _touches(span: ContextSpan, hit: CodeHit) -> bool:
    return (
        hit.start_line <= span.end_line + _JOINED_WITHIN
        and span.start_line <= hit.end_line + _JOINED_WITHIN
    )


def _joined(
    hit: CodeHit, spans: Sequence[ContextSpan], counter: TokenCounter, lines_of: Lines
) -> ContextSpan:
    start = min([hit.start_line, *(span.start_line for span in spans)])
    end = max([hit.end_line, *(span.end_line for span in spans)])
    symbols = [symbol for span in spans for symbol in span.symbols]
    if hit.symbol and hit.symbol not in symbols:
        symbols.append(hit.symbol)
    span = ContextSpan(
        hit.path,
        start,
        end,
        tuple(symbols),
        hit.language,
        min([hit.rank, *(span.rank for span in spans)]),
        0,
        "\n".join(lines_of(hit.path, start, end)),
    )
    return replace(span, tokens=counter.count(render(span)))
