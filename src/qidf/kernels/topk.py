"""Exact top-k without reading most of the postings.

Terms are taken by decreasing weight. Their postings are accumulated until no document that has not
been met yet can still reach the k-th best score known so far; from then on only documents already
met are carried on, fewer after every term. What is accumulated are float32 approximations; they
decide only which documents can be among the k best, with a margin for their rounding. The scores
returned are computed afresh, in the order of the query's tokens, by the definition in
index/scoring.py, so that the result has the bits that exhaustive scoring gives.

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

from qidf.kernels.jit import jit
from qidf.kernels.layout import (
    Leaders,
    Order,
    Postings,
    Prepared,
    Queries,
    Real,
    Scratch,
    Slots,
    Whole,
)
from qidf.kernels.leaders import enter, place_of, sort_few
from qidf.kernels.postings import accumulate, accumulate_met, find, prepare_term

Array = np.ndarray

# A float32 rounds by at most 2^-24 of its value; every term of a sum costs one rounding and a few
# in the making. Four times that is still far below any difference that matters.
ROUNDING = 2.0**-22
# Finding one document among a term's postings costs about as much as accumulating this many.
PROBE_COST = 8
# Below this many documents it is cheaper to bound each one than to tabulate bounds by length.
FEW = 64
# Documents scored at a time at the end: a term's postings stay in cache while all of them look.
CHUNK = 128


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
    """Find a query's distinct terms and order those that add to a score.

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
            slots.weights[num_slots] = 0.0
            slots.firsts[num_slots] = postings.starts[term]
            slots.lasts[num_slots] = postings.starts[term + 1]
            slots.skips[num_slots] = prepared.skip_starts[term]
            slots.shifts[num_slots] = prepared.skip_shifts[term]
            order.rest[num_slots] = prepared.best_parts[term]
            num_slots += 1
        slots.weights[slot_of[name]] += queries.weights[name]
    count = 0
    penalty = 0.0
    for slot in np.argsort(-slots.weights[:num_slots], kind="mergesort"):
        order.prefix[slot] = slots.weights[slot] * order.rest[slot]
        if slots.weights[slot] > 0:
            order.slots[count] = slot
            order.weights[count] = slots.weights[slot]
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


# The functions below that run for every document take bare arrays: taking one out of a tuple makes
# numba count references to it, which costs more than the work itself.


@jit
def gain(
    rest: Array, prefix: Array, weights: Array, done: Whole, count: Whole, budget: Real
) -> Real:
    """The most that terms from `done` on can add to a document of this budget."""
    whole = np.int64(budget)
    last = done + whole
    if last >= count:
        return min(rest[done], prefix[count] - prefix[done])
    in_full = prefix[last] - prefix[done]
    return min(rest[done], in_full + (budget - whole) * weights[last])


@jit
def keep_reachable(
    target: Real,
    rest: Array,
    prefix: Array,
    weights: Array,
    done: Whole,
    count: Whole,
    buckets: Array,
    budgets: Array,
    sums: Array,
    touched: Array,
    num_left: Whole,
    excluded: Array,
    floors: Array,
) -> Whole:
    """Drop documents that can't reach the target any more; return how many are left."""
    tabulate = num_left > FEW
    if tabulate:
        for bucket in range(len(budgets)):
            floors[bucket] = target - gain(rest, prefix, weights, done, count, budgets[bucket])
    # Longer documents can gain more; most documents fail even the longest ones' bound.
    lowest = target - gain(rest, prefix, weights, done, count, budgets[len(budgets) - 1])
    kept = 0
    for at in range(num_left):
        doc = touched[at]
        reachable = sums[doc] >= lowest
        if reachable:
            if tabulate:
                reachable = sums[doc] >= floors[buckets[doc]]
            else:
                budget = budgets[buckets[doc]]
                reachable = sums[doc] >= target - gain(rest, prefix, weights, done, count, budget)
        if reachable and not (len(excluded) > 0 and excluded[doc]):
            touched[kept] = doc
            kept += 1
        else:
            sums[doc] = 0
    return kept


