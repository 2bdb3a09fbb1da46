"""Exact top-k without reading most of the postings.

Terms are taken by decreasing weight. Their postings are accumulated until no document that has not
been met yet can still reach the k-th best score known so far; from then on only documents already
met are carried on, and fewer after every term. What is accumulated are float32 approximations;
they decide only which documents can be in the top k, with a margin for their rounding. The scores
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

Array = np.ndarray

# A float32 has a rounding error of 2^-24 relative; each of a sum's terms costs one rounding and a
# few more in the making. Four times that is still far below any difference that matters.
ROUNDING = 2.0**-22
# What it costs to find a document in a term's postings, measured in postings accumulated.
PROBE_COST = 8


@jit
def seek(docs: Array, low: int, high: int, doc: int) -> int:
    """First position in docs[low:high] that holds `doc` or a later one, galloping from low."""
    if low >= high or docs[low] >= doc:
        return low
    step = 1
    before = low
    after = low + 1
    while after < high and docs[after] < doc:
        before = after
        step *= 2
        after = before + step
    after = min(after, high)
    before += 1
    while before < after:
        middle = (before + after) >> 1
        if docs[middle] < doc:
            before = middle + 1
        else:
            after = middle
    return before


@jit
def best_part(starts: Array, docs: Array, tfs: Array, norms: Array, term: int) -> float:
    """The highest tf / (K + tf) among a term's postings."""
    highest = np.float32(0.0)
    for position in range(starts[term], starts[term + 1]):
        tf = np.float32(tfs[position])
        highest = max(highest, tf / (norms[docs[position]] + tf))
    return highest


@jit
def enter(heap: Array, heap_docs: Array, size: int, in_heap: Array, doc: int, score: float) -> int:
    """Put a document's partial score among the k best, or raise it there; return how many."""
    k = len(heap)
    if in_heap[doc]:
        at = 0
        while heap_docs[at] != doc:
            at += 1
    elif size < k:
        at = size
        size += 1
        in_heap[doc] = 1
        while at > 0 and heap[(at - 1) >> 1] > score:
            heap[at] = heap[(at - 1) >> 1]
            heap_docs[at] = heap_docs[(at - 1) >> 1]
            at = (at - 1) >> 1
    else:
        in_heap[heap_docs[0]] = 0
        in_heap[doc] = 1
        at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= score:
            break
        heap[at] = heap[child]
        heap_docs[at] = heap_docs[child]
        at = child
    heap[at] = score
    heap_docs[at] = doc
    return size


@jit
def budgeted(prefix: Array, weights: Array, first: int, count: int, budget: float) -> float:
    """Sum of the `budget` highest weights from `first` on, the last one in part."""
    whole = int(budget)
    last = first + whole
    if last >= count:
        return prefix[count] - prefix[first]
    return prefix[last] - prefix[first] + (budget - whole) * weights[last]


