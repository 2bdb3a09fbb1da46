"""Postings turned round: from each term's documents to each document's terms."""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit

Array = np.ndarray


@jit
def transpose(starts: Array, docs: Array, tfs: Array, num_docs: int) -> tuple[Array, Array, Array]:
    """Rows of documents: where each begins, its terms in ascending order, and how often each."""
    # While rows are filled, a row's head stands in the entry after its own, which ends up right.
    heads = np.zeros(num_docs + 2, np.uint32)
    for position in range(len(docs)):
        heads[np.uint64(docs[position]) + np.uint64(2)] += np.uint32(1)
    for doc in range(num_docs):
        heads[doc + 2] += heads[doc + 1]
    # One more than there are, since an empty row at the end is looked at like any other.
    terms = np.zeros(len(docs) + 1, np.uint32)
    counts = np.zeros(len(docs) + 1, tfs.dtype)
    for term in range(len(starts) - 1):
        for position in range(starts[term], starts[term + 1]):
            row = np.uint64(docs[position]) + np.uint64(1)
            at = heads[row]
            terms[at] = term
            counts[at] = tfs[position]
            heads[row] = at + np.uint32(1)
    return heads[:-1], terms, counts
