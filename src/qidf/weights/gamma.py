"""A power of Lucene's idf, the baseline that sharpens rarity without the odds' power law."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from qidf.records import dataclass
from qidf.weights.formula import (
    finite_weight,
    positive_parameter,
    smoothed_odds,
    weights_by_value,
)


@dataclass(frozen=True, slots=True, repr=False)
class GammaIdf:
    """ln(1 + (N - n + 0.5) / (n + 0.5))^gamma (paper, rarity-rescale baselines)."""

    gamma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive_parameter("gamma", self.gamma))

    def __repr__(self) -> str:
        return f"gamma(gamma={self.gamma!r})"

    def weight(self, doc_freq: float, num_docs: int) -> float:
        """Return Lucene's idf to the power of gamma."""
        try:
            power = math.log(1 + smoothed_odds(doc_freq, num_docs, 0.5)) ** self.gamma
        except OverflowError:
            power = math.inf
        return finite_weight(power, self)

    def weights(self, doc_freqs: NDArray[np.generic], num_docs: int) -> NDArray[np.float64]:
        """Return the weight of every entry."""
        return weights_by_value(self.weight, doc_freqs, num_docs)
