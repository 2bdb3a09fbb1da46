"""Whether a difference between two systems is more than the luck of these queries.

Paired bootstrap over queries (paper, main results, after Smucker et al.): queries are drawn with
replacement, the mean difference is taken anew, 10,000 times. The interval is that of the middle
95% of these means. For the p-value the differences are centred, so that their mean is 0, and p is
the share of resamples whose mean lies as far from 0 as the one observed, on either side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qidf.errors import InvalidArgumentError

RESAMPLES = 10_000
SEED = 20190923
_SEEDS = 2**63


@dataclass(frozen=True, slots=True)
class Comparison:
    """A mean difference over queries, its 95% interval, and how likely chance alone makes it."""

    delta: float
    ci95: tuple[float, float]
    p: float
    resamples: int
    num_queries: int

    @property
    def at_resolution(self) -> bool:
        """Whether p is no more than what the number of resamples can tell."""
        return self.p * self.resamples <= 1.0

    @property
    def p_text(self) -> str:
        """The p-value as it should be reported."""
        if self.at_resolution:
            return f"p <= {_short(1 / self.resamples)}"
        return f"p = {self.p:.2g}" if self.p < 0.1 else f"p = {self.p:.2f}"


def paired_bootstrap(
    baseline: np.ndarray,
    treatments: np.ndarray | Sequence[np.ndarray],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Comparison]:
    """Compare each treatment's per-query values with the baseline's, all on the same resamples.

    p is reported as 1 / resamples where no resample is as extreme: the resolution, not a smaller
    number.
    """
    base = np.asarray(baseline, np.float64)
    values = np.atleast_2d(np.asarray(treatments, np.float64))
    if base.ndim != 1 or values.shape[1:] != base.shape:
        raise InvalidArgumentError(
            f"a paired comparison needs one value for each query on both sides, but their shapes"
            f" are {base.shape} and {values.shape}"
        )
    if not base.size:
        raise InvalidArgumentError("there are no queries to compare on")
    if not (np.isfinite(base).all() and np.isfinite(values).all()):
        raise InvalidArgumentError(
            "a failed query has no value to compare; leave it out on both sides"
        )
    if resamples < 1:
        raise InvalidArgumentError(f"resamples must be 1 or more, not {resamples}")
    if not 0 <= seed < _SEEDS:
        raise InvalidArgumentError(f"a seed is a number from 0 to 2^63 - 1, not {seed}")
    differences = (values - base).T
    means = _resampled_means(differences, resamples, seed)
    observed = differences.mean(axis=0)
    # Queries that don't differ make sums that should be equal and aren't, by a rounding.
    slack = 1e-12 * np.abs(differences).max(axis=0)
    extreme = (np.abs(means - observed) >= np.abs(observed) - slack).sum(axis=0)
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    return [
        Comparison(
            float(observed[at]),
            (float(low[at]), float(high[at])),
            max(int(extreme[at]), 1) / resamples,
            resamples,
            base.size,
        )
        for at in range(len(values))
    ]


def _resampled_means(differences: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Mean of every column over each resample of the rows."""
    from qidf.native.resampling import LANES, resample_means

    size, columns = differences.shape
    table = np.zeros((size, -(-columns // LANES) * LANES))
    table[:, :columns] = differences
    means = np.empty((resamples, table.shape[1]))
    rows = np.empty(size, np.int32)
    resample_means(table, size, table.shape[1], seed, rows, means, resamples)
    return means[:, :columns]


def _short(value: float) -> str:
    mantissa, _, exponent = f"{value:.0e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
