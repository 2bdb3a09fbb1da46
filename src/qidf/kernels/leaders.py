"""The k best partial scores while a query is under way."""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit
from qidf.kernels.layout import Real, Whole


@jit
def enter(
    scores: np.ndarray,
    docs: np.ndarray,
    size: Whole,
    in_heap: np.ndarray,
    doc: Whole,
    score: Real,
) -> Whole:
    """Put a document's partial score among the k best, or raise it there; return how many."""
    if in_heap[doc]:
        at = 0
        while docs[at] != doc:
            at += 1
    elif size < len(scores):
        at = size
        size += 1
        in_heap[doc] = 1
        while at > 0 and scores[(at - 1) >> 1] > score:
            scores[at] = scores[(at - 1) >> 1]
            docs[at] = docs[(at - 1) >> 1]
            at = (at - 1) >> 1
    else:
        in_heap[docs[0]] = 0
        in_heap[doc] = 1
        at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and scores[child + 1] < scores[child]:
            child += 1
        if scores[child] >= score:
            break
        scores[at] = scores[child]
        docs[at] = docs[child]
        at = child
    scores[at] = score
    docs[at] = doc
    return size


@jit
def sort_few(values: np.ndarray, count: Whole) -> None:
    """Sort the first `count` values in place; they are nearly always few."""
    if count > 64:
        values[:count].sort()
        return
    for at in range(1, count):
        value = values[at]
        place = at
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@jit
def place_of(values: np.ndarray, low: Whole, high: Whole, value: Whole) -> Whole:
    """Where a value stands among ascending values[low:high], or -1."""
    end = high
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low if low < end and values[low] == value else -1
