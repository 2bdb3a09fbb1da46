"""The groups of arrays that search kernels take."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# Scalars in kernels take the width of the arrays they come from; numba infers it, mypy can't.
Real = Any
Whole = Any


class Postings(NamedTuple):
    """A segment: term t is in docs[starts[t]:starts[t+1]], tfs times; documents have lengths."""

    starts: np.ndarray
    docs: np.ndarray
    tfs: np.ndarray
    lengths: np.ndarray


class Forward(NamedTuple):
    """A segment by document: d has terms[starts[d]:starts[d+1]], tfs times; empty until made."""

    starts: np.ndarray
    terms: np.ndarray
    tfs: np.ndarray


class Prepared(NamedTuple):
    """What depends on k1, b and the mean length alone; per-term entries are filled on first use.

    `parts` holds tf / (K + tf) for every posting and `best_parts` the highest for every term, -1
    until the term is prepared. `marks` holds the terms' words (postings.prepare_term), a term's
    from `tables[term]` on, `num_words[0]` so far. Documents fall into length `buckets`, and
    `budgets` bounds what a document of a bucket can gain.
    """

    norms: np.ndarray
    parts: np.ndarray
    best_parts: np.ndarray
    marks: np.ndarray
    tables: np.ndarray
    shifts: np.ndarray
    num_words: np.ndarray
    buckets: np.ndarray
    budgets: np.ndarray


class Scratch(NamedTuple):
    """Memory reused from query to query; `sums` and `in_heap` are all zero between queries."""

    sums: np.ndarray
    touched: np.ndarray
    left_sums: np.ndarray
    in_heap: np.ndarray


class Queries(NamedTuple):
    """Query i has the tokens names[offsets[i]:offsets[i+1]]; name n is term terms[n], or -1.

    Each position has a weight of its own; a token that a query says again may be there again.
    """

    names: np.ndarray
    offsets: np.ndarray
    terms: np.ndarray
    weights: np.ndarray


class Slots(NamedTuple):
    """A query's distinct terms: where their postings and marks are."""

    terms: np.ndarray
    weights: np.ndarray
    firsts: np.ndarray
    lasts: np.ndarray
    tables: np.ndarray
    shifts: np.ndarray


class Order(NamedTuple):
    """The slots by decreasing weight, and bounds on what is left of those that add to a score.

    prefix[i] is the sum of the weights before i, rest[i] bounds what slots from i on can add.
    """

    slots: np.ndarray
    weights: np.ndarray
    prefix: np.ndarray
    rest: np.ndarray


class Leaders(NamedTuple):
    """A heap of the k best partial scores met so far, the lowest first."""

    scores: np.ndarray
    docs: np.ndarray


class Rescoring(NamedTuple):
    """A query's tokens and memory for scoring documents by the definition.

    The table hashes terms to slots; `parts` has a row for each slot and a column for each document
    of a chunk. `touch` keeps the compiler from leaving out reads made for their side effect.
    """

    token_slots: np.ndarray
    token_weights: np.ndarray
    table_terms: np.ndarray
    table_slots: np.ndarray
    parts: np.ndarray
    norms: np.ndarray
    totals: np.ndarray
    touch: np.ndarray
