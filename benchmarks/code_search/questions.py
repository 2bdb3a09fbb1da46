"""A question about code, with its right answers, and how well an answer does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qidf.errors import InvalidArgumentError

Span = tuple[str, int, int]
# NDCG looks at so many first answers.
DEPTH = 10


@dataclass(frozen=True, slots=True)
class RightFile:
    """A file that is a right answer, and the runs of lines in it that are meant, ends included."""

    path: str
    places: tuple[tuple[int, int], ...]

    def is_met(self, start: int, end: int) -> bool:
        """Whether lines of this file have one in common with a place."""
        return any(start <= last and first <= end for first, last in self.places)


@dataclass(frozen=True, slots=True)
class Question:
    """What a person wrote, and the files it is about."""

    id: str
    text: str
    right: tuple[RightFile, ...]

    def __post_init__(self) -> None:
        paths = [each.path for each in self.right]
        if not paths or len(set(paths)) < len(paths) or not all(r.places for r in self.right):
            raise InvalidArgumentError(
                f"question {self.id} is about the files {paths}; give at least one, each once, "
                "each with a place"
            )

    @property
    def path(self) -> str:
        """The first right file."""
        return self.right[0].path

    @property
    def line(self) -> int:
        """The first line that is meant in the first right file."""
        return self.right[0].places[0][0]


def span_ndcg(answer: Sequence[Span], question: Question) -> float:
    """NDCG@10 of spans: right is the first one that meets a place of a right file, once a file."""
    ranks = []
    for right in question.right:
        spans = enumerate(answer, 1)
        ranks.append(
            next((n for n, (p, a, b) in spans if p == right.path and right.is_met(a, b)), None)
        )
    return _ndcg(ranks)


def file_ndcg(answer: Sequence[Span], question: Question) -> float:
    """NDCG@10 of the distinct files of an answer, in the order of their first spans."""
    files = list(dict.fromkeys(path for path, _, _ in answer))
    ranks = [files.index(r.path) + 1 if r.path in files else None for r in question.right]
    return _ndcg(ranks)


def _ndcg(ranks: Sequence[int | None]) -> float:
    """Gain of the right answers at these ranks, as a share of what all of them first would have.

    Jaervelin and Kekaelaeinen, "Cumulated gain-based evaluation of IR techniques", 2002, with gains
    of 0 and 1.
    """
    gained = sum(1 / math.log2(rank + 1) for rank in ranks if rank and rank <= DEPTH)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(ranks), DEPTH) + 1))
    return gained / best


class LineTokens:
    """Tokens of every line of a file, counted once."""

    def __init__(self, root: Path) -> None:
        from qidf.token_counts import token_counter

        self._root = root
        self._known: dict[str, list[int]] = {}
        self._count = token_counter().count_batch

    def of(self, path: str) -> list[int]:
        """How many tokens each line of a file has, its line end included."""
        if path not in self._known:
            text = (self._root / path).read_bytes().decode("utf-8", "replace")
            self._known[path] = self._count([f"{line}\n" for line in text.split("\n")]).tolist()
        return self._known[path]


def is_within(answer: Sequence[Span], question: Question, budget: int, lines: LineTokens) -> bool:
    """Whether a line of a place is in an answer's first so many tokens, cut at a line's end."""
    right = {each.path: each for each in question.right}
    used = 0
    for path, start, end in answer:
        for number, tokens in enumerate(lines.of(path)[start - 1 : end], start):
            used += tokens
            if used > budget:
                return False
            if path in right and right[path].is_met(number, number):
                return True
    return False
