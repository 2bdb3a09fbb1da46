"""Walking and probing one term's postings."""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit
from qidf.kernels.layout import Postings, Prepared, Real, Whole

Array = np.ndarray

# Lists up to this long are walked: they fit into a cache line.
SHORT_LIST = 16
# Stretches of documents to a posting: the more there are, the rarer a mark that says nothing.
STRETCHES = 8


@jit
def prepare_term(postings: Postings, prepared: Prepared, term: Whole) -> None:
    """Compute a term's tf parts and its marks, on its first use.

    A mark says that a stretch of 2^shift document numbers holds one of the term's documents. A
    word has the marks of 32 stretches in its lower half, and in its upper half the number of
    postings before the first of them.
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
    while (len(norms) >> (shift + 1)) > (last - first) * STRETCHES:
        shift += 1
    table = prepared.num_words[0]
    words = (len(norms) >> (shift + 5)) + 1
    prepared.tables[term] = table
    prepared.shifts[term] = shift
    at = first
    for word in range(words):
        marks = np.uint64(at - first) << np.uint64(32)
        while at < last and (docs[at] >> np.uint32(shift + 5)) == word:
            marks |= np.uint64(1) << np.uint64((docs[at] >> np.uint32(shift)) & np.uint32(31))
            at += 1
        prepared.marks[table + word] = marks
    prepared.num_words[0] = table + words


@jit
def count_ones(word: Whole) -> Whole:
    """Bits set in 64, by sums over pairs, nibbles and bytes; compilers make it one instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@jit
def find(
    docs: Array, first: Whole, last: Whole, marks: Array, table: Whole, shift: Whole, doc: Whole
) -> Whole:
    """Position of a document among a term's postings docs[first:last], or -1."""
    position = first
    if last - first > SHORT_LIST:
        word = marks[table + np.int64(doc >> np.uint32(shift + 5))]
        bit = np.uint64((doc >> np.uint32(shift)) & np.uint32(31))
        if not (word >> bit) & np.uint64(1):
            return -1
        position += np.int64(word >> np.uint64(32))
    while position < last and docs[position] < doc:
        position += 1
    return position if position < last and docs[position] == doc else -1


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