@jit
def rank_queries(
    occurrences: Array,
    offsets: Array,
    segment_terms: Array,
    term_weights: Array,
    starts: Array,
    docs: Array,
    tfs: Array,
    lengths: Array,
    excluded: Array,
    k1: float,
    b: float,
    avg_doc_length: float,
    norms: Array,
    parts: Array,
    buckets: Array,
    budgets: Array,
    sums: Array,
    touched: Array,
    in_heap: Array,
    base: int,
    positions: Array,
    scores: Array,
    counters: Array,
) -> None:
    """Merge a segment's best documents into each query's row of positions and scores."""
    k = positions.shape[1]
    has_excluded = len(excluded) > 0
    longest = 0
    for query in range(len(offsets) - 1):
        longest = max(longest, offsets[query + 1] - offsets[query])
    slot_of = np.full(len(segment_terms), -1, np.int32)
    slot_terms = np.empty(longest, np.int32)
    slot_weights = np.empty(longest, np.float64)
    terms = np.empty(longest, np.int32)
    weights = np.empty(longest, np.float64)
    prefix = np.empty(longest + 1, np.float64)
    rest = np.empty(longest + 1, np.float64)
    heap = np.empty(k, np.float32)
    heap_docs = np.empty(k, np.int32)
    floors = np.empty(len(budgets), np.float32)
    final_docs = np.empty(k, np.int64)
    final_scores = np.empty(k, np.float32)

    for query in range(len(offsets) - 1):
        # Distinct known terms, weighted by how often the query has them.
        num_slots = 0
        for at in range(offsets[query], offsets[query + 1]):
            name = occurrences[at]
            if name < 0 or segment_terms[name] < 0:
                continue
            if slot_of[name] < 0:
                slot_of[name] = num_slots
                slot_terms[num_slots] = segment_terms[name]
                slot_weights[num_slots] = 0.0
                num_slots += 1
            slot_weights[slot_of[name]] += term_weights[name]

        # Terms by decreasing weight; those that only take away come last and never add a document.
        order = np.argsort(-slot_weights[:num_slots], kind="mergesort")
        count = 0
        penalty = 0.0
        for at in range(num_slots):
            slot = order[at]
            term = slot_terms[slot]
            part = parts[term]
            if part < 0:
                part = best_part(starts, docs, tfs, norms, term)
                parts[term] = part
            if slot_weights[slot] > 0:
                terms[count] = term
                weights[count] = slot_weights[slot]
                rest[count] = slot_weights[slot] * part
                count += 1
            else:
                penalty += slot_weights[slot] * part
        prefix[0] = 0.0
        for at in range(count):
            prefix[at + 1] = prefix[at] + weights[at]
        rest[count] = 0.0
        for at in range(count - 1, -1, -1):
            rest[at] += rest[at + 1]
        margin = 2.0 * (num_slots + 16) * ROUNDING

        # The score a document must reach: the k-th best of earlier segments, then of this one.
        known = 0
        while known < k and positions[query, known] >= 0:
            known += 1
        earlier = np.float64(scores[query, k - 1]) if known == k else 0.0
        target = earlier * (1.0 - margin)
        heap_size = 0
        entry = np.float32(0.0)

        # Meet documents.
        num_touched = 0
        done = 0
        while done < count:
            bound = min(
                rest[done], budgeted(prefix, weights, done, count, budgets[len(budgets) - 1])
            )
            if bound < target:
                break
            weight = np.float32(weights[done])
            first, last = starts[terms[done]], starts[terms[done] + 1]
            counters[0] += last - first
            for position in range(first, last):
                doc = docs[position]
                tf = np.float32(tfs[position])
                before = sums[doc]
                touched[num_touched] = doc
                num_touched += before == 0
                after = before + weight * (tf / (norms[doc] + tf))
                sums[doc] = after
                if after > entry and not (has_excluded and excluded[doc]):
                    heap_size = enter(heap, heap_docs, heap_size, in_heap, doc, after)
                    if heap_size == k:
                        entry = heap[0]
            if heap_size == k:
                reached = entry + penalty - margin * (entry - penalty)
                target = max(target, reached)
            done += 1

        # Carry on only the documents that can still reach it.
        counters[1] += num_touched
        num_left = num_touched
        while True:
            for bucket in range(len(budgets)):
                gain = min(rest[done], budgeted(prefix, weights, done, count, budgets[bucket]))
                floors[bucket] = target - gain
            kept = 0
            for at in range(num_left):
                doc = touched[at]
                if sums[doc] >= floors[buckets[doc]] and not (has_excluded and excluded[doc]):
                    touched[kept] = doc
                    kept += 1
                else:
                    sums[doc] = 0
            num_left = kept
            if done == count:
                break
            counters[2] += num_left
            weight = np.float32(weights[done])
            first, last = starts[terms[done]], starts[terms[done] + 1]
            if num_left * PROBE_COST < last - first:
                touched[:num_left].sort()
                at_posting = first
                for at in range(num_left):
                    doc = touched[at]
                    at_posting = seek(docs, at_posting, last, doc)
                    if at_posting < last and docs[at_posting] == doc:
                        tf = np.float32(tfs[at_posting])
                        after = sums[doc] + weight * (tf / (norms[doc] + tf))
                        sums[doc] = after
                        if after > entry:
                            heap_size = enter(heap, heap_docs, heap_size, in_heap, doc, after)
                            if heap_size == k:
                                entry = heap[0]
            else:
                counters[0] += last - first
                for position in range(first, last):
                    doc = docs[position]
                    before = sums[doc]
                    tf = np.float32(tfs[position])
                    after = before + weight * (tf / (norms[doc] + tf))
                    after = after if before > 0 else before
                    sums[doc] = after
                    if after > entry:
                        heap_size = enter(heap, heap_docs, heap_size, in_heap, doc, after)
                        if heap_size == k:
                            entry = heap[0]
            if heap_size == k:
                reached = entry + penalty - margin * (entry - penalty)
                target = max(target, reached)
            done += 1
        for at in range(heap_size):
            in_heap[heap_docs[at]] = 0

        # Score what is left by the definition and merge it, documents in order, into the row.
        counters[3] += num_left
        touched[:num_left].sort()
        for at in range(num_left):
            doc = touched[at]
            sums[doc] = 0
            norm = k1 * ((1.0 - b) + b * lengths[doc] / avg_doc_length)
            for slot in range(num_slots):
                term = slot_terms[slot]
                last = starts[term + 1]
                position = seek(docs, starts[term], last, doc)
                slot_weights[slot] = 0.0
                if position < last and docs[position] == doc:
                    tf = np.float64(tfs[position])
                    slot_weights[slot] = tf / (norm + tf)
            total = np.float32(0.0)
            for at_token in range(offsets[query], offsets[query + 1]):
                name = occurrences[at_token]
                if name >= 0 and slot_of[name] >= 0:
                    part64 = slot_weights[slot_of[name]]
                    total += np.float32(np.float64(term_weights[name]) * part64)
            if total <= 0 or (known == k and total <= scores[query, k - 1]):
                continue
            place = min(known, k - 1)
            known = min(known + 1, k)
            while place > 0 and scores[query, place - 1] < total:
                scores[query, place] = scores[query, place - 1]
                positions[query, place] = positions[query, place - 1]
                place -= 1
            scores[query, place] = total
            positions[query, place] = base + doc
        for at in range(offsets[query], offsets[query + 1]):
            if occurrences[at] >= 0:
                slot_of[occurrences[at]] = -1
