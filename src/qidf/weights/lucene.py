"""Lucene's shifted idf, which is also what bm25s bakes into its scores by default."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from qidf.records import dataclass
from qidf.weights.formula import (
    smoothed_odds,
    weights_by_value,
)


@dataclass(frozen=True, slots=True, repr=False)
class LuceneIdf:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), positive for every term (paper, footnote to eq. bm25-idf).

    The operations and their order are those of bm25s, so that scores agree bit for bit.
    """

    def __repr__(self) -> str:
        return "lucene"

    def weight(self, doc_freq: float, num_docs: int) -> float:
        """Return the logarithm of one plus the smoothed odds."""
        return math.log(1 + smoothed_odds(doc_freq, num_docs, 0.5))

    def weights(self, doc_freqs: NDArray[np.generic], num_docs: int) -> NDArray[np.float64]:
        """Return the weight of every entry."""
        return weights_by_value(self.weight, doc_freqs, num_docs)
