"""NDCG, reciprocal rank and recall from the ranks of relevant documents, as trec_eval has them.

Conventions: a grade above 0 is relevant and is its own gain; the discount is log2(rank + 1); the
ideal ranking holds every relevant document there is, found or not; a query that no document is
relevant to scores 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.evaluation.relevance import Relevance

_NAME = re.compile(r"(?P<kind>[a-z]+)@(?P<cutoff>[1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a ranking's first `cutoff` documents; its string parses back."""

    kind: str
    cutoff: int

    def __post_init__(self) -> None:
        """Check both parts."""
        if self.kind not in _KINDS:
            raise InvalidArgumentError(
                f"there is no measure {self.kind!r}; choose from {', '.join(_KINDS)}"
            )
        if isinstance(self.cutoff, bool) or not isinstance(self.cutoff, int) or self.cutoff < 1:
            raise InvalidArgumentError(
                f"a measure looks at 1 document or more, so its cutoff can't be {self.cutoff!r}"
            )

    def __str__(self) -> str:
        """Its name, such as ndcg@10."""
        return f"{self.kind}@{self.cutoff}"

    def per_query(self, relevance: Relevance, ranks: np.ndarray) -> np.ndarray:
        """Each query's value, given the rank of each relevant document, 0 where it isn't found."""
        found = (ranks > 0) & (ranks <= self.cutoff)
        return _KINDS[self.kind](relevance, np.where(found, ranks, 0), self.cutoff)


def parse_measure(text: str) -> Measure:
    """Return the measure that a name such as `ndcg@10`, `mrr@10` or `recall@100` stands for."""
    match = _NAME.fullmatch(text.strip().lower())
    if match is None:
        raise InvalidArgumentError(
            f"{text!r} names no measure; write ndcg@10, mrr@10 or recall@100, with any cutoff"
        )
    return Measure(match["kind"], int(match["cutoff"]))


def _ndcg(relevance: Relevance, ranks: np.ndarray, cutoff: int) -> np.ndarray:
    # Unfound documents have rank 0, where the discount would be 1/0; they gain nothing.
    gains = np.where(ranks > 0, relevance.grades / np.log2(np.maximum(ranks, 1) + 1), 0.0)
    return _ratio(relevance.total(gains), relevance.ideal(cutoff))


def _reciprocal_rank(relevance: Relevance, ranks: np.ndarray, cutoff: int) -> np.ndarray:
    best = np.zeros(relevance.num_queries)
    found = ranks > 0
    np.maximum.at(best, relevance.queries[found], 1.0 / ranks[found])
    return best


def _recall(relevance: Relevance, ranks: np.ndarray, cutoff: int) -> np.ndarray:
    return _ratio(relevance.total((ranks > 0).astype(np.float64)), relevance.counts)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    ratio: np.ndarray = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return ratio


_KINDS: dict[str, Callable[[Relevance, np.ndarray, int], np.ndarray]] = {
    "ndcg": _ndcg,
    "mrr": _reciprocal_rank,
    "recall": _recall,
}
