"""The classical Robertson-Spärck-Jones idf."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from qidf.records import dataclass
from qidf.weights.formula import (
    positive_parameter,
    smoothed_odds,
    weights_by_value,
)


@dataclass(frozen=True, slots=True, repr=False)
class RsjIdf:
    """ln((N - n + delta) / (n + delta)), negative when n > N/2 (eq. bm25-idf)."""

    delta: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", positive_parameter("delta", self.delta))

    def __repr__(self) -> str:
        return "rsj" if self.delta == 0.5 else f"rsj(delta={self.delta!r})"

    def weight(self, doc_freq: float, num_docs: int) -> float:
        """Return the logarithm of the smoothed odds."""
        return math.log(smoothed_odds(doc_freq, num_docs, self.delta))

    def weights(self, doc_freqs: NDArray[np.generic], num_docs: int) -> NDArray[np.float64]:
        """Return the weight of every entry."""
        return weights_by_value(self.weight, doc_freqs, num_docs)
