"""How much a document can still gain from the terms that are left."""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit
from qidf.kernels.layout import Real, Whole

Array = np.ndarray


@jit
def gain(
    rest: Array, prefix: Array, weights: Array, done: Whole, count: Whole, budget: Real
) -> Real:
    """The most that terms from `done` on can add to a document of this budget."""
    whole = np.int64(budget)
    last = done + whole
    if last >= count:
        return min(rest[done], prefix[count] - prefix[done])
    in_full = prefix[last] - prefix[done]
    return min(rest[done], in_full + (budget - whole) * weights[last])


@jit
def set_floors(
    floors: Array,
    target: Real,
    rest: Array,
    prefix: Array,
    weights: Array,
    done: Whole,
    count: Whole,
    budgets: Array,
) -> None:
    """For each bucket of lengths, the least sum that terms from `done` on lift to the target."""
    for bucket in range(len(budgets)):
        floors[bucket] = target - gain(rest, prefix, weights, done, count, budgets[bucket])
