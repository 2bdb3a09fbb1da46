"""The arithmetic all engines share: by what to multiply each term's score.

BM25 is a sum over terms of idf times a part that depends on the document. Multiplying a term's
summand by its weight over the engine's idf therefore gives the weighting's score on an index that
stays as it is (paper, implementation), with the engine's own lengths, k1 and b. A term is one
clause however often the query says it, so what repeats count is in the weight.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from qidf.engines.contract import Capabilities, Note, TermStatistics
from qidf.errors import InvalidArgumentError, UnsupportedError
from qidf.weighting import BM25, Weighting, said_tokens
from qidf.weights import IdfFormula

# Largest float32; beyond it a boost would be infinite and rank nothing.
FLOAT32_MAX = 3.4028234663852886e38
# Names shown in a note; a whole function as a query has hundreds.
SHOWN_TERMS = 5

IdfOfEngine = Callable[[int, int], float]
CountFactor = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Boost:
    """A distinct query term that occurs in the index, and what its score is multiplied by.

    `factor` is what its idf is multiplied by for being said `count` times, `evidence` what the two
    are for its look, and `weight` is all three over `engine_idf`, so that one clause with this
    boost stands for all of them.
    """

    term: str
    count: int
    factor: float
    evidence: float
    doc_freq: int
    engine_idf: float
    idf: float
    weight: float


@dataclass(frozen=True, slots=True)
class BoostPlan:
    """The clauses to send, in the query's order, and what was left out of them.

    `clamped` are terms whose weight is negative where the engine takes none, which only some
    formulas give, the paper's among them: their boost is zero, so they add nothing and may be left
    out. `dropped` are those beyond the clause limit.
    """

    weighting: Weighting
    boosts: tuple[Boost, ...]
    clamped: tuple[Boost, ...] = ()
    dropped: tuple[Boost, ...] = ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the caller should know, if anything."""
        notes = []
        if self.clamped:
            names = tuple(boost.term for boost in self.clamped)
            notes.append(
                Note(
                    "clamped",
                    f"{_counted(names)} in more than half of the documents would weigh less than"
                    f" nothing by {self.weighting}, which this engine can't take, and"
                    f" {'counts' if len(names) == 1 else 'count'} for nothing: {_shown(names)}.",
                    names,
                )
            )
        if self.dropped:
            names = tuple(boost.term for boost in self.dropped)
            limit = len(self.boosts)
            notes.append(
                Note(
                    "dropped",
                    f"{_counted(names)} of lowest weight beyond the engine's limit of"
                    f" {limit:,} clauses {'was' if len(names) == 1 else 'were'} dropped:"
                    f" {_shown(names)}.",
                    names,
                )
            )
        return tuple(notes)


