"""Exact top-k by adding up what was computed for every posting beforehand.

For scoring models whose contributions don't factor into a weight and a tf part, and whose
contributions may be of either sign, so that nothing can be pruned.
"""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit
from qidf.kernels.layout import Real, Whole

Array = np.ndarray


@jit
def sink(values: Array, docs: Array, at: Whole, size: Whole) -> None:
    """Let a heap's entry find its place; the worst is first, the later of equal ones worse."""
    value, doc = values[at], docs[at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and worse(
            values[child + 1], docs[child + 1], values[child], docs[child]
        ):
            child += 1
        if worse(value, doc, values[child], docs[child]):
            break
        values[at], docs[at] = values[child], docs[child]
        at = child
    values[at], docs[at] = value, doc


@jit
def worse(value: Real, doc: Whole, other: Real, other_doc: Whole) -> bool:
    """Whether a document ranks below another."""
    return value < other or (value == other and doc > other_doc)


@jit
def rank_by_impact(
    terms: Array,
    offsets: Array,
    starts: Array,
    docs: Array,
    impacts: Array,
    num_docs: Whole,
    positions: Array,
    scores: Array,
) -> None:
    """Rank, for each query, the documents that have one of its terms, whatever their score's sign.

    Query i has terms[offsets[i]:offsets[i+1]], -1 where unknown; repeated terms add again. Rows of
    positions and scores are padded by the caller.
    """
    k = positions.shape[1]
    sums = np.zeros(num_docs, np.float64)
    met = np.zeros(num_docs, np.uint8)
    touched = np.empty(num_docs, np.uint32)
    values = np.empty(k, np.float32)
    best = np.empty(k, np.int64)
    for query in range(len(offsets) - 1):
        count = 0
        for at in range(offsets[query], offsets[query + 1]):
            term = terms[at]
            if term < 0:
                continue
            for position in range(starts[term], starts[term + 1]):
                doc = docs[position]
                if met[doc] == 0:
                    met[doc] = 1
                    touched[count] = doc
                    count += 1
                sums[doc] += impacts[position]
        size = 0
        for at in range(count):
            doc = np.int64(touched[at])
            # A score is a float32, as it is to trec_eval: what is equal there is equal here.
            value = np.float32(sums[doc])
            if size < k:
                values[size], best[size] = value, doc
                size += 1
                if size == k:
                    for root in range(k // 2 - 1, -1, -1):
                        sink(values, best, root, k)
            elif worse(values[0], best[0], value, doc):
                values[0], best[0] = value, doc
                sink(values, best, 0, k)
            sums[doc] = 0.0
            met[doc] = 0
        if size < k:
            for root in range(size // 2 - 1, -1, -1):
                sink(values, best, root, size)
        # Take the worst away until none is left, filling the row from its end.
        for place in range(size - 1, -1, -1):
            positions[query, place], scores[query, place] = best[0], values[0]
            values[0], best[0] = values[place], best[place]
            sink(values, best, 0, place)
