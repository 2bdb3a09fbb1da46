"""Exact top-k without reading most of the postings.

Terms are taken by decreasing weight. Their postings are accumulated until no document that has not
been met yet can still reach the k-th best score known so far. Then the k documents that lead are
scored in full, which gives a score the others have to reach; those that can are carried on, fewer
after every term (narrowing.py), and the last few are scored in full too (rescoring.py).

What is accumulated are float32 approximations; they decide only which documents can be among the k
best, with a margin for their rounding. The scores returned are computed afresh, in the order of the
query's tokens, by the definition in index/scoring.py, so that the result has the bits that
exhaustive scoring gives.

What remains for a document to gain is bounded in two ways, and the lower bound counts:

- each remaining term's weight times the highest tf part among its postings;
- a document of L tokens has a limited budget: tf / (K + tf) <= min(1, tf / (K + 1)), and its tfs
  sum to at most L, so that at most L / (K + 1) remaining weights count in full. For short
  documents that is a handful of terms, however long the query.

The larger the spread of the weights, the sooner both bounds bite: this is why search gets faster
as q falls.
"""

from __future__ import annotations

import numpy as np

from qidf.kernels.bounds import gain
from qidf.kernels.jit import jit
from qidf.kernels.layout import (
    Forward,
    Leaders,
    Order,
    Postings,
    Prepared,
    Queries,
    Real,
    Rescoring,
    Scratch,
    Slots,
    Whole,
)
from qidf.kernels.leaders import enter, refresh
from qidf.kernels.narrowing import narrow
from qidf.kernels.postings import accumulate, prepare_term
from qidf.kernels.rescoring import CHUNK, SMALLEST_TABLE_BITS, fill_table, score_documents

Array = np.ndarray

# A float32 rounds by at most 2^-24 of its value; every term of a sum costs one rounding and a few
# in the making. Four times that is still far below any difference that matters.
ROUNDING = 2.0**-22
# Up to this many documents more than k, scoring all is cheaper than narrowing further.
SPARE = 16


@jit
def collect_slots(
    queries: Queries,
    query: Whole,
    postings: Postings,
    prepared: Prepared,
    slot_of: Array,
    slots: Slots,
    order: Order,
) -> tuple[int, int, Real]:
    """Find a query's distinct terms and order them, those that add to a score first.

    Returns how many slots there are, how many add, and the most that the others can take away.
    """
    num_slots = 0
    for at in range(queries.offsets[query], queries.offsets[query + 1]):
        name = queries.names[at]
        if name < 0 or queries.terms[name] < 0:
            continue
        if slot_of[name] < 0:
            term = queries.terms[name]
            if prepared.best_parts[term] < 0:
                prepare_term(postings, prepared, term)
            slot_of[name] = num_slots
            slots.terms[num_slots] = term
            slots.weights[num_slots] = 0.0
            slots.firsts[num_slots] = postings.starts[term]
            slots.lasts[num_slots] = postings.starts[term + 1]
            slots.tables[num_slots] = prepared.tables[term]
            slots.shifts[num_slots] = prepared.shifts[term]
            order.rest[num_slots] = prepared.best_parts[term]
            num_slots += 1
        slots.weights[slot_of[name]] += queries.weights[at]
    count = 0
    penalty = 0.0
    for at, slot in enumerate(np.argsort(-slots.weights[:num_slots], kind="mergesort")):
        order.prefix[slot] = slots.weights[slot] * order.rest[slot]
        order.slots[at] = slot
        order.weights[at] = slots.weights[slot]
        if slots.weights[slot] > 0:
            count += 1
        else:
            penalty += order.prefix[slot]
    order.rest[count] = 0.0
    for at in range(count - 1, -1, -1):
        order.rest[at] = order.rest[at + 1] + order.prefix[order.slots[at]]
    order.prefix[0] = 0.0
    for at in range(count):
        order.prefix[at + 1] = order.prefix[at] + order.weights[at]
    return num_slots, count, penalty


# Functions that run for every document take bare arrays: taking one out of a tuple makes numba
# count references to it, which costs more than the work itself.


@jit
def meet(
    slots: Slots,
    order: Order,
    count: Whole,
    penalty: Real,
    margin: Real,
    target: Real,
    postings: Postings,
    prepared: Prepared,
    scratch: Scratch,
    excluded: Array,
    leaders: Leaders,
    counters: Array,
) -> tuple[Whole, Whole, Whole]:
    """Accumulate terms until a document that has not been met can't reach the target any more.

    Returns how many terms are done, how many documents were met, and how many of them lead. With
    fewer than k leaders, they are all documents that were met and may be found.
    """
    heap, heap_docs = leaders.scores, leaders.docs
    k = len(heap)
    docs, parts = postings.docs, prepared.parts
    sums, touched, in_heap = scratch.sums, scratch.touched, scratch.in_heap
    rest, prefix, weights = order.rest, order.prefix, order.weights
    any_budget = prepared.budgets[len(prepared.budgets) - 1]
    size = 0
    entry = np.float32(0.0)
    met = 0
    done = 0
    while done < count and gain(rest, prefix, weights, done, count, any_budget) >= target:
        slot = order.slots[done]
        weight = np.float32(weights[done])
        first, last = slots.firsts[slot], slots.lasts[slot]
        counters[0] += last - first
        while first <= last:
            first, met = accumulate(docs, parts, first, last, weight, sums, touched, met, entry)
            if first <= last:
                doc = docs[first - 1]
                if not in_heap[doc] and not (len(excluded) > 0 and excluded[doc]):
                    size = enter(heap, heap_docs, size, in_heap, doc, sums[doc])
                    if size == k:
                        entry = heap[0]
        done += 1
        if size == k:
            refresh(heap, heap_docs, sums)
            entry = heap[0]
            target = max(target, entry + penalty - margin * (entry - penalty))
    counters[1] += met
    return done, met, size


