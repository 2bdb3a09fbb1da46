"""Inverting and merging postings, against dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.native.inversion import copy_postings, count_postings, fill_postings, find_postings
from qidf.native.library import address

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
@given(documents=token_lists, cut=st.integers(0, 10), order=st.permutations(range(NUM_TERMS)))
def test_postings_are_what_counting_each_document_gives(
    documents: list[list[int]], cut: int, order: list[int]
) -> None:
    """In two streams, the second of which numbers its terms otherwise."""
    starts, docs, tfs = as_arrays(inverted(documents))
    new_ids = np.array(order, np.int32)
    streams = [stream(documents[:cut]), stream(documents[cut:])]
    streams[1] = (np.argsort(new_ids).astype(np.int32)[streams[1][0]], streams[1][1])
    firsts = [0, len(documents[:cut])]

    doc_freqs, last_doc = np.zeros(NUM_TERMS, np.int32), np.zeros(NUM_TERMS, np.uint32)
    counted = 0
    for (ids, offsets), first, map_of in zip(
        streams, firsts, (None, address(new_ids)), strict=True
    ):
        counted += count_postings(
            ids, map_of, offsets, len(offsets) - 1, first, last_doc, doc_freqs
        )
    assert counted == len(docs)
    assert doc_freqs.tolist() == np.diff(starts).tolist()

    found_docs, found_tfs = np.empty(len(docs), np.uint32), np.empty(len(docs), np.uint16)
    heads = starts[:-1].copy()
    for (ids, offsets), first in zip(streams, firsts, strict=True):
        fill_postings(
            ids, offsets, len(offsets) - 1, first, heads, found_docs, address(found_tfs), False
        )
    assert heads.tolist() == starts[1:].tolist()
    assert found_docs.tolist() == docs.tolist()
    assert found_tfs.tolist() == tfs.tolist()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(documents=token_lists, gone=st.sets(st.integers(0, 9)), room=st.integers(0, 5))
def test_postings_of_some_documents_are_found_where_they_are(
    documents: list[list[int]], gone: set[int], room: int
) -> None:
    _, docs, _ = as_arrays(inverted(documents))
    wanted = np.array([doc in gone for doc in range(len(documents))], np.uint8)
    expected = [place for place, doc in enumerate(docs.tolist()) if doc in gone]
    places = np.empty(len(docs) + 1, np.int64)
    assert find_postings(docs, len(docs), wanted, places, len(places)) == len(expected)
    assert places[: len(expected)].tolist() == expected
    # No more than there is room for.
    assert find_postings(docs, len(docs), wanted, places, room) == min(room, len(expected))


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
    moved = np.arange(len(kept), len(together), dtype=np.int32)
    for documents, new_docs, targets in (
        (first, renumbered, first_terms),
        (second, moved, new_terms),
    ):
        old_starts, old_docs, old_tfs = as_arrays(inverted(documents))
        copy_postings(
            old_starts,
            NUM_TERMS,
            old_docs,
            address(old_tfs),
            False,
            new_docs,
            targets,
            heads,
            docs,
            address(tfs),
        )

    assert heads.tolist() == starts[1:].tolist()
    assert docs.tolist() == wanted[1].tolist()
    assert tfs.tolist() == wanted[2].tolist()


@pytest.mark.parametrize("tf", [2**16 - 1, 2**16, 2**17 + 3])
def test_a_tf_may_pass_sixteen_bits(tf: int) -> None:
    term_ids, offsets = np.zeros(tf, np.int32), np.array([0, tf], np.int64)
    last_doc, doc_freqs = np.zeros(1, np.uint32), np.zeros(1, np.int32)
    assert count_postings(term_ids, None, offsets, 1, 0, last_doc, doc_freqs) == 1
    docs, tfs = np.empty(1, np.uint32), np.empty(1, np.uint32)
    fill_postings(term_ids, offsets, 1, 0, np.zeros(1, np.int64), docs, address(tfs), True)
    assert tfs.tolist() == [tf]
    copied = np.empty(1, np.uint32)
    where, new = np.array([0, 1], np.int64), np.zeros(1, np.int32)
    heads = np.zeros(1, np.int64)
    copy_postings(where, 1, docs, address(tfs), True, new, new, heads, docs, address(copied))
    assert copied.tolist() == [tf]
