"""What a document's score is, written once, in plain numpy.

The score of document d for a query is a float32 sum, over the positions that its weighting leaves
(the query's tokens in order, repeats added again or each token once), of float32 contributions

    w(t) * tf / (K(d) + tf),   K(d) = k1 * ((1 - b) + b * |d| / avgdl)

computed in float64 from the float32 weight w(t). These are the operations of bm25s's Lucene
variant in their order, which is why q = 1 agrees with it bit for bit. Every other way to search
returns these same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.index.segment import Segment
from qidf.records import dataclass
from qidf.weighting import AUTO, Parts, Weighting

DEFAULT_K1 = 1.5
DEFAULT_B = 0.75


class ScoringOptions(Parts, total=False):
    """The keywords that searches take besides q, as `Index.scoring` takes them."""

    k1: float
    b: float


@dataclass(frozen=True, slots=True)
class Scoring:
    """What is chosen at query time: the weighting, open parts and all, k1 and b."""

    weighting: Weighting = AUTO
    k1: float = DEFAULT_K1
    b: float = DEFAULT_B

    def __post_init__(self) -> None:
        """Check k1 and b; the weighting has checked itself."""
        if not (_is_finite(self.k1) and self.k1 >= 0):
            raise InvalidArgumentError(f"k1 must be a number of at least 0, not {self.k1!r}")
        if not (_is_finite(self.b) and 0 <= self.b <= 1):
            raise InvalidArgumentError(f"b must be a number from 0 to 1, not {self.b!r}")
        # A numpy float32 would drag the arithmetic of one path, and not of the other, to float32.
        object.__setattr__(self, "k1", float(self.k1))
        object.__setattr__(self, "b", float(self.b))


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)


def contributions(
    segment: Segment, term: int, weight: np.float32, scoring: Scoring, avg_doc_length: float
) -> tuple[np.ndarray, np.ndarray]:
    """The documents of one term and what the term adds to each one's score."""
    postings = slice(int(segment.starts[term]), int(segment.starts[term + 1]))
    docs = segment.docs[postings]
    lengths = segment.lengths[docs]
    return docs, saturated(weight, segment.tfs[postings], lengths, scoring, avg_doc_length)


def saturated(
    weight: float | np.float32,
    tfs: np.ndarray,
    lengths: np.ndarray,
    scoring: Scoring,
    avg_doc_length: float,
) -> np.ndarray:
    """What a term of this weight adds to documents that hold it so often and are so long."""
    tfs = tfs.astype(np.float64)
    norms = scoring.k1 * ((1 - scoring.b) + scoring.b * lengths / avg_doc_length)
    added: np.ndarray = (np.float64(weight) * (tfs / (norms + tfs))).astype(np.float32)
    return added


def exhaustive_scores(
    segment: Segment,
    term_ids: Sequence[int],
    weights: Sequence[np.float32],
    scoring: Scoring,
    avg_doc_length: float,
) -> np.ndarray:
    """Every document's score; `term_ids` follow the weights, -1 where one is unknown."""
    scores = np.zeros(segment.size, np.float32)
    # A token that is said again weighs the same again.
    known: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for term, weight in zip(term_ids, weights, strict=True):
        if term < 0:
            continue
        if term not in known:
            known[term] = contributions(segment, term, weight, scoring, avg_doc_length)
        docs, added = known[term]
        scores[docs] += added
    return scores


def best(scores: np.ndarray, k: int, excluded: np.ndarray | None) -> np.ndarray:
    """The k highest-scoring documents above zero, ties in document order."""
    positive = scores > 0
    if excluded is not None:
        positive &= excluded == 0
    docs = np.nonzero(positive)[0]
    if len(docs) > k:
        found = scores[docs]
        cut = np.partition(found, len(found) - k)[len(found) - k]
        docs = docs[found >= cut]
    return docs[np.argsort(-scores[docs], kind="stable")][:k]
