"""The q-log idf over shifted odds: positive for every term, and Lucene's idf at q = 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qidf.records import dataclass
from qidf.weights.formula import (
    finite_parameter,
    finite_weight,
    smoothed_odds,
    weights_by_value,
)
from qidf.weights.qlogarithm import qlog_positive


@dataclass(frozen=True, slots=True, repr=False)
class Qlog1p:
    """ln_q(1 + (N - n + 0.5) / (n + 0.5)): Lucene's idf with a power-law tail for q < 1.

    The paper's ln_q of the bare odds is negative for terms in more than half of the documents and
    jumps at q = 1. With the one added, q = 1 is Lucene's idf bit for bit, every q near it is near
    that, and no term counts against a document.
    """

    q: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", finite_parameter("q", self.q))

    def __repr__(self) -> str:
        return f"qlog1p(q={self.q!r})"

    def weight(self, doc_freq: float, num_docs: int) -> float:
        """Return the q-logarithm of one plus the smoothed odds."""
        return finite_weight(
            qlog_positive(1 + smoothed_odds(doc_freq, num_docs, 0.5), self.q), self
        )

    def weights(self, doc_freqs: NDArray[np.generic], num_docs: int) -> NDArray[np.float64]:
        """Return the weight of every entry."""
        return weights_by_value(self.weight, doc_freqs, num_docs)
