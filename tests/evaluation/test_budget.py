"""Recall within a context window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.evaluation import Relevance, recall_at_tokens


def relevance(judgements: dict[str, dict[str, int]], size: int) -> Relevance:
    names = {f"d{number}": number for number in range(size)}
    return Relevance.from_judgements(judgements, list(judgements), names)


def test_a_document_counts_if_it_ends_within_the_budget() -> None:
    pairs = relevance({"q": {"d2": 1}}, 4)
    positions, tokens = np.array([[0, 2, 1]]), np.array([100, 10, 50, 7])
    assert recall_at_tokens(pairs, positions, tokens, 149).tolist() == [0.0]
    assert recall_at_tokens(pairs, positions, tokens, 150).tolist() == [1.0]


def test_what_is_not_ranked_is_not_recalled_by_any_budget() -> None:
    pairs = relevance({"q": {"d3": 1, "d0": 1}, "r": {"d3": 1}, "s": {"d1": 0}}, 4)
    positions = np.array([[0, 1, -1], [-1, -1, -1], [1, 2, 3]])
    tokens = np.array([1, 1, 1, 1])
    assert recall_at_tokens(pairs, positions, tokens, 10**9).tolist() == [0.5, 0.0, 0.0]


@given(
    st.lists(st.permutations(range(8)), min_size=1, max_size=5),
    st.lists(st.integers(0, 30), min_size=8, max_size=8),
    st.lists(st.sets(st.integers(0, 7), min_size=1), min_size=5, max_size=5),
    st.integers(0, 200),
    st.integers(1, 8),
)
def test_it_is_what_walking_down_the_ranking_gives(
    rankings: list[list[int]],
    sizes: list[int],
    relevant: list[set[int]],
    budget: int,
    depth: int,
) -> None:
    judgements = {
        str(query): {f"d{doc}": 1 for doc in relevant[query]} for query in range(len(rankings))
    }
    expected = []
    for query, ranking in enumerate(rankings):
        spent, recalled = 0, 0
        for doc in ranking[:depth]:
            spent += sizes[doc]
            if spent > budget:
                break
            recalled += doc in relevant[query]
        expected.append(recalled / len(relevant[query]))
    found = recall_at_tokens(
        relevance(judgements, 8),
        np.array([ranking[:depth] for ranking in rankings]),
        np.array(sizes),
        budget,
    )
    assert found.tolist() == pytest.approx(expected)


def test_a_budget_is_not_negative() -> None:
    with pytest.raises(InvalidArgumentError, match="can't be -1"):
        recall_at_tokens(relevance({"q": {"d0": 1}}, 1), np.array([[0]]), np.array([1]), -1)
