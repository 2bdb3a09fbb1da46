"""Filters by metadata, by id, by predicate and by mask."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from search_paths import all_paths, searching

from qidf.index import Document, Index

RECORDS = [
    Document("text one", "a", {"lang": "go", "stars": 5, "tags": ["x", "y"], "old": False}),
    Document("text two", "b", {"lang": "go", "stars": 3, "tags": ["x"]}),
    Document("text three", "c", {"lang": "python", "stars": 5, "owner": None}),
    Document("text four", "d"),
    Document("text gone", "e", {"lang": "go", "stars": 5}),
    Document("text five", "f", {"lang": "python", "stars": 5.0, "old": True}),
]


@pytest.fixture(params=["in memory", "stored"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Index:
    """Two segments, a document deleted in the first."""
    index = Index.build(RECORDS[:5])
    index.delete("e")
    index.add(RECORDS[5:])
    if request.param == "stored":
        index.save(tmp_path / "index")
        return Index.open(tmp_path / "index")
    return index


@all_paths
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, "abcdf"),
        ({}, "abcdf"),
        ({"lang": "go"}, "ab"),
        ({"lang": "rust"}, ""),
        ({"nowhere": "go"}, ""),
        ({"lang": ["go", "python"]}, "abcf"),
        ({"lang": {"go", "rust"}}, "ab"),
        ({"lang": "go", "stars": 5}, "a"),
        ({"lang": ("go", "python"), "stars": 5}, "acf"),
        ({"stars": 5.0}, "acf"),
        ({"stars": np.int64(3)}, "b"),
        ({"stars": True}, ""),
        ({"stars": "5"}, ""),
        ({"old": False}, "a"),
        ({"owner": None}, "c"),
        ({"tags": [["x"]]}, "b"),
        ({"lang": []}, ""),
        (["a", "d"], "ad"),
        ({"c", "nobody", "e"}, "c"),
        (("b", 7, None, 0.5), "b"),
        ([], ""),
        (lambda record: record.get("stars", 0) >= 4, "acf"),
        (lambda record: record["id"] in "bd", "bd"),
        (lambda record: False, ""),
        (np.array([1, 0, 0, 1, 1, 1], bool), "adf"),
        (np.zeros(6, bool), ""),
    ],
)
def test_a_filter_lets_through_what_it_should(
    path: str, wanted: object, expected: str, index: Index
) -> None:
    scores = {hit.id: hit.score for hit in index.search("text", 10, 1)}
    with searching(path):
        hits = index.search("text", 10, 1, wanted)
    assert sorted(str(hit.id) for hit in hits) == list(expected)
    assert {hit.id: hit.score for hit in hits}.items() <= scores.items()
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_the_k_best_are_taken_after_filtering(index: Index) -> None:
    for path in ("plain", "compiled"):
        with searching(path):
            hits = index.search("text five four", 1, 1, {"lang": "go"})
        assert [hit.id for hit in hits] == ["a"]


def test_an_integer_filters_integer_ids() -> None:
    index = Index.build([Document("text", 10), Document("text", 3), Document("text", 7)])
    assert [hit.id for hit in index.search("text", q=1, filter=[7, 10, 2**70])] == [10, 7]
    mask = np.array([True, True, False])
    assert [hit.id for hit in index.search("text", q=1, filter=mask)] == [10, 3]
    assert index.search("text", q=1, filter=["7", True]) == []


def test_a_filter_serves_every_query_of_a_batch(index: Index) -> None:
    one, two = index.search_batch(["one", "two text"], q=1, filter=["b", "d"])
    assert [[hit.id for hit in hits] for hits in (one, two)] == [[], ["b", "d"]]
