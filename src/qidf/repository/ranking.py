"""What a span scores: by its own words, by its file's, and by those of the span next to it.

A function shares few words with a question about it, while the file it is in, and its neighbours,
share many. All three are BM25 with the same weighting: spans as documents, and files as documents
made of their spans. Only spans that share a word with the question themselves are ranked, and those
that aren't code count half (`roles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidf.errors import CorruptIndexError
from qidf.index import Groups, Index, Scoring, TokenScores, group_scores, summed
from qidf.repository.roles import BESIDE_WEIGHT, Role, asked_roles, role_of
from qidf.repository.state import parse_chunk_id
from qidf.weighting import Decision, Weighting

if TYPE_CHECKING:
    from qidf.index.columns import IdColumn
    from qidf.index.segment import Segment

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
# Tests and documents seldom hold more than three of four places.
_LOOKED_AT = 4


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
            before = identifier[: identifier.rfind(":") + 1]
            if not before:
                raise CorruptIndexError("the index holds an id that names no span; build it again")
            starts.append(number)
    return np.array(starts, np.int64)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a span's score is made of; the shares of file and neighbour are in these already.

    `weight` is 1 for code and for what the question asks for, and less for the rest.
    """

    span: float
    file: float
    neighbour: float
    weight: float

    @property
    def score(self) -> float:
        """All of it."""
        return self.weight * (self.span + self.file + self.neighbour)

    def to_dict(self) -> dict[str, float]:
        """The parts in JSON's types; these names are stable."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """Every span's score for one question before its role counts, and what goes into it."""

    index: Index
    decision: Decision
    full: np.ndarray
    spans: np.ndarray
    files: np.ndarray
    neighbours: np.ndarray
    numbers: np.ndarray
    span_tokens: Sequence[TokenScores]
    file_tokens: Sequence[TokenScores]
    in_full: frozenset[Role]

    def role(self, position: int) -> Role:
        """What the file of a span is for."""
        return role_of(parse_chunk_id(str(self.index.ids([position])[0]))[0])

    def weight(self, position: int) -> float:
        """What a span counts, given its role."""
        return 1.0 if self.role(position) in self.in_full else BESIDE_WEIGHT

    def score(self, position: int) -> float:
        """The score of one span."""
        return float(self.full[position]) * self.weight(position)

    def parts(self, position: int) -> Parts:
        """What the score of one span is made of."""
        beside = self.neighbours[position]
        return Parts(
            float(self.spans[position]),
            FILE_SHARE * float(self.files[self.numbers[position]]),
            NEIGHBOUR_SHARE * float(self.spans[beside]) if beside >= 0 else 0.0,
            self.weight(position),
        )

    def matched(self, position: int) -> dict[str, float]:
        """What each token that is in a span adds to its own part of the score, most first."""
        found = {token.token: token.at(position)[1] for token in self.span_tokens}
        return dict(sorted(((k, v) for k, v in found.items() if v), key=lambda item: -item[1]))

    def added(self, position: int) -> dict[str, float]:
        """What each token adds to the whole score of a span, wherever it is found."""
        weight, number = self.weight(position), int(self.numbers[position])
        beside = int(self.neighbours[position])
        added = {}
        for own, file in zip(self.span_tokens, self.file_tokens, strict=True):
            value = own.at(position)[1] + FILE_SHARE * file.at(number)[1]
            if beside >= 0:
                value += NEIGHBOUR_SHARE * own.at(beside)[1]
            added[own.token] = weight * value
        return added

    def best(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions and scores of the best spans, ties in the order they are stored in.

        Roles only lower scores, so they are looked up for the first spans of the order without
        them, and for more until none behind can come before the last that is wanted.
        """
        looked = _LOOKED_AT * count
        while True:
            near, behind = self._nearest(looked)
            scores = self.full[near] * np.array([self.weight(each) for each in near], np.float32)
            places = np.lexsort((near, -scores))[:count]
            if behind <= 0 or scores[places[-1]] > behind:
                return near[places], scores[places]
            looked *= _LOOKED_AT

    def _nearest(self, count: int) -> tuple[np.ndarray, float]:
        """Spans with the highest scores before roles count, and the highest behind them."""
        matching = np.flatnonzero(self.full > 0)
        if len(matching) <= count:
            return matching, 0.0
        found = -self.full[matching]
        order = np.argpartition(found, count)
        return matching[order[:count]], -float(found[order[count]])

    def rank(self, position: int) -> int | None:
        """The rank of a span from 1; None if it is no hit."""
        if self.full[position] <= 0:
            return None
        score = np.float32(self.score(position))
        # Those that don't reach it in full are behind it with any weight.
        near = np.flatnonzero(self.full >= score)
        _, first, file = np.unique(self.numbers[near], return_index=True, return_inverse=True)
        weights = np.array([self.weight(each) for each in near[first]], np.float32)
        scores = self.full[near] * weights[file]
        ahead = (scores > score) | ((scores == score) & (near < position))
        return int(ahead.sum()) + 1

    def rank_alone(self, position: int) -> int | None:
        """The rank of a span by its own words only, whatever its role."""
        score = self.spans[position]
        if score <= 0:
            return None
        ahead = (self.spans > score).sum() + (self.spans[:position] == score).sum()
        return int(ahead) + 1


def score_spans(
    index: Index,
    files: Groups,
    query: str,
    asked: Weighting,
    *,
    k1: float = CODE_K1,
    b: float = CODE_B,
) -> SpanScores:
    """Score all spans; k1 and b are those of spans."""
    decision = index.decide(query, weighting=asked)
    chosen = decision.weighting
    span_tokens = index.token_scores(query, weighting=chosen, k1=k1, b=b)
    file_tokens = group_scores(span_tokens, files, chosen, Scoring(chosen, FILE_K1, FILE_B))
    spans = summed(span_tokens, len(files.numbers))
    by_file = summed(file_tokens, len(files.lengths))
    neighbours = _better_neighbours(spans, files.numbers)
    full = np.zeros_like(spans)
    own = np.flatnonzero(spans > 0)
    beside = neighbours[own]
    full[own] = (
        spans[own]
        + np.float32(FILE_SHARE) * by_file[files.numbers[own]]
        + np.float32(NEIGHBOUR_SHARE) * np.where(beside >= 0, spans[beside], 0)
    )
    return SpanScores(
        index,
        decision,
        full,
        spans,
        by_file,
        neighbours,
        files.numbers,
        span_tokens,
        file_tokens,
        asked_roles([token.token for token in span_tokens]),
    )


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
