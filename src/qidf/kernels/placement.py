"""At which rank is this document? Counting the documents before it, and nothing else.

An evaluation asks only where the relevant documents are, and that takes less than ranking: the
score to beat is known before the first posting is read, so pruning starts there, and once `limit`
documents are surely ahead the rest doesn't matter.

Terms are taken by decreasing bound on what they add. Their postings are accumulated while a
document that has not been met yet could still come out ahead; then only documents already met are
carried on. Sums decide which documents are surely ahead or surely not, with a margin for the
rounding of the definition in index/scoring.py; the few in between are scored by that definition,
so that the rank is the one that ranking everything would give.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qidf.kernels.jit import jit
from qidf.kernels.layout import Postings, Queries, Real, Whole

Array = np.ndarray

# A float32 rounds by at most 2^-24 of its value, once for every token and a few times in the making
# of its tf part; twice that is still far below any difference that matters.
ROUNDING = 2.0**-23
SPARE_ROUNDINGS = 8
# Finding one document among a term's postings costs about as much as accumulating this many.
PROBE_COST = 8


class Terms(NamedTuple):
    """A query's distinct terms: weight, postings[firsts:lasts], and a tf part of one document."""

    weights: Array
    firsts: Array
    lasts: Array
    parts: Array


class Adding(NamedTuple):
    """The terms that add to a score, by decreasing bound; rest[i] bounds what i and later add."""

    order: Array
    rest: Array


class Sums(NamedTuple):
    """Memory reused from query to query; `values` is all zero between queries."""

    values: Array
    touched: Array


@jit
def find_posting(docs: Array, low: Whole, high: Whole, doc: Whole) -> Whole:
    """Position of a document among ascending docs[low:high], or -1."""
    end = high
    while low < high:
        middle = (low + high) >> 1
        if docs[middle] < doc:
            low = middle + 1
        else:
            high = middle
    return low if low < end and docs[low] == doc else -1


@jit
def exact_score(
    queries: Queries,
    query: Whole,
    postings: Postings,
    norms: Array,
    term_of: Array,
    terms: Terms,
    num_terms: Whole,
    doc: Whole,
) -> Real:
    """A document's score by the definition: a float32 sum in the order of the query's tokens."""
    for at in range(num_terms):
        position = find_posting(postings.docs, terms.firsts[at], terms.lasts[at], doc)
        terms.parts[at] = 0.0
        if position >= 0:
            tf = np.float64(postings.tfs[position])
            terms.parts[at] = tf / (norms[doc] + tf)
    total = np.float32(0.0)
    for token in range(queries.offsets[query], queries.offsets[query + 1]):
        name = queries.names[token]
        if name >= 0 and term_of[name] >= 0:
            weight = np.float64(queries.weights[token])
            total += np.float32(weight * terms.parts[term_of[name]])
    return total


@jit
def collect_terms(
    queries: Queries,
    query: Whole,
    postings: Postings,
    best_parts: Array,
    term_of: Array,
    terms: Terms,
    adding: Adding,
) -> tuple[int, int, Real]:
    """Find a query's distinct terms and order those that add to a score.

    Returns how many there are, how many add, and the most that the others can take away.
    """
    num_terms = 0
    for at in range(queries.offsets[query], queries.offsets[query + 1]):
        name = queries.names[at]
        if name < 0 or queries.terms[name] < 0:
            continue
        if term_of[name] < 0:
            term = queries.terms[name]
            term_of[name] = num_terms
            terms.weights[num_terms] = 0.0
            terms.firsts[num_terms] = postings.starts[term]
            terms.lasts[num_terms] = postings.starts[term + 1]
            terms.parts[num_terms] = best_parts[term]
            num_terms += 1
        terms.weights[term_of[name]] += queries.weights[at]
    bounds = terms.weights[:num_terms] * terms.parts[:num_terms]
    count = 0
    penalty = 0.0
    for at in np.argsort(-bounds, kind="mergesort"):
        if bounds[at] > 0:
            adding.order[count] = at
            count += 1
        else:
            penalty += bounds[at]
    adding.rest[count] = 0.0
    for at in range(count - 1, -1, -1):
        adding.rest[at] = adding.rest[at + 1] + bounds[adding.order[at]]
    return num_terms, count, penalty


@jit
def clear(sums: Sums, num_touched: Whole) -> None:
    """Zero the sums of documents still listed."""
    for at in range(num_touched):
        sums.values[sums.touched[at]] = 0.0


@jit
def accumulate_all(
    docs: Array,
    parts: Array,
    first: Whole,
    last: Whole,
    weight: Real,
    sums: Sums,
    num_touched: Whole,
    sure: Real,
) -> tuple[Whole, Whole]:
    """Add a term to its documents and list the new ones; say how many passed `sure` just now."""
    values, touched = sums.values, sums.touched
    count = np.uint64(num_touched)
    passed = 0
    for position in range(np.uint64(first), np.uint64(last)):
        doc = docs[position]
        before = values[doc]
        after = before + weight * parts[position]
        values[doc] = after
        touched[count] = doc
        count += np.uint64(before == 0)
        passed += (after > sure) & (before <= sure)
    return np.int64(count), passed


