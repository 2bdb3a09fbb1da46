"""Narrowing and rescoring, step by step, against plain loops and dictionaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_postings import NUM_DOCS, postings_of, prepared_for, random_lists

from qidf.kernels.bounds import gain, set_floors
from qidf.kernels.forward import transpose
from qidf.kernels.layout import Slots
from qidf.kernels.narrowing import carry_exact, carry_short, carry_wide, drop_excluded, take_over
from qidf.kernels.postings import SHORT_LIST, prepare_term
from qidf.kernels.rescoring import SMALLEST_TABLE_BITS, fill_column, fill_table, find_column, insert


@pytest.mark.parametrize("seed", range(3))
def test_carrying_a_term_adds_it_to_its_documents_and_drops_those_below_their_floor(
    seed: int,
) -> None:
    lists = random_lists(seed)
    postings = postings_of(lists)
    prepared = prepared_for(postings)
    random = np.random.default_rng(seed)
    buckets = random.integers(0, 3, NUM_DOCS).astype(np.uint8)
    floors = np.array([0.5, 1.0, 2.5], np.float32)
    weight = np.float32(1.7)
    kinds = set()
    for term, docs in enumerate(lists):
        prepare_term(postings, prepared, term)
        first, last = int(postings.starts[term]), int(postings.starts[term + 1])
        touched = random.choice(NUM_DOCS, 700, replace=False).astype(np.uint32)
        left_sums = random.random(700).astype(np.float32) * 3
        where = {doc: first + at for at, doc in enumerate(docs)}
        expected = []
        for doc, total in zip(touched.tolist(), left_sums, strict=True):
            if doc in where:
                total = total + weight * prepared.parts[where[doc]]
            if total >= floors[buckets[doc]]:
                expected.append((doc, total))
        table, shift, marks = prepared.tables[term], prepared.shifts[term], prepared.marks
        end = (prepared.parts, weight, buckets, floors)
        if last - first <= SHORT_LIST:
            kinds.add("short")
            kept = carry_short(touched, left_sums, 700, postings.docs, first, last, *end)
        elif shift == 0:
            kinds.add("exact")
            kept = carry_exact(touched, left_sums, 700, first, marks, table, *end)
        else:
            kinds.add("wide")
            kept = carry_wide(
                touched, left_sums, 700, postings.docs, first, last, marks, table, shift, *end
            )
        assert list(zip(touched[:kept].tolist(), left_sums[:kept], strict=True)) == expected
    assert kinds == {"short", "exact", "wide"}


def test_taking_over_clears_the_sums_and_keeps_what_is_above_its_floor_and_not_scored_yet() -> None:
    sums = np.array([0.0, 3.0, 1.0, 0.2, 2.0, 9.0], np.float32)
    touched = np.array([4, 1, 3, 0, 2], np.uint32)
    left_sums = np.empty(6, np.float32)
    buckets = np.array([0, 0, 1, 0, 1, 0], np.uint8)
    kept = take_over(touched, sums, 5, buckets, np.array([-1.0, 1.5], np.float32), left_sums)
    assert touched[:kept].tolist() == [4, 1, 3]
    assert left_sums[:kept].tolist() == pytest.approx([2.0, 3.0, 0.2])
    assert sums.tolist() == [0, 0, 0, 0, 0, 9]
    assert drop_excluded(touched, left_sums, kept, np.array([0, 1, 0, 0, 0, 0], np.uint8)) == 2
    assert touched[:2].tolist() == [4, 3]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    weights=st.lists(st.floats(0.01, 9), min_size=1, max_size=8).map(lambda w: sorted(w)[::-1]),
    tfs=st.lists(st.integers(0, 4), min_size=8, max_size=8),
    done=st.integers(0, 8),
    norm=st.floats(0, 3),
)
def test_no_document_gains_more_than_its_budget_allows(
    weights: list[float], tfs: list[int], done: int, norm: float
) -> None:
    count = len(weights)
    done = min(done, count)
    gained = [
        weight * (tf / (norm + tf) if tf else 0.0) for weight, tf in zip(weights, tfs, strict=False)
    ]
    rest = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
    prefix = np.append(0.0, np.cumsum(weights))
    budgets = np.array([sum(tfs) / (1 + norm)])
    limit = gain(rest, prefix, np.array(weights), done, count, budgets[0])
    assert sum(gained[done:]) <= limit + 1e-9
    floors = np.empty(1)
    set_floors(floors, 10.0, rest, prefix, np.array(weights), done, count, budgets)
    assert floors[0] == 10.0 - limit


def test_rows_have_each_documents_terms_in_order() -> None:
    lists = [docs for docs in random_lists(7) if len(docs) < NUM_DOCS]
    postings = postings_of(lists)
    starts, terms, tfs = transpose(postings.starts, postings.docs, postings.tfs, NUM_DOCS)
    members = [set(docs) for docs in lists]
    for doc in range(0, NUM_DOCS, 11):
        row = slice(int(starts[doc]), int(starts[doc + 1]))
        assert terms[row].tolist() == [term for term, docs in enumerate(members) if doc in docs]
        assert (tfs[row] == doc % 5 + 1).all()
    assert starts[-1] == len(postings.docs)


def test_a_row_and_the_postings_give_the_same_parts() -> None:
    lists = random_lists(8)
    postings = postings_of(lists)
    prepared = prepared_for(postings)
    starts, terms, tfs = transpose(postings.starts, postings.docs, postings.tfs, NUM_DOCS)
    wanted = np.array([10, 3, 8, 0, 12], np.uint32)
    for term in wanted:
        prepare_term(postings, prepared, int(term))
    slots = Slots(
        wanted,
        np.ones(5),
        postings.starts[wanted],
        postings.starts[wanted + 1],
        prepared.tables[wanted],
        prepared.shifts[wanted],
    )
    table_terms, table_slots = np.empty(32, np.uint32), np.empty(32, np.int32)
    num_bits = fill_table(wanted, 5, table_terms, table_slots)
    assert 1 << num_bits >= 20 > 1 << SMALLEST_TABLE_BITS
    for doc in np.arange(0, NUM_DOCS, 13, dtype=np.uint32):
        by_row, by_postings = np.zeros((5, 2)), np.zeros((5, 2))
        begin, end = starts[doc], starts[doc + 1]
        fill_column(terms, tfs, begin, end, 1.25, table_terms, table_slots, num_bits, by_row, 1)
        find_column(doc, 1.25, slots, 5, postings, prepared, by_postings, 1)
        tf = float(doc % 5 + 1)
        expected = [tf / (1.25 + tf) if int(doc) in lists[term] else 0.0 for term in wanted]
        assert by_row[:, 1].tolist() == by_postings[:, 1].tolist() == expected
        assert not by_row[:, 0].any()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    k=st.integers(1, 6),
    found=st.dictionaries(st.integers(0, 50), st.sampled_from([0.5, 1.0, 1.5, 2.0]), max_size=20),
)
def test_the_best_k_are_in_order_of_score_and_then_of_position(
    k: int, found: dict[int, float]
) -> None:
    positions, scores = np.full(k, -1, np.int64), np.zeros(k, np.float32)
    known = 0
    for position, score in found.items():
        known = insert(positions, scores, known, k, position, np.float32(score))
    best = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:k]
    assert list(zip(positions[:known].tolist(), scores[:known].tolist(), strict=True)) == best
