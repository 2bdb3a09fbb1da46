"""Inverting and merging postings, against dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.kernels.invert import copy_live, count_live, count_postings, fill_postings

NUM_TERMS = 8
Postings = dict[int, list[tuple[int, int]]]
token_lists = st.lists(st.lists(st.integers(0, NUM_TERMS - 1), max_size=12), max_size=10)


def inverted(documents: list[list[int]]) -> Postings:
    """Each term's documents and tfs, by counting every document."""
    postings: Postings = {term: [] for term in range(NUM_TERMS)}
    for doc, tokens in enumerate(documents):
        for term, tf in sorted(Counter(tokens).items()):
            postings[term].append((doc, tf))
    return postings


def as_arrays(postings: Postings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sizes = [len(postings[term]) for term in range(NUM_TERMS)]
    flat = [posting for term in range(NUM_TERMS) for posting in postings[term]]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    docs = np.array([doc for doc, _ in flat], np.uint32)
    return starts, docs, np.array([tf for _, tf in flat], np.uint16)


def stream(documents: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(tokens) for tokens in documents])])
    tokens = [token for document in documents for token in document]
    return np.array(tokens, np.int32), offsets.astype(np.int64)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(documents=token_lists)
def test_postings_are_what_counting_each_document_gives(documents: list[list[int]]) -> None:
    starts, docs, tfs = as_arrays(inverted(documents))
    term_ids, offsets = stream(documents)
    doc_freqs, last_doc = np.zeros(NUM_TERMS, np.int64), np.full(NUM_TERMS, -1, np.int32)
    assert count_postings(term_ids, offsets, doc_freqs, last_doc) == (
        len(docs),
        max(map(len, documents), default=0),
    )
    assert doc_freqs.tolist() == np.diff(starts).tolist()

    found_docs, found_tfs = np.empty(len(docs), np.uint32), np.empty(len(docs), np.uint16)
    last_doc.fill(-1)
    fill_postings(term_ids, offsets, starts[:-1].copy(), last_doc, found_docs, found_tfs)
    assert found_docs.tolist() == docs.tolist()
    assert found_tfs.tolist() == tfs.tolist()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(documents=token_lists, gone=st.sets(st.integers(0, 9)))
def test_live_counts_are_those_of_the_documents_left(
    documents: list[list[int]], gone: set[int]
) -> None:
    deleted = np.array([doc in gone for doc in range(len(documents))], np.uint8)
    left = inverted([tokens for doc, tokens in enumerate(documents) if doc not in gone])
    doc_freqs, collection_freqs = np.empty(NUM_TERMS, np.int64), np.empty(NUM_TERMS, np.int64)
    count_live(*as_arrays(inverted(documents)), deleted, doc_freqs, collection_freqs)
    assert doc_freqs.tolist() == [len(left[term]) for term in range(NUM_TERMS)]
    assert collection_freqs.tolist() == [
        sum(tf for _, tf in left[term]) for term in range(NUM_TERMS)
    ]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    first=token_lists,
    second=token_lists,
    gone=st.sets(st.integers(0, 9)),
    order=st.permutations(range(NUM_TERMS)),
)
def test_merging_two_segments_gives_the_postings_of_their_documents_together(
    first: list[list[int]], second: list[list[int]], gone: set[int], order: list[int]
) -> None:
    """The first segment loses documents; both number their terms otherwise than the result."""
    kept = [doc for doc in range(len(first)) if doc not in gone]
    new_terms = np.array(order, np.int32)
    together = [*(first[doc] for doc in kept), *second]
    wanted = as_arrays(inverted([[order[term] for term in tokens] for tokens in together]))

    starts, docs, tfs = wanted[0], np.empty_like(wanted[1]), np.empty_like(wanted[2])
    heads = starts[:-1].copy()
    renumbered = np.full(len(first), -1, np.int32)
    renumbered[kept] = np.arange(len(kept))
    # A term whose documents are all gone has no place in the merged segment.
    live = as_arrays(inverted([first[doc] for doc in kept]))[0]
    first_terms = np.where(np.diff(live) > 0, new_terms, -1).astype(np.int32)
    copy_live(*as_arrays(inverted(first)), renumbered, first_terms, heads, docs, tfs)
    moved = np.arange(len(kept), len(together), dtype=np.int32)
    copy_live(*as_arrays(inverted(second)), moved, new_terms, heads, docs, tfs)

    assert heads.tolist() == starts[1:].tolist()
    assert docs.tolist() == wanted[1].tolist()
    assert tfs.tolist() == wanted[2].tolist()


@pytest.mark.parametrize("tf", [2**16 - 1, 2**16, 2**17 + 3])
def test_a_tf_may_pass_sixteen_bits(tf: int) -> None:
    term_ids, offsets = np.zeros(tf, np.int32), np.array([0, tf], np.int64)
    docs, tfs = np.empty(1, np.uint32), np.empty(1, np.uint32)
    fill_postings(term_ids, offsets, np.zeros(1, np.int64), np.array([-1], np.int32), docs, tfs)
    assert tfs.tolist() == [tf]