@jit
def accumulate_met(
    docs: Array, parts: Array, first: Whole, last: Whole, weight: Real, sums: Sums, num_left: Whole
) -> None:
    """Add a term to the documents still listed, by looking each up or by walking the postings."""
    values, touched = sums.values, sums.touched
    if num_left * PROBE_COST < last - first:
        for at in range(num_left):
            doc = touched[at]
            position = find_posting(docs, first, last, doc)
            if position >= 0:
                values[doc] += weight * parts[position]
        return
    for position in range(np.uint64(first), np.uint64(last)):
        doc = docs[position]
        before = values[doc]
        values[doc] = before + weight * parts[position] if before > 0 else before


@jit
def keep_open(sums: Sums, num_left: Whole, least: Real, sure: Real) -> tuple[Whole, Whole]:
    """Keep documents that are neither lost nor surely ahead; say how many are left, and ahead."""
    values, touched = sums.values, sums.touched
    kept = 0
    ahead = 0
    for at in range(num_left):
        doc = touched[at]
        if least <= values[doc] <= sure:
            touched[kept] = doc
            kept += 1
        else:
            ahead += values[doc] > sure
            values[doc] = 0.0
    return kept, ahead


@jit
def place_document(
    queries: Queries,
    query: Whole,
    postings: Postings,
    parts: Array,
    norms: Array,
    term_of: Array,
    terms: Terms,
    num_terms: Whole,
    adding: Adding,
    count: Whole,
    penalty: Real,
    doc: Whole,
    hidden: Whole,
    limit: Whole,
    sums: Sums,
) -> Whole:
    """A document's rank from 1; 0 where it is beyond `limit` or not found at all."""
    score = exact_score(queries, query, postings, norms, term_of, terms, num_terms, doc)
    if score <= 0:
        return 0
    num_tokens = queries.offsets[query + 1] - queries.offsets[query]
    margin = (num_tokens + SPARE_ROUNDINGS) * ROUNDING
    # With a sum of p over the terms that add, the definition gives a score between
    # p (1 - margin) + penalty (1 + margin) and p (1 + margin) - penalty margin.
    least = (score + penalty * margin) / (1.0 + margin)
    sure = (score - penalty * (1.0 + margin)) / (1.0 - margin)
    docs, values = postings.docs, sums.values
    ahead = 0
    left = 0
    done = 0
    # The document itself is never ahead of itself, nor is the hidden one; both may pass `sure`.
    spare = 2
    while done < count and adding.rest[done] >= least:
        at = adding.order[done]
        left, passed = accumulate_all(
            docs, parts, terms.firsts[at], terms.lasts[at], terms.weights[at], sums, left, sure
        )
        done += 1
        ahead += passed
        if ahead >= limit + spare:
            clear(sums, left)
            return 0
    ahead = -(1 if values[doc] > sure else 0)
    if hidden >= 0 and hidden != doc:
        if values[hidden] > sure:
            ahead -= 1
        else:
            # Or it would be counted when a later term takes it past `sure`.
            values[hidden] = 0
    while True:
        left, passed = keep_open(sums, left, least - adding.rest[done], sure)
        ahead += passed
        if ahead >= limit:
            clear(sums, left)
            return 0
        if left == 0 or done == count:
            break
        at = adding.order[done]
        accumulate_met(
            docs, parts, terms.firsts[at], terms.lasts[at], terms.weights[at], sums, left
        )
        done += 1
    for at in range(left):
        other = np.int64(sums.touched[at])
        if other != doc and other != hidden and ahead < limit:
            rival = exact_score(queries, query, postings, norms, term_of, terms, num_terms, other)
            ahead += rival > score or (rival == score and other < doc)
    clear(sums, left)
    return ahead + 1 if ahead < limit else 0


@jit
def place_documents(
    queries: Queries,
    postings: Postings,
    parts: Array,
    best_parts: Array,
    norms: Array,
    wanted_offsets: Array,
    wanted: Array,
    hidden: Array,
    limit: Whole,
    ranks: Array,
) -> None:
    """Write the rank of each query's wanted documents, given by number or -1 where unknown.

    `hidden` names a document that each query is not to find, or -1.
    """
    longest = 0
    for query in range(len(queries.offsets) - 1):
        longest = max(longest, queries.offsets[query + 1] - queries.offsets[query])
    term_of = np.full(len(queries.terms), -1, np.int32)
    terms = Terms(
        np.empty(longest, np.float64),
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.empty(longest, np.float64),
    )
    adding = Adding(np.empty(longest, np.int64), np.empty(longest + 1, np.float64))
    sums = Sums(np.zeros(len(norms), np.float64), np.empty(len(norms) + 1, np.uint32))
    for query in range(len(queries.offsets) - 1):
        num_terms, count, penalty = collect_terms(
            queries, query, postings, best_parts, term_of, terms, adding
        )
        for at in range(wanted_offsets[query], wanted_offsets[query + 1]):
            ranks[at] = 0
            if wanted[at] >= 0 and wanted[at] != hidden[query]:
                ranks[at] = place_document(
                    queries, query, postings, parts, norms, term_of, terms, num_terms, adding,
                    count, penalty, wanted[at], hidden[query], limit, sums,
                )  # fmt: skip
        for token in range(queries.offsets[query], queries.offsets[query + 1]):
            if queries.names[token] >= 0:
                term_of[queries.names[token]] = -1