def plan_boosts(
    tokens: Iterable[str],
    statistics: TermStatistics,
    weighting: Weighting,
    engine_idf: IdfOfEngine,
    capabilities: Capabilities,
    *,
    count_factor: CountFactor = float,
    max_clauses: int | None = None,
) -> BoostPlan:
    """Weigh a query's tokens; terms that the index doesn't hold are left out.

    `engine_idf(doc_freq, num_docs)` is what the engine multiplies a term's score with. Repeats that
    count in full count as the engine counts them, `count_factor(count)` for a term that the query
    says `count` times; with k3 they count as the weighting says on every engine. `max_clauses`
    lowers the engine's limit, for callers that need clauses of their own.
    """
    if weighting.is_bm25:
        raise InvalidArgumentError(
            "BM25 is the engine's own query, which needs no boosts; send that one."
        )
    formula = weighting.idf
    boosts: list[Boost] = []
    clamped: list[Boost] = []
    distinct, counts, firsts = said_tokens(list(tokens))
    doc_freqs = np.array([max(statistics.doc_freqs.get(term, 0), 0) for term in distinct], int)
    # Counts gathered from several shards can be out of step by a document in flight.
    most = max(statistics.num_docs, int(doc_freqs.max(initial=0)))
    looks = weighting.looks(distinct, counts, firsts, doc_freqs, most).tolist()
    for term, count, doc_freq, look in zip(
        distinct, counts.tolist(), doc_freqs.tolist(), looks, strict=True
    ):
        if doc_freq <= 0:
            continue
        num_docs = max(statistics.num_docs, doc_freq)
        own = engine_idf(doc_freq, num_docs)
        idf = formula.weight(doc_freq, num_docs)
        if idf == 0.0:
            continue
        if own == 0.0:
            raise UnsupportedError(
                f"The engine gives {term!r} an idf of 0, and no boost brings its score back; build"
                " the index with an idf that is positive for every term."
            )
        factor = weighting.repeat(count) if weighting.is_distinct else count_factor(count)
        boost = Boost(term, count, factor, look, doc_freq, own, idf, factor * look * (idf / own))
        if idf < 0.0 and not capabilities.takes_negative_weights:
            clamped.append(boost)
        else:
            boosts.append(_in_range(boost, formula, capabilities))
    limit = _smaller(capabilities.max_clauses, max_clauses)
    kept, dropped = _within(boosts, limit)
    return BoostPlan(weighting, tuple(kept), tuple(clamped), tuple(dropped))


def own_terms(
    tokens: Sequence[str], statistics: TermStatistics, engine_idf: IdfOfEngine, limit: int
) -> tuple[list[str], tuple[Note, ...]]:
    """Cut the engine's own query at its clause limit, as a boosted one is: heaviest terms stay."""
    distinct = Counter(tokens)
    if len(distinct) <= limit:
        return list(tokens), ()
    found = [
        Boost(term, count, float(count), 1.0, doc_freq, own, own, float(count))
        for term, count in distinct.items()
        if (doc_freq := statistics.doc_freqs.get(term, 0)) > 0
        for own in [engine_idf(doc_freq, max(statistics.num_docs, doc_freq))]
    ]
    kept, dropped = _within(found, limit)
    names = {boost.term for boost in kept}
    notes = BoostPlan(BM25, tuple(kept), (), tuple(dropped)).notes
    return [token for token in tokens if token in names], notes


def lucene_idf(doc_freq: int, num_docs: int) -> float:
    """Lucene's idf, which OpenSearch, Elasticsearch and Tantivy score with."""
    return math.log(1.0 + (num_docs - doc_freq + 0.5) / (doc_freq + 0.5))


def _within(boosts: list[Boost], limit: int | None) -> tuple[list[Boost], list[Boost]]:
    """Keep the terms that weigh most in the score; of equal ones those said first."""
    if limit is None or len(boosts) <= limit:
        return boosts, []
    heaviest = sorted(
        range(len(boosts)), key=lambda at: -abs(boosts[at].weight * boosts[at].engine_idf)
    )
    kept = set(heaviest[:limit])
    return (
        [boost for at, boost in enumerate(boosts) if at in kept],
        [boost for at, boost in enumerate(boosts) if at not in kept],
    )


def _in_range(boost: Boost, formula: IdfFormula, capabilities: Capabilities) -> Boost:
    """Refuse a boost that the engine would read as infinite."""
    largest = FLOAT32_MAX if capabilities.float32_weights else math.inf
    if not abs(boost.weight * boost.engine_idf) * 4.0 < largest:
        raise UnsupportedError(
            f"{formula!r} makes the weight of {boost.term!r} too large for this engine's numbers;"
            " take a larger q."
        )
    return boost


def _smaller(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def _counted(names: Sequence[str]) -> str:
    return f"{len(names):,} {'term' if len(names) == 1 else 'terms'}"


def _shown(names: Sequence[str]) -> str:
    more = len(names) - SHOWN_TERMS
    return ", ".join(names[:SHOWN_TERMS]) + (f" and {more:,} more" if more > 0 else "")
