from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_data import code_like

from qidf.datasets import Dataset, Texts
from qidf.errors import InvalidArgumentError
from qidf.studies.ladder import sizes_below, subset


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 70), st.integers(1, 70))
def test_a_smaller_version_is_contained_in_a_larger_one(one: int, other: int) -> None:
    data = code_like()
    small, large = (subset(data, size) for size in sorted((one, other)))
    assert set(small.documents.ids) <= set(large.documents.ids)
    assert set(small.queries.ids) <= set(large.queries.ids)
    assert small.num_docs == min(one, other, data.num_docs)


@pytest.mark.parametrize(("size", "num_queries"), [(1, 1), (10, 10), (30, 30), (31, 30), (60, 30)])
def test_there_are_as_many_queries_as_documents_until_all_are_in(
    size: int, num_queries: int
) -> None:
    data = subset(code_like(), size)
    assert data.num_queries == num_queries
    ids = set(data.documents.ids)
    assert all(set(grades) <= ids for grades in data.judgements.values())


def test_the_texts_stay_with_their_ids_and_the_order_of_the_files_is_kept() -> None:
    whole, part = code_like(), subset(code_like(), 25)
    texts = dict(whole.documents)
    assert all(texts[doc_id] == text for doc_id, text in part.documents)
    order = {doc_id: at for at, doc_id in enumerate(whole.documents.ids)}
    positions = [order[doc_id] for doc_id in part.documents.ids]
    assert positions == sorted(positions)


def test_a_query_is_kept_only_with_all_of_its_relevant_documents() -> None:
    data = Dataset(
        "two",
        "a test",
        Texts(["a", "b", "c", "d"], ["a", "b", "c", "d"]),
        Texts(["q1", "q2"], ["a", "c"]),
        {"q1": {"a": 1, "b": 1, "d": 0}, "q2": {"c": 1}},
    )
    # By digest q1 comes first, with two relevant documents.
    with pytest.raises(InvalidArgumentError, match="ask for more documents"):
        subset(data, 1)
    assert subset(data, 2).queries.ids == ["q1"]
    assert subset(data, 3).queries.ids == ["q1", "q2"]


def test_the_sizes_are_those_below_the_whole() -> None:
    assert sizes_below(6_000) == [1_000, 2_000, 5_000, None]
    assert sizes_below(1_000) == [None]


def test_no_documents_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="at least one document"):
        subset(code_like(), 0)
