"""Walking and probing one term's postings."""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit
from qidf.kernels.layout import Postings, Prepared, Real, Whole

Array = np.ndarray

# Lists up to this long are searched by halving alone: six steps within four cache lines.
SHORT_LIST = 64
# A skip table's stretches hold about this many postings: half a cache line of document numbers.
SKIP_POSTINGS = 8


@jit
def prepare_term(postings: Postings, prepared: Prepared, term: Whole) -> None:
    """Compute a term's tf parts and its skip table, on its first use.

    A skip table gives, for each stretch of 2^shift document numbers, the place in the postings
    where it begins.
    """
    docs, norms, parts = postings.docs, prepared.norms, prepared.parts
    first, last = postings.starts[term], postings.starts[term + 1]
    highest = np.float32(0.0)
    for position in range(np.uint64(first), np.uint64(last)):
        tf = np.float32(postings.tfs[position])
        part = tf / (norms[docs[position]] + tf)
        parts[position] = part
        highest = max(highest, part)
    prepared.best_parts[term] = highest
    if last - first <= SHORT_LIST:
        return
    shift = 0
    while ((len(norms) >> (shift + 1)) + 1) * SKIP_POSTINGS > last - first:
        shift += 1
    table = prepared.num_skips[0]
    prepared.skip_starts[term] = table
    prepared.skip_shifts[term] = shift
    at = first
    stretches = (len(norms) >> shift) + 2
    for stretch in range(stretches):
        while at < last and (docs[at] >> shift) < stretch:
            at += 1
        prepared.skips[table + stretch] = at - first
    prepared.num_skips[0] = table + stretches


@jit
def find(
    docs: Array, low: Whole, high: Whole, skips: Array, table: Whole, shift: Whole, doc: Whole
) -> Whole:
    """Position of a document among a term's postings docs[low:high], or -1."""
    if high - low > SHORT_LIST:
        stretch = table + np.int64(doc >> shift)
        high = low + np.int64(skips[stretch + 1])
        low = low + np.int64(skips[stretch])
    while high - low > SKIP_POSTINGS:
        middle = (low + high) >> 1
        if docs[middle] < doc:
            low = middle + 1
        else:
            high = middle + 1
    for position in range(low, high):
        if docs[position] >= doc:
            return position if docs[position] == doc else -1
    return -1


@jit
def accumulate(
    docs: Array,
    parts: Array,
    first: Whole,
    last: Whole,
    weight: Real,
    sums: Array,
    touched: Array,
    num_touched: Whole,
    entry: Real,
) -> tuple[Whole, Whole]:
    """Add a term to its documents, listing those met for the first time.

    Stops after a document whose sum exceeds `entry` and returns the position after it, or
    last + 1 at the end; and how many documents are listed. The loop has no branch but that one,
    which is why the heap is the caller's business. Unsigned indices spare numba's test for
    negative ones.
    """
    count = np.uint64(num_touched)
    for position in range(np.uint64(first), np.uint64(last)):
        doc = docs[position]
        before = sums[doc]
        touched[count] = doc
        count += np.uint64(before == 0)
        after = before + weight * parts[position]
        sums[doc] = after
        if after > entry:
            return np.int64(position) + 1, np.int64(count)
    return last + 1, np.int64(count)


@jit
def accumulate_met(
    docs: Array, parts: Array, first: Whole, last: Whole, weight: Real, sums: Array, entry: Real
) -> Whole:
    """Add a term to those of its documents that have a sum already; stop as `accumulate` does."""
    for position in range(np.uint64(first), np.uint64(last)):
        doc = docs[position]
        before = sums[doc]
        after = before + weight * parts[position]
        after = after if before > 0 else before
        sums[doc] = after
        if after > entry:
            return np.int64(position) + 1
    return last + 1
