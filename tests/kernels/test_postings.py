"""Walking and probing postings, against dictionaries and plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.kernels.layout import Leaders, Postings, Prepared
from qidf.kernels.leaders import enter, place_of, sort_few
from qidf.kernels.postings import accumulate, accumulate_met, find, prepare_term

NUM_DOCS = 5000


def prepared_for(postings: Postings) -> Prepared:
    num_terms, num_docs = len(postings.starts) - 1, len(postings.lengths)
    return Prepared(
        np.linspace(0.5, 3, num_docs, dtype=np.float32),
        np.empty(len(postings.docs), np.float32),
        np.full(num_terms, -1, np.float32),
        np.empty(len(postings.docs) + 100, np.uint32),
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
    sizes = [1, 2, 63, 64, 65, 66, 200, 1000, 4000, NUM_DOCS, 100]
    lists = [sorted(rng.choice(NUM_DOCS, size, replace=False).tolist()) for size in sizes]
    # All at one end: stretches of the skip table are then very unequal.
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
        table, shift = prepared.skip_starts[term], prepared.skip_shifts[term]

        def found(
            doc: np.uint32, first: int = first, last: int = last, rest: tuple = (table, shift)
        ) -> int:
            return find(postings.docs, first, last, prepared.skips, *rest, doc)

        where = {doc: first + at for at, doc in enumerate(docs)}
        for doc in np.arange(0, NUM_DOCS, 7, dtype=np.uint32):
            assert found(doc) == where.get(int(doc), -1)
        for doc in np.array(docs[:50], np.uint32):
            assert found(doc) == where[int(doc)]


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
    only_met = sums.copy()

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

    expected_met = only_met.copy()
    for at, doc in enumerate(docs):
        if expected_met[doc] > 0:
            expected_met[doc] += np.float32(2) * parts[at]
    at = 0
    while at <= len(docs):
        at = accumulate_met(array, parts, at, len(docs), np.float32(2), only_met, np.float32(entry))
    assert np.array_equal(only_met, expected_met)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    k=st.integers(1, 8),
    raises=st.lists(st.tuples(st.integers(0, 20), st.floats(0.125, 8, width=32)), max_size=60),
)
def test_leaders_hold_the_k_highest_sums_entered(k: int, raises: list[tuple[int, float]]) -> None:
    leaders = Leaders(np.empty(k, np.float32), np.empty(k, np.uint32))
    in_heap, size = np.zeros(21, np.uint8), 0
    sums: dict[int, np.float32] = {}
    for doc, more in raises:
        sums[doc] = np.float32(sums.get(doc, np.float32(0)) + np.float32(more))
        if size < k or sums[doc] > leaders.scores[0]:
            size = enter(*leaders, size, in_heap, doc, sums[doc])
    assert sorted(leaders.scores[:size].tolist()) == sorted(map(float, sums.values()))[-k:]
    assert sorted(np.nonzero(in_heap)[0].tolist()) == sorted(leaders.docs[:size].tolist())


@settings(max_examples=30, deadline=None, derandomize=True)
@given(values=st.lists(st.integers(0, 2**32 - 1), max_size=150), count=st.integers(0, 150))
def test_sorting_few_sorts_just_those(values: list[int], count: int) -> None:
    count = min(count, len(values))
    array = np.array(values, np.uint32)
    sort_few(array, count)
    assert array.tolist() == sorted(values[:count]) + values[count:]


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    values=st.sets(st.integers(0, 200), max_size=60).map(sorted),
    before=st.integers(0, 5),
    value=st.integers(0, 200),
)
def test_a_value_is_found_at_its_place_or_not_at_all(
    values: list[int], before: int, value: int
) -> None:
    array = np.array([0] * before + values + [0], np.uint32)
    expected = before + values.index(value) if value in values else -1
    assert place_of(array, before, before + len(values), np.uint32(value)) == expected
