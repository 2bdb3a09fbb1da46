"""Ranking by sums of impacts, against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.native.impacts import rank_by_impact

NUM_DOCS, NUM_TERMS = 9, 5
# Few values, so that sums tie, and of either sign.
IMPACTS = st.sampled_from([-1.5, -0.5, 0.0, 0.5, 1.0])
POSTINGS = st.lists(
    st.dictionaries(st.integers(0, NUM_DOCS - 1), IMPACTS), min_size=NUM_TERMS, max_size=NUM_TERMS
)
QUERIES = st.lists(st.lists(st.integers(-1, NUM_TERMS - 1), max_size=6), max_size=4)


@settings(max_examples=300, deadline=None)
@given(postings=POSTINGS, queries=QUERIES, k=st.integers(1, NUM_DOCS))
def test_the_best_are_those_of_the_highest_sums_and_then_the_first(
    postings: list[dict[int, float]], queries: list[list[int]], k: int
) -> None:
    flat = [sorted(term.items()) for term in postings]
    starts = np.concatenate([[0], np.cumsum([len(term) for term in flat])]).astype(np.int64)
    docs = np.array([doc for term in flat for doc, _ in term], np.uint32)
    impacts = np.array([impact for term in flat for _, impact in term], np.float64)
    offsets = np.concatenate([[0], np.cumsum([len(query) for query in queries])]).astype(np.int64)
    sums, met = np.zeros(NUM_DOCS), np.zeros(NUM_DOCS, np.uint8)
    positions, scores = np.full((len(queries), k), -1), np.zeros((len(queries), k), np.float32)
    rank_by_impact(
        np.array([term for query in queries for term in query], np.int32),
        offsets,
        len(queries),
        starts,
        docs,
        impacts,
        sums,
        met,
        np.empty(NUM_DOCS + 1, np.uint32),
        k,
        positions,
        scores,
    )
    assert not sums.any()
    assert not met.any()
    for row, query in enumerate(queries):
        expected: dict[int, float] = {}
        for term in query:
            for doc, impact in postings[term].items() if term >= 0 else ():
                expected[doc] = expected.get(doc, 0.0) + impact
        best = sorted(expected.items(), key=lambda item: (-item[1], item[0]))[:k]
        left = [(-1, 0.0)] * (k - len(best))
        found = zip(positions[row].tolist(), scores[row].tolist(), strict=True)
        assert list(found) == best + left
