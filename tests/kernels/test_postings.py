"""Walking and probing postings, against dictionaries and plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.kernels.layout import Leaders, Postings, Prepared
from qidf.kernels.leaders import enter, refresh
from qidf.kernels.postings import STRETCHES, accumulate, count_ones, find, prepare_term

NUM_DOCS = 5000


def prepared_for(postings: Postings) -> Prepared:
    num_terms, num_docs = len(postings.starts) - 1, len(postings.lengths)
    return Prepared(
        np.linspace(0.5, 3, num_docs, dtype=np.float32),
        np.empty(len(postings.docs), np.float32),
        np.full(num_terms, -1, np.float32),
        np.empty(len(postings.docs) * STRETCHES // 16 + 2 * num_terms, np.uint64),
        np.zeros(num_terms, np.int64),
        np.zeros(num_terms, np.uint8),
        np.zeros(1, np.int64),
        np.zeros(num_docs, np.uint8),
        np.zeros(1, np.float64),
    )


def postings_of(lists: list[list[int]]) -> Postings:
    starts = np.cumsum([0, *map(len, lists)])
    docs = np.array([doc for docs in lists for doc in docs], np.uint32)
    tfs = (docs % 5 + 1).astype(np.uint16)
    return Postings(starts, docs, tfs, np.ones(NUM_DOCS, np.int32))


def random_lists(seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    sizes = [1, 2, 15, 16, 17, 18, 200, 1000, 4000, NUM_DOCS, 100]
    lists = [sorted(rng.choice(NUM_DOCS, size, replace=False).tolist()) for size in sizes]
    # All at one end: a word's marks then stand for many postings, or for none.
    return [*lists, list(range(NUM_DOCS - 300, NUM_DOCS)), list(range(300))]


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_find_knows_every_document_of_a_list_and_no_other(seed: int) -> None:
    lists = random_lists(seed)
    postings = postings_of(lists)
    prepared = prepared_for(postings)
    for term, docs in enumerate(lists):
        prepare_term(postings, prepared, term)
        first = int(postings.starts[term])
        last = int(postings.starts[term + 1])
        table, shift = prepared.tables[term], prepared.shifts[term]

        def found(
            doc: np.uint32, first: int = first, last: int = last, rest: tuple = (table, shift)
        ) -> int:
            return find(postings.docs, first, last, prepared.marks, *rest, doc)

        where = {doc: first + at for at, doc in enumerate(docs)}
        for doc in np.arange(0, NUM_DOCS, 7, dtype=np.uint32):
            assert found(doc) == where.get(int(doc), -1)
        for doc in np.array(docs[:50], np.uint32):
            assert found(doc) == where[int(doc)]
    assert prepared.num_words[0] <= len(prepared.marks)


@given(word=st.integers(0, 2**64 - 1))
@settings(deadline=None, derandomize=True)
def test_ones_are_counted(word: int) -> None:
    assert count_ones(np.uint64(word)) == word.bit_count()


def test_preparing_a_term_computes_its_parts_and_the_highest_of_them() -> None:
    postings = postings_of(random_lists(1))
    prepared = prepared_for(postings)
    for term in range(len(postings.starts) - 1):
        prepare_term(postings, prepared, term)
        where = slice(int(postings.starts[term]), int(postings.starts[term + 1]))
        tfs = postings.tfs[where].astype(np.float32)
        expected = tfs / (prepared.norms[postings.docs[where]] + tfs)
        assert np.array_equal(prepared.parts[where], expected)
        assert prepared.best_parts[term] == expected.max()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    docs=st.sets(st.integers(0, 99), min_size=1).map(sorted),
    met=st.sets(st.integers(0, 99)),
    entry=st.floats(0, 4, width=32),
)
def test_accumulating_adds_lists_and_stops_as_a_plain_loop_would(
    docs: list[int], met: set[int], entry: float
) -> None:
    sums = np.zeros(100, np.float32)
    sums[list(met)] = 1.5
    parts = (np.arange(len(docs), dtype=np.float32) + 1) / 50
    array = np.array(docs, np.uint32)
    touched = np.empty(101, np.uint32)

    expected, listed, stop = sums.copy(), [], len(docs) + 1
    for at, doc in enumerate(docs):
        if expected[doc] == 0:
            listed.append(doc)
        expected[doc] += np.float32(2) * parts[at]
        if expected[doc] > np.float32(entry):
            stop = at + 1
            break
    where, count = accumulate(
        array, parts, 0, len(docs), np.float32(2), sums, touched, 0, np.float32(entry)
    )
    assert (where, touched[:count].tolist()) == (stop, listed)
    assert np.array_equal(sums, expected)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    k=st.integers(1, 8),
    terms=st.lists(
        st.dictionaries(st.integers(0, 20), st.floats(0.125, 8, width=32), max_size=15), max_size=6
    ),
)
def test_leaders_hold_the_k_highest_sums_after_every_term(
    k: int, terms: list[dict[int, float]]
) -> None:
    leaders = Leaders(np.empty(k, np.float32), np.empty(k, np.uint32))
    in_heap, size = np.zeros(21, np.uint8), 0
    sums = np.zeros(21, np.float32)
    for term in terms:
        for doc, more in term.items():
            sums[doc] += np.float32(more)
            if not in_heap[doc] and (size < k or sums[doc] > leaders.scores[0]):
                size = enter(*leaders, size, in_heap, doc, sums[doc])
        if size == k:
            refresh(*leaders, sums)
            assert leaders.scores[0] == leaders.scores.min()
            assert np.array_equal(leaders.scores, sums[leaders.docs])
        # What leads is k documents whose lowest sum the caller may rely on, each of them once.
        assert sorted(np.nonzero(in_heap)[0].tolist()) == sorted(leaders.docs[:size].tolist())
        assert size == min(k, int((sums > 0).sum()))
