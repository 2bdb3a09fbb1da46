"""What a span scores: by its own words, by its file's, and by those of the span next to it.

A function shares few words with a question about it, while the file it is in, and its neighbours,
share many. All three are BM25 with the same q: spans as documents, and files as documents made of
their spans. Only spans that share a word with the question themselves are ranked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qidf.index import Groups, Index, TokenScores, summed

if TYPE_CHECKING:
    from qidf.index.columns import IdColumn
    from qidf.index.segment import Segment

Q = float | str

# Chosen on doc comments taken out of six repositories, on the half of them that no run is measured
# on (benchmarks/code_search); means over the six of file NDCG@10, span NDCG@10, recall within 2,000
# and within 8,000 tokens. Spans alone with k1 = 2 and b = 0.9: .693 .266 .435 .617; with the file,
# .709 .301 .516 .705; with the neighbour too, .709 .312 .542 .727; with these k1 and b,
# .715 .339 .590 .749. Symbols asked for by name are found as well as before once a definition's
# name counts as often as `indexing` says.
CODE_K1, CODE_B = 4.0, 1.0
FILE_K1, FILE_B = 3.0, 0.9
FILE_SHARE = 0.8
NEIGHBOUR_SHARE = 0.2


class FileGroups:
    """Which spans belong to one file, in each state of an index; a segment is looked at once."""

    def __init__(self) -> None:
        """Know no segment yet."""
        self._starts: dict[int, tuple[IdColumn, np.ndarray]] = {}
        self._groups: tuple[Index | None, Groups | None] = (None, None)

    def of(self, index: Index, segments: Sequence[Segment]) -> Groups:
        """The files of an index, given by its segments."""
        known, groups = self._groups
        if groups is None or known is not index:
            columns = [segment.ids for segment in segments]
            # A column is kept with its number, so that no other can come to have the same.
            self._starts = {id(each): self._known_starts(each) for each in columns}
            starts = [self._starts[id(each)][1] for each in columns]
            groups = Groups.from_starts(segments, starts)
            self._groups = (index, groups)
        return groups

    def _known_starts(self, ids: IdColumn) -> tuple[IdColumn, np.ndarray]:
        return self._starts.get(id(ids)) or (ids, file_starts(map(str, ids.all())))


def file_starts(ids: Iterable[str]) -> np.ndarray:
    """The numbers of those ids (path:start-end) whose path isn't that of the one before."""
    starts: list[int] = []
    before = ""
    for number, identifier in enumerate(ids):
        # The path with its colon: a longer path that begins the same is another.
        if not before or not identifier.startswith(before) or ":" in identifier[len(before) :]:
            before = identifier[: identifier.rindex(":") + 1]
            starts.append(number)
    return np.array(starts, np.int64)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a span's score is made of; the shares of file and neighbour are in these already."""

    span: float
    file: float
    neighbour: float

    @property
    def score(self) -> float:
        """All of it."""
        return self.span + self.file + self.neighbour

    def to_dict(self) -> dict[str, float]:
        """The parts in JSON's types; these names are stable."""
        return {"span": self.span, "file": self.file, "neighbour": self.neighbour}


@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """Every span's score for one question, and what goes into it."""

    scores: np.ndarray
    spans: np.ndarray
    files: np.ndarray
    neighbours: np.ndarray
    numbers: np.ndarray
    span_tokens: Sequence[TokenScores]
    file_tokens: Sequence[TokenScores]

    def parts(self, position: int) -> Parts:
        """What the score of one span is made of."""
        beside = self.neighbours[position]
        return Parts(
            float(self.spans[position]),
            FILE_SHARE * float(self.files[self.numbers[position]]),
            NEIGHBOUR_SHARE * float(self.spans[beside]) if beside >= 0 else 0.0,
        )

    def matched(self, position: int) -> dict[str, float]:
        """What each token that is in a span adds to its own part of the score, most first."""
        found = {token.token: token.at(position)[1] for token in self.span_tokens}
        return dict(sorted(((k, v) for k, v in found.items() if v), key=lambda item: -item[1]))

    def best(self, count: int) -> np.ndarray:
        """Positions of the spans that score highest, ties in the order they are stored in."""
        matching = np.flatnonzero(self.scores > 0)
        if len(matching) > count:
            found = self.scores[matching]
            cut = np.partition(found, len(found) - count)[len(found) - count]
            matching = matching[found >= cut]
        order = np.argsort(-self.scores[matching], kind="stable")
        best: np.ndarray = matching[order][:count]
        return best

    def alone(self) -> SpanScores:
        """The same with spans ranked by their own words only."""
        return replace(self, scores=self.spans)

    def rank(self, position: int) -> int | None:
        """The rank of a span from 1; None if it is no hit."""
        score = self.scores[position]
        if score <= 0:
            return None
        ahead = (self.scores > score).sum() + (self.scores[:position] == score).sum()
        return int(ahead) + 1


def score_spans(
    index: Index, files: Groups, query: str, q: Q, *, k1: float = CODE_K1, b: float = CODE_B
) -> SpanScores:
    """Score all spans; k1 and b are those of spans."""
    span_tokens = index.token_scores(query, q, k1=k1, b=b)
    file_tokens = index.token_scores(query, q, k1=FILE_K1, b=FILE_B, groups=files)
    spans = summed(span_tokens, len(files.numbers))
    by_file = summed(file_tokens, len(files.lengths))
    neighbours = _better_neighbours(spans, files.numbers)
    scores = np.zeros_like(spans)
    own = np.flatnonzero(spans > 0)
    beside = neighbours[own]
    scores[own] = (
        spans[own]
        + np.float32(FILE_SHARE) * by_file[files.numbers[own]]
        + np.float32(NEIGHBOUR_SHARE) * np.where(beside >= 0, spans[beside], 0)
    )
    return SpanScores(scores, spans, by_file, neighbours, files.numbers, span_tokens, file_tokens)


def _better_neighbours(spans: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The position of the better of the spans before and after each in its file; -1 if none.

    One that shares no word, or only common ones that count against it, is no neighbour.
    """
    neighbours = np.full(len(spans), -1, np.int64)
    if len(spans) < 2:
        return neighbours
    same = numbers[1:] == numbers[:-1]
    places = np.arange(len(spans))
    before = same & (spans[:-1] > 0)
    neighbours[1:][before] = places[:-1][before]
    after = same & (spans[1:] > 0)
    # The one before wins if both are as good.
    known = np.where(neighbours[:-1] >= 0, spans[neighbours[:-1]], 0)
    better = after & (spans[1:] > known)
    neighbours[:-1][better] = places[1:][better]
    return neighbours
