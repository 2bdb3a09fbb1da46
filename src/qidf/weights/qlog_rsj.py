"""The q-log idf: the outer logarithm of the RSJ odds becomes a q-logarithm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qidf.records import dataclass
from qidf.weights.formula import (
    finite_parameter,
    finite_weight,
    positive_parameter,
    smoothed_odds,
    weights_by_value,
)
from qidf.weights.qlogarithm import qlog_positive


@dataclass(frozen=True, slots=True, repr=False)
class QlogRsj:
    """ln_q((N - n + delta) / (n + delta)), eq. qlog-rsj-idf: a power-law tail for q < 1.

    For q > 1 it saturates at 1 / (q - 1). By formula q = 1 is the classical RSJ logarithm;
    the paper scores with Lucene's idf there instead, a choice that `qidf.weighting` makes.
    """

    q: float
    delta: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", finite_parameter("q", self.q))
        object.__setattr__(self, "delta", positive_parameter("delta", self.delta))

    def __repr__(self) -> str:
        delta = "" if self.delta == 0.5 else f", delta={self.delta!r}"
        return f"qlog(q={self.q!r}{delta})"

    def weight(self, doc_freq: float, num_docs: int) -> float:
        """Return the q-logarithm of the smoothed odds."""
        return finite_weight(
            qlog_positive(smoothed_odds(doc_freq, num_docs, self.delta), self.q), self
        )

    def weights(self, doc_freqs: NDArray[np.generic], num_docs: int) -> NDArray[np.float64]:
        """Return the weight of every entry."""
        return weights_by_value(self.weight, doc_freqs, num_docs)
