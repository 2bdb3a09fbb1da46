"""A question about code, with its right answers, and how well an answer does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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


def all_files_within(answer: Sequence[Span], question: Question, depth: int) -> bool:
    """Whether all right files are among the first so many distinct files of an answer."""
    files = list(dict.fromkeys(path for path, _, _ in answer))[:depth]
    return all(right.path in files for right in question.right)


def span_within(answer: Sequence[Span], question: Question, depth: int) -> bool:
    """Whether one of the first so many spans meets a place of a right file."""
    right = {each.path: each for each in question.right}
    return any(path in right and right[path].is_met(a, b) for path, a, b in answer[:depth])


def _ndcg(ranks: Sequence[int | None]) -> float:
    """Gain of the right answers at these ranks, as a share of what all of them first would have.

    Jaervelin and Kekaelaeinen, "Cumulated gain-based evaluation of IR techniques", 2002, with gains
    of 0 and 1.
    """
    gained = sum(1 / math.log2(rank + 1) for rank in ranks if rank and rank <= DEPTH)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(ranks), DEPTH) + 1))
    return gained / best


class LineTokens:
    """Tokens of the lines of files, each counted once and only when it is looked at."""

    # Answers are cut after some hundred lines, and whole files can be much longer.
    BLOCK = 256

    def __init__(self, root: Path) -> None:
        from qidf.token_counts import token_counter

        self._root = root
        self._lines: dict[str, list[str]] = {}
        self._known: dict[tuple[str, int], list[int]] = {}
        self._count = token_counter().count_batch

    def of(self, path: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Each of these lines that a file has: its number, and its tokens with its line end."""
        if path not in self._lines:
            text = (self._root / path).read_bytes().decode("utf-8", "replace")
            self._lines[path] = text.split("\n")
        for number in range(max(start, 1), min(end, len(self._lines[path])) + 1):
            block, offset = divmod(number - 1, self.BLOCK)
            if (path, block) not in self._known:
                lines = self._lines[path][block * self.BLOCK : (block + 1) * self.BLOCK]
                self._known[path, block] = self._count([f"{line}\n" for line in lines]).tolist()
            yield number, self._known[path, block][offset]


def is_within(answer: Sequence[Span], question: Question, budget: int, lines: LineTokens) -> bool:
    """Whether a line of a place is in an answer's first so many tokens, cut at a line's end."""
    right = {each.path: each for each in question.right}
    used = 0
    for path, start, end in answer:
        for number, tokens in lines.of(path, start, end):
            used += tokens
            if used > budget:
                return False
            if path in right and right[path].is_met(number, number):
                return True
    return False
