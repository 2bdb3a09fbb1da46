"""What the tokens of many queries weigh, a weight for each position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from qidf.native.library import address
from qidf.native.weighing import fold_repeats
from qidf.records import dataclass
from qidf.weighting.evidence import LEARNT, combined
from qidf.weighting.weighting import Weighting

# A weighting's idf of every distinct token, as float64.
Idfs = Callable[[Weighting], np.ndarray]


class FoldedTokens(NamedTuple):
    """Queries' tokens, repeats folded where that was asked: how often and where first each is."""

    names: np.ndarray
    offsets: np.ndarray
    counts: np.ndarray
    places: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class QueryTokens:
    """Queries as numbers: query i has the tokens names[offsets[i]:offsets[i+1]], in order.

    `code` says of each query whether it is code; names are numbers below `num_names`.
    """

    names: np.ndarray
    offsets: np.ndarray
    code: np.ndarray
    num_names: int

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.offsets) - 1

    def folded(self, which: np.ndarray | None = None) -> FoldedTokens:
        """Each token once, where its query says it first; in some queries only, if told which."""
        num_queries, size = len(self), len(self.names)
        mask = np.ones(num_queries, np.uint8) if which is None else which.astype(np.uint8)
        firsts = np.full(self.num_names, -1, np.int64)
        names, offsets = np.empty(size, np.int32), np.empty(num_queries + 1, np.int64)
        counts, places = np.empty(size), np.empty(size)
        kept = fold_repeats(
            address(self.names),
            address(self.offsets),
            num_queries,
            address(mask),
            address(firsts),
            address(names),
            address(offsets),
            address(counts),
            address(places),
        )
        return FoldedTokens(names[:kept], offsets, counts[:kept], places[:kept])


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
    num_code = np.count_nonzero(queries.code)
    if num_code == 0:
        return _weigh_alike(queries, text, idfs, evidence)
    if num_code == len(queries) or code == text:
        return _weigh_alike(queries, code, idfs, evidence)
    distinct = np.where(queries.code, code.is_distinct, text.is_distinct)
    names, offsets, counts, places = queries.folded(distinct)
    coded = np.repeat(queries.code, np.diff(offsets))
    weights = np.empty(len(names), np.float32)
    for weighting, mask in ((text, ~coded), (code, coded)):
        asked = FoldedTokens(names[mask], offsets, counts[mask], places[mask])
        weights[mask] = _weights(asked, weighting, idfs, evidence)
    return WeightedQueries(names, offsets, weights)


def _weigh_alike(
    queries: QueryTokens, weighting: Weighting, idfs: Idfs, evidence: Callable[[], np.ndarray]
) -> WeightedQueries:
    """Weigh all queries the same way, as a single one always is."""
    if not weighting.is_distinct:
        weights = weighting.single(idfs(weighting))
        return WeightedQueries(queries.names, queries.offsets, weights[queries.names])
    asked = queries.folded()
    return WeightedQueries(asked.names, asked.offsets, _weights(asked, weighting, idfs, evidence))


def _weights(
    asked: FoldedTokens, weighting: Weighting, idfs: Idfs, evidence: Callable[[], np.ndarray]
) -> np.ndarray:
    """What each token weighs with all its repeats."""
    found = idfs(weighting)[asked.names]
    if weighting.is_distinct:
        found = found * weighting.repeats(asked.counts)
        if weighting.evidence is True:
            found = combined(found, LEARNT.at(evidence()[asked.names], asked.places))
    return weighting.single(found)
