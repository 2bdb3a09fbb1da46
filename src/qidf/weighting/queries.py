"""What the tokens of many queries weigh, a weight for each position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from qidf.records import dataclass
from qidf.weighting.evidence import LEARNT, combined
from qidf.weighting.weighting import Weighting

# A weighting's idf of every distinct token, as float64.
Idfs = Callable[[Weighting], np.ndarray]


@dataclass(slots=True, eq=False)
class QueryTokens:
    """Queries as numbers: query i has the tokens names[offsets[i]:offsets[i+1]], in order.

    `code` says of each query whether it is code.
    """

    names: np.ndarray
    offsets: np.ndarray
    code: np.ndarray
    _said: np.ndarray | None = None

    @property
    def places(self) -> np.ndarray:
        """Where in its query each position is, from 0."""
        begins = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        places: np.ndarray = np.arange(len(self.names)) - begins
        return places

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.offsets) - 1

    @property
    def said(self) -> np.ndarray:
        """Where a query says a token first, how many times it does; 0 where it says it again."""
        if self._said is None:
            self._said = times_said(self.names, self.offsets)
        return self._said


class WeightedQueries(NamedTuple):
    """Queries as kernels take them: a token and a weight for each position, tokens may repeat."""

    names: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray


def said_tokens(tokens: Sequence[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The distinct tokens of one query: how often each is said, and where first."""
    counts = Counter(tokens)
    firsts: dict[str, int] = {}
    for place, token in enumerate(tokens):
        firsts.setdefault(token, place)
    return list(counts), np.array(list(counts.values())), np.array(list(firsts.values()))


def times_said(names: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Count each query's tokens at their first positions; other positions are 0."""
    said = np.zeros(len(names), np.int64)
    if len(names):
        query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        pairs = query * (int(names.max()) + 2) + (names + 1)
        _, firsts, counts = np.unique(pairs, return_index=True, return_counts=True)
        said[firsts] = counts
    return said


def weigh(
    queries: QueryTokens,
    text: Weighting,
    code: Weighting,
    idfs: Idfs,
    evidence: Callable[[], np.ndarray],
) -> WeightedQueries:
    """Weigh text and code each their own way.

    `idfs` gives a weighting's idf of every distinct token, `evidence` what is known of it before a
    query says where (`Evidence.of_tokens`).

    Where repeats count in full, positions are the query's own. Where they saturate, each distinct
    token stays once, where the query says it first, with the weight of all its repeats.
    """
    if code == text or not queries.code.any():
        return _weigh_alike(queries, text, idfs, evidence)
    if queries.code.all():
        return _weigh_alike(queries, code, idfs, evidence)
    names, offsets = queries.names, queries.offsets
    coded = np.repeat(queries.code, np.diff(offsets))
    weights = np.empty(len(names), np.float32)
    kept = np.ones(len(names), bool)
    for weighting, mask in ((text, ~coded), (code, coded)):
        if not mask.any():
            continue
        found = idfs(weighting)[names[mask]]
        if weighting.is_distinct:
            said = queries.said[mask]
            kept[mask] = said > 0
            found = found * weighting.repeats(said)
            if weighting.evidence is True:
                seen = LEARNT.at(evidence()[names[mask]], queries.places[mask])
                found = combined(found, seen)
        weights[mask] = weighting.single(found)
    places = np.concatenate([[0], np.cumsum(kept)])
    return WeightedQueries(names[kept], places[offsets], weights[kept])


def _weigh_alike(
    queries: QueryTokens, weighting: Weighting, idfs: Idfs, evidence: Callable[[], np.ndarray]
) -> WeightedQueries:
    """Weigh all queries the same way, as a single one always is."""
    names, offsets = queries.names, queries.offsets
    if not weighting.is_distinct:
        return WeightedQueries(names, offsets, weighting.single(idfs(weighting))[names])
    kept = np.flatnonzero(queries.said)
    said = names[kept]
    found = idfs(weighting)[said] * weighting.repeats(queries.said[kept])
    if weighting.evidence is True:
        begins = offsets[np.searchsorted(offsets, kept, side="right") - 1]
        found = combined(found, LEARNT.at(evidence()[said], kept - begins))
    return WeightedQueries(said, np.searchsorted(kept, offsets), weighting.single(found))
