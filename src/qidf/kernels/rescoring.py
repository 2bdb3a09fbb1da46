"""Scoring the few documents that remain, by the definition in index/scoring.py.

A document's own terms are looked up among the query's, not the other way round: a document has one
row of terms in one place, while a query's terms have postings all over memory. Rows that are much
longer than the query, and segments whose rows have not been made yet, are searched by postings.
"""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit
from qidf.kernels.layout import Forward, Postings, Prepared, Real, Rescoring, Slots, Whole
from qidf.kernels.postings import find

Array = np.ndarray

# Documents scored at a time: their parts for a query's terms stay in cache.
CHUNK = 128
# Walking this many terms of a document costs about as much as finding it in one term's postings.
FIND_COST = 8
# An odd number near 2^32 over the golden ratio spreads neighbouring terms over a hash table.
SPREAD = np.uint32(2654435769)
SMALLEST_TABLE_BITS = 4


@jit
def fill_table(terms: Array, num_slots: Whole, table_terms: Array, table_slots: Array) -> Whole:
    """Hash a query's terms to their slots, at most a quarter full; return the bits of a hash."""
    num_bits = SMALLEST_TABLE_BITS
    while (1 << num_bits) < 4 * num_slots:
        num_bits += 1
    for at in range(1 << num_bits):
        table_slots[at] = -1
    mask = np.uint32((1 << num_bits) - 1)
    for slot in range(num_slots):
        place = np.uint32(terms[slot] * SPREAD) >> np.uint32(32 - num_bits)
        while table_slots[place] >= 0:
            place = (place + np.uint32(1)) & mask
        table_terms[place] = terms[slot]
        table_slots[place] = slot
    return num_bits


@jit
def fill_column(
    terms: Array,
    tfs: Array,
    begin: Whole,
    end: Whole,
    norm: Real,
    table_terms: Array,
    table_slots: Array,
    num_bits: Whole,
    parts: Array,
    column: Whole,
) -> None:
    """Write the tf parts of those of a document's terms that the query has."""
    mask = np.uint32((1 << num_bits) - 1)
    shift = np.uint32(32 - num_bits)
    for place in range(np.uint64(begin), np.uint64(end)):
        term = terms[place]
        at = np.uint32(term * SPREAD) >> shift
        while table_slots[at] >= 0:
            if table_terms[at] == term:
                tf = np.float64(tfs[place])
                parts[table_slots[at], column] = tf / (norm + tf)
                break
            at = (at + np.uint32(1)) & mask


@jit
def find_column(
    doc: Whole,
    norm: Real,
    slots: Slots,
    num_slots: Whole,
    postings: Postings,
    prepared: Prepared,
    parts: Array,
    column: Whole,
) -> None:
    """Write the same parts by looking for the document in the postings of every term."""
    for slot in range(num_slots):
        position = find(
            postings.docs, slots.firsts[slot], slots.lasts[slot], prepared.marks,
            slots.tables[slot], slots.shifts[slot], doc,
        )  # fmt: skip
        if position >= 0:
            tf = np.float64(postings.tfs[position])
            parts[slot, column] = tf / (norm + tf)


@jit
def score_documents(
    docs: Array,
    num_docs: Whole,
    query: Rescoring,
    num_slots: Whole,
    num_tokens: Whole,
    num_bits: Whole,
    slots: Slots,
    postings: Postings,
    forward: Forward,
    prepared: Prepared,
    k1: Real,
    b: Real,
    avg_doc_length: Real,
    base: Whole,
    positions: Array,
    scores: Array,
    known: Whole,
) -> Whole:
    """Score documents and merge them into the best k, equal scores by position.

    `known` of the k are known before; returns how many are known after.
    """
    k = len(positions)
    starts, terms, tfs, lengths = forward.starts, forward.terms, forward.tfs, postings.lengths
    parts, norms, totals = query.parts, query.norms, query.totals
    table_terms, table_slots = query.table_terms, query.table_slots
    has_rows = len(starts) > 0
    for chunk in range(0, num_docs, CHUNK):
        size = min(CHUNK, num_docs - chunk)
        if has_rows:
            # Touching every row first lets the memory fetch them side by side.
            touch = np.uint64(0)
            for at in range(size):
                row = starts[docs[chunk + at]]
                touch += np.uint64(terms[row]) + np.uint64(tfs[row])
            query.touch[0] = touch
        for at in range(size):
            norms[at] = k1 * ((1.0 - b) + b * lengths[docs[chunk + at]] / avg_doc_length)
            totals[at] = 0
        for slot in range(num_slots):
            for at in range(size):
                parts[slot, at] = 0.0
        for at in range(size):
            doc = docs[chunk + at]
            if has_rows and starts[doc + 1] - starts[doc] <= FIND_COST * num_slots:
                fill_column(
                    terms, tfs, starts[doc], starts[doc + 1], norms[at], table_terms, table_slots,
                    num_bits, parts, at,
                )  # fmt: skip
            else:
                find_column(doc, norms[at], slots, num_slots, postings, prepared, parts, at)
        for token in range(num_tokens):
            slot, weight = query.token_slots[token], query.token_weights[token]
            for at in range(size):
                totals[at] += np.float32(weight * parts[slot, at])
        # Leaders come lowest first; from the end, each has less to pass on its way.
        for at in range(size - 1, -1, -1):
            total = totals[at]
            if total > 0:
                position = base + np.int64(docs[chunk + at])
                known = insert(positions, scores, known, k, position, total)
    return known


@jit
def insert(
    positions: Array, scores: Array, known: Whole, k: Whole, position: Whole, score: Real
) -> Whole:
    """Put a document among the best k, unless it is behind them all; return how many there are."""
    if known == k:
        last = scores[k - 1]
        if score < last or (score == last and position > positions[k - 1]):
            return known
    place = min(known, k - 1)
    while place > 0 and (
        scores[place - 1] < score
        or (scores[place - 1] == score and positions[place - 1] > position)
    ):
        scores[place] = scores[place - 1]
        positions[place] = positions[place - 1]
        place -= 1
    scores[place] = score
    positions[place] = position
    return min(known + 1, k)
