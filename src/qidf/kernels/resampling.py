"""Means over resamples: rows drawn with replacement, as often as there are rows."""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit

Array = np.ndarray

# Columns added up at a time, one register each.
LANES = 4
# The constants of splitmix64 (Steele, Lea and Flood 2014): a counter, mixed.
STEP = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)


@jit
def draw(seed: int, resample: int, rows: Array) -> None:
    """Fill `rows` with numbers below its own length, each as likely as any other.

    Every resample has a stretch of the sequence to itself, so that it doesn't depend on how many
    were drawn before. Thirty-two bits scaled to the range favour no row by more than its length
    over 2^32.
    """
    size = np.uint64(len(rows))
    counter = np.uint64(seed) + np.uint64(resample) * size * STEP
    for at in range(len(rows)):
        counter += STEP
        value = counter
        value = (value ^ (value >> np.uint64(30))) * MIX_1
        value = (value ^ (value >> np.uint64(27))) * MIX_2
        value = value ^ (value >> np.uint64(31))
        rows[at] = ((value >> np.uint64(32)) * size) >> np.uint64(32)


@jit
def resample_means(table: Array, seed: int, means: Array) -> None:
    """Write, for each resample, the mean of every column; `table` has a multiple of LANES."""
    size = len(table)
    rows = np.empty(size, np.int32)
    for resample in range(len(means)):
        draw(seed, resample, rows)
        for lane in range(0, table.shape[1], LANES):
            first = second = third = fourth = 0.0
            for at in range(size):
                row = rows[at]
                first += table[row, lane]
                second += table[row, lane + 1]
                third += table[row, lane + 2]
                fourth += table[row, lane + 3]
            means[resample, lane] = first / size
            means[resample, lane + 1] = second / size
            means[resample, lane + 2] = third / size
            means[resample, lane + 3] = fourth / size