@jit
def find_candidates(
    slots: Slots,
    num_tokens: Whole,
    order: Order,
    count: Whole,
    penalty: Real,
    earlier: Real,
    postings: Postings,
    prepared: Prepared,
    scratch: Scratch,
    excluded: Array,
    leaders: Leaders,
    floors: Array,
    counters: Array,
) -> Whole:
    """List in `touched` every document that can be among the k best; return how many.

    `earlier` is the score a document must exceed because of segments searched before this one.
    """
    heap, heap_docs = leaders.scores, leaders.docs
    k = len(heap)
    docs, parts, skips = postings.docs, prepared.parts, prepared.skips
    sums, touched, in_heap = scratch.sums, scratch.touched, scratch.in_heap
    buckets, budgets = prepared.buckets, prepared.budgets
    rest, prefix, weights = order.rest, order.prefix, order.weights
    any_budget = budgets[len(budgets) - 1]
    margin = 2.0 * (num_tokens + 16) * ROUNDING
    target = earlier * (1.0 - margin)
    size = 0
    entry = np.float32(0.0)
    left = 0
    meeting = True
    done = 0
    while done < count:
        if meeting and gain(rest, prefix, weights, done, count, any_budget) < target:
            meeting = False
            counters[1] += left
        if not meeting:
            left = keep_reachable(
                target, rest, prefix, weights, done, count, buckets, budgets, sums, touched, left,
                excluded, floors,
            )  # fmt: skip
            # With hardly more than k left, scoring them all is cheaper than narrowing further.
            if left <= k + (k >> 2) + 4:
                break
        slot = order.slots[done]
        weight = np.float32(weights[done])
        first, last = slots.firsts[slot], slots.lasts[slot]
        if meeting:
            counters[0] += last - first
            while first <= last:
                first, left = accumulate(
                    docs, parts, first, last, weight, sums, touched, left, entry
                )
                if first <= last:
                    doc = docs[first - 1]
                    if not (len(excluded) > 0 and excluded[doc]):
                        size = enter(heap, heap_docs, size, in_heap, doc, sums[doc])
                        entry = heap[0] if size == k else np.float32(0.0)
        elif left * PROBE_COST < last - first:
            counters[2] += left
            table, shift = slots.skips[slot], slots.shifts[slot]
            for at in range(left):
                doc = touched[at]
                position = find(docs, first, last, skips, table, shift, doc)
                if position >= 0:
                    sums[doc] += weight * parts[position]
                    if sums[doc] > entry:
                        size = enter(heap, heap_docs, size, in_heap, doc, sums[doc])
                        entry = heap[0] if size == k else np.float32(0.0)
        else:
            counters[0] += last - first
            while first <= last:
                first = accumulate_met(docs, parts, first, last, weight, sums, entry)
                if first <= last:
                    doc = docs[first - 1]
                    size = enter(heap, heap_docs, size, in_heap, doc, sums[doc])
                    entry = heap[0] if size == k else np.float32(0.0)
        if size == k:
            reached = entry + penalty - margin * (entry - penalty)
            target = max(target, reached)
        done += 1
    if done == count:
        left = keep_reachable(
                target, rest, prefix, weights, done, count, buckets, budgets, sums, touched, left,
                excluded, floors,
            )  # fmt: skip
    for at in range(size):
        in_heap[heap_docs[at]] = 0
    return left


@jit
def rank_queries(
    queries: Queries,
    postings: Postings,
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
    documents met before pruning, documents probed, and documents scored in full.
    """
    k = positions.shape[1]
    longest = 0
    for query in range(len(queries.offsets) - 1):
        longest = max(longest, queries.offsets[query + 1] - queries.offsets[query])
    slot_of = np.full(len(queries.terms), -1, np.int32)
    slots = Slots(
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
    leaders = Leaders(np.empty(k, np.float32), np.empty(k, np.uint32))
    floors = np.empty(len(prepared.budgets), np.float32)
    chunk_parts = np.empty((longest, CHUNK), np.float64)
    chunk_norms = np.empty(CHUNK, np.float64)
    sums, touched = scratch.sums, scratch.touched
    docs, skips = postings.docs, prepared.skips

    for query in range(len(queries.offsets) - 1):
        num_slots, count, penalty = collect_slots(
            queries, query, postings, prepared, slot_of, slots, order
        )
        known = 0
        while known < k and positions[query, known] >= 0:
            known += 1
        earlier = np.float64(scores[query, k - 1]) if known == k else 0.0
        num_tokens = queries.offsets[query + 1] - queries.offsets[query]
        left = find_candidates(
            slots, num_tokens, order, count, penalty, earlier, postings, prepared, scratch,
            excluded, leaders, floors, counters,
        )  # fmt: skip
        counters[3] += left

        # Score by the definition; ascending documents put the earlier of equal ones first.
        sort_few(touched, left)
        for chunk in range(0, left, CHUNK):
            size = min(CHUNK, left - chunk)
            for at in range(size):
                doc = touched[chunk + at]
                sums[doc] = 0
                chunk_norms[at] = k1 * ((1.0 - b) + b * postings.lengths[doc] / avg_doc_length)
            for slot in range(num_slots):
                first, last = slots.firsts[slot], slots.lasts[slot]
                table, shift = slots.skips[slot], slots.shifts[slot]
                chunk_parts[slot, :size] = 0.0
                if last - first < size:
                    for position in range(first, last):
                        at = place_of(touched, chunk, chunk + size, docs[position]) - chunk
                        if at >= 0:
                            tf = np.float64(postings.tfs[position])
                            chunk_parts[slot, at] = tf / (chunk_norms[at] + tf)
                    continue
                for at in range(size):
                    position = find(docs, first, last, skips, table, shift, touched[chunk + at])
                    if position >= 0:
                        tf = np.float64(postings.tfs[position])
                        chunk_parts[slot, at] = tf / (chunk_norms[at] + tf)
            for at in range(size):
                total = np.float32(0.0)
                for token in range(queries.offsets[query], queries.offsets[query + 1]):
                    name = queries.names[token]
                    if name >= 0 and slot_of[name] >= 0:
                        part = chunk_parts[slot_of[name], at]
                        total += np.float32(np.float64(queries.weights[name]) * part)
                if total <= 0 or (known == k and total <= scores[query, k - 1]):
                    continue
                place = min(known, k - 1)
                known = min(known + 1, k)
                while place > 0 and scores[query, place - 1] < total:
                    scores[query, place] = scores[query, place - 1]
                    positions[query, place] = positions[query, place - 1]
                    place -= 1
                scores[query, place] = total
                positions[query, place] = base + np.int64(touched[chunk + at])
        for token in range(queries.offsets[query], queries.offsets[query + 1]):
            if queries.names[token] >= 0:
                slot_of[queries.names[token]] = -1
