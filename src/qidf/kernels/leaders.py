"""The k best partial scores while a query is under way."""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit
from qidf.kernels.layout import Real, Whole


@jit
def sink(scores: np.ndarray, docs: np.ndarray, at: Whole, doc: Whole, score: Real) -> None:
    """Put a document at a place of the heap or below it, so that no child scores less."""
    size = len(scores)
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


@jit
def enter(
    scores: np.ndarray,
    docs: np.ndarray,
    size: Whole,
    in_heap: np.ndarray,
    doc: Whole,
    score: Real,
) -> Whole:
    """Put a document that isn't there among the k best so far; return how many they are."""
    in_heap[doc] = 1
    if size < len(scores):
        scores[size] = score
        docs[size] = doc
        if size + 1 == len(scores):
            order(scores, docs)
        return size + 1
    in_heap[docs[0]] = 0
    sink(scores, docs, 0, doc, score)
    return size


@jit
def order(scores: np.ndarray, docs: np.ndarray) -> None:
    """Make a heap of k scores."""
    for at in range(len(scores) // 2 - 1, -1, -1):
        sink(scores, docs, at, docs[at], scores[at])


@jit
def refresh(scores: np.ndarray, docs: np.ndarray, sums: np.ndarray) -> None:
    """Take the present sums of the k leaders, which only grow."""
    for at in range(len(scores)):
        scores[at] = sums[docs[at]]
    order(scores, docs)