@jit
def rank_queries(
    queries: Queries,
    postings: Postings,
    forward: Forward,
    prepared: Prepared,
    scratch: Scratch,
    excluded: Array,
    k1: Real,
    b: Real,
    avg_doc_length: Real,
    base: Whole,
    positions: Array,
    scores: Array,
    counters: Array,
) -> None:
    """Merge a segment's best documents into each query's row of positions and scores.

    Rows hold earlier segments' results, padded with -1. `counters` adds up postings accumulated,
    documents met before pruning, documents carried on, and documents scored besides the leaders.
    """
    k = positions.shape[1]
    longest = 0
    for query in range(len(queries.offsets) - 1):
        longest = max(longest, queries.offsets[query + 1] - queries.offsets[query])
    slot_of = np.full(len(queries.terms), -1, np.int32)
    slots = Slots(
        np.empty(longest, np.uint32),
        np.empty(longest, np.float64),
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.empty(longest, np.uint8),
    )
    order = Order(
        np.empty(longest, np.int64),
        np.empty(longest, np.float64),
        np.empty(longest + 1, np.float64),
        np.empty(longest + 1, np.float64),
    )
    table_size = 1 << SMALLEST_TABLE_BITS
    while table_size < 4 * longest:
        table_size *= 2
    rescoring = Rescoring(
        np.empty(longest, np.int64),
        np.empty(longest, np.float64),
        np.empty(table_size, np.uint32),
        np.empty(table_size, np.int32),
        np.empty((longest, CHUNK), np.float64),
        np.empty(CHUNK, np.float64),
        np.empty(CHUNK, np.float32),
        np.zeros(1, np.uint64),
    )
    leaders = Leaders(np.empty(k, np.float32), np.empty(k, np.uint32))
    floors = np.empty(len(prepared.budgets), np.float32)
    sums, touched, in_heap = scratch.sums, scratch.touched, scratch.in_heap

    for query in range(len(queries.offsets) - 1):
        begin, end = queries.offsets[query], queries.offsets[query + 1]
        num_slots, count, penalty = collect_slots(
            queries, query, postings, prepared, slot_of, slots, order
        )
        margin = 2.0 * (end - begin + 16) * ROUNDING
        known = 0
        while known < k and positions[query, known] >= 0:
            known += 1
        reached = np.float64(scores[query, k - 1]) if known == k else 0.0
        target = reached - margin * (reached - 2.0 * penalty)
        done, met, leading = meet(
            slots, order, count, penalty, margin, target, postings, prepared, scratch, excluded,
            leaders, counters,
        )  # fmt: skip

        num_tokens = 0
        for token in range(begin, end):
            name = queries.names[token]
            if name >= 0 and slot_of[name] >= 0:
                rescoring.token_slots[num_tokens] = slot_of[name]
                rescoring.token_weights[num_tokens] = queries.weights[token]
                num_tokens += 1
        num_bits = fill_table(slots.terms, num_slots, rescoring.table_terms, rescoring.table_slots)
        for at in range(leading):
            sums[leaders.docs[at]] = 0
            in_heap[leaders.docs[at]] = 0
        known = score_documents(
            leaders.docs, leading, rescoring, num_slots, num_tokens, num_bits, slots, postings,
            forward, prepared, k1, b, avg_doc_length, base, positions[query], scores[query], known,
        )  # fmt: skip
        if leading < k:
            for at in range(met):
                sums[touched[at]] = 0
        else:
            reached = np.float64(scores[query, k - 1]) if known == k else 0.0
            target = reached - margin * (reached - 2.0 * penalty)
            left = narrow(
                slots, num_slots, order, done, count, target, k + SPARE, postings, prepared,
                scratch, met, excluded, floors, counters,
            )  # fmt: skip
            counters[3] += left
            score_documents(
                touched, left, rescoring, num_slots, num_tokens, num_bits, slots, postings, forward,
                prepared, k1, b, avg_doc_length, base, positions[query], scores[query], known,
            )  # fmt: skip
        for token in range(begin, end):
            if queries.names[token] >= 0:
                slot_of[queries.names[token]] = -1
