"""Carrying on the documents that can still be among the best, fewer after every term.

The loops here wait for memory, not for arithmetic. They have no branch that depends on a value
which is unlikely to be in cache, so that the processor fetches for several documents at once.
"""

from __future__ import annotations

import numpy as np

from qidf.kernels.bounds import set_floors
from qidf.kernels.jit import jit
from qidf.kernels.layout import Order, Postings, Prepared, Real, Scratch, Slots, Whole
from qidf.kernels.postings import SHORT_LIST, count_ones

Array = np.ndarray


@jit
def narrow(
    slots: Slots,
    num_slots: Whole,
    order: Order,
    done: Whole,
    count: Whole,
    target: Real,
    enough: Whole,
    postings: Postings,
    prepared: Prepared,
    scratch: Scratch,
    met: Whole,
    excluded: Array,
    floors: Array,
    counters: Array,
) -> Whole:
    """Keep the documents met that can reach the target; add terms until `enough` or fewer are left.

    Returns how many are left, at the front of `touched`.
    """
    docs, parts, marks = postings.docs, prepared.parts, prepared.marks
    touched, left_sums = scratch.touched, scratch.left_sums
    buckets, budgets = prepared.buckets, prepared.budgets
    rest, prefix, weights = order.rest, order.prefix, order.weights
    set_floors(floors, target, rest, prefix, weights, done, count, budgets)
    left = take_over(touched, scratch.sums, met, buckets, floors, left_sums)
    if len(excluded) > 0:
        left = drop_excluded(touched, left_sums, left, excluded)
    # Terms that add, by decreasing weight; then those that take away, the most first.
    last_slot = num_slots
    while left > enough and (done < count or last_slot > count):
        counters[2] += left
        if done < count:
            at = done
            done += 1
            set_floors(floors, target, rest, prefix, weights, done, count, budgets)
        else:
            last_slot -= 1
            at = last_slot
        slot = order.slots[at]
        weight = np.float32(weights[at])
        first, last = slots.firsts[slot], slots.lasts[slot]
        table, shift = slots.tables[slot], slots.shifts[slot]
        if last - first <= SHORT_LIST:
            left = carry_short(
                touched, left_sums, left, docs, first, last, parts, weight, buckets, floors
            )
        elif shift == 0:
            left = carry_exact(
                touched, left_sums, left, first, marks, table, parts, weight, buckets, floors
            )
        else:
            left = carry_wide(
                touched, left_sums, left, docs, first, last, marks, table, shift, parts, weight,
                buckets, floors,
            )  # fmt: skip
    return left


@jit
def take_over(
    touched: Array, sums: Array, met: Whole, buckets: Array, floors: Array, left_sums: Array
) -> Whole:
    """Clear the accumulators, keeping documents above their floor at the front of the list."""
    kept = np.uint64(0)
    for at in range(np.uint64(met)):
        doc = touched[at]
        total = sums[doc]
        sums[doc] = 0
        touched[kept] = doc
        left_sums[kept] = total
        # A sum of zero is a leader's, whose score is known already.
        kept += np.uint64((total >= floors[buckets[doc]]) & (total > 0))
    return np.int64(kept)


@jit
def drop_excluded(touched: Array, left_sums: Array, left: Whole, excluded: Array) -> Whole:
    """Drop documents that must not be found."""
    kept = 0
    for at in range(left):
        if not excluded[touched[at]]:
            touched[kept] = touched[at]
            left_sums[kept] = left_sums[at]
            kept += 1
    return kept


@jit
def carry_exact(
    touched: Array,
    left_sums: Array,
    left: Whole,
    first: Whole,
    marks: Array,
    table: Whole,
    parts: Array,
    weight: Real,
    buckets: Array,
    floors: Array,
) -> Whole:
    """Add a term with a mark for every document; return how many are above their floor."""
    kept = np.uint64(0)
    one = np.uint64(1)
    for place in range(np.uint64(left)):
        doc = touched[place]
        word = marks[np.uint64(table) + np.uint64(doc >> np.uint32(5))]
        bit = np.uint64(doc & np.uint32(31))
        hit = (word >> bit) & one
        before = (word >> np.uint64(32)) + count_ones(word & ((one << bit) - one))
        part = parts[np.uint64(first) + before * hit]
        total = left_sums[place] + weight * (part * np.float32(hit))
        touched[kept] = doc
        left_sums[kept] = total
        kept += np.uint64(total >= floors[buckets[doc]])
    return np.int64(kept)


@jit
def carry_wide(
    touched: Array,
    left_sums: Array,
    left: Whole,
    docs: Array,
    first: Whole,
    last: Whole,
    marks: Array,
    table: Whole,
    shift: Whole,
    parts: Array,
    weight: Real,
    buckets: Array,
    floors: Array,
) -> Whole:
    """Add a term with a mark for every stretch of documents, likewise.

    Marks are few enough to stay in cache, and the branch is nearly always the same.
    """
    kept = np.uint64(0)
    one = np.uint64(1)
    end = np.uint64(last)
    for place in range(np.uint64(left)):
        doc = touched[place]
        total = left_sums[place]
        word = marks[np.uint64(table) + np.uint64(doc >> np.uint32(shift + 5))]
        if (word >> np.uint64((doc >> np.uint32(shift)) & np.uint32(31))) & one:
            position = np.uint64(first) + (word >> np.uint64(32))
            while position < end and docs[position] < doc:
                position += one
            if position < end and docs[position] == doc:
                total += weight * parts[position]
        touched[kept] = doc
        left_sums[kept] = total
        kept += np.uint64(total >= floors[buckets[doc]])
    return np.int64(kept)


@jit
def carry_short(
    touched: Array,
    left_sums: Array,
    left: Whole,
    docs: Array,
    first: Whole,
    last: Whole,
    parts: Array,
    weight: Real,
    buckets: Array,
    floors: Array,
) -> Whole:
    """Add a term of so few postings that it has no marks, likewise."""
    kept = np.uint64(0)
    for place in range(np.uint64(left)):
        doc = touched[place]
        total = left_sums[place]
        for position in range(np.uint64(first), np.uint64(last)):
            if docs[position] == doc:
                total += weight * parts[position]
        touched[kept] = doc
        left_sums[kept] = total
        kept += np.uint64(total >= floors[buckets[doc]])
    return np.int64(kept)
