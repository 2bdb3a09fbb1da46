"""Which clauses of a body are found, where, and what is said about the others."""

from __future__ import annotations

from typing import Any

import pytest

from qidf.engines.opensearch.clauses import find_clauses

MATCH = {"match": {"content": "some words"}}
FIELDS = ("content", "title")


def places(body: Any) -> list[tuple[Any, ...]]:
    return [clause.path for clause in find_clauses(body, FIELDS).clauses]


def said(body: Any) -> list[str]:
    return [str(note) for note in find_clauses(body, FIELDS).notes]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        (MATCH, ()),
        ({"bool": {"must": MATCH}}, ("bool", "must")),
        ({"bool": {"must": [MATCH]}}, ("bool", "must", 0)),
        ({"bool": {"should": [{"term": {"a": 1}}, MATCH]}}, ("bool", "should", 1)),
        ({"bool": {"must": [{"dis_max": {"queries": [MATCH]}}]}},
         ("bool", "must", 0, "dis_max", "queries", 0)),
        ({"dis_max": {"queries": [MATCH]}}, ("dis_max", "queries", 0)),
        ({"function_score": {"query": MATCH, "functions": []}}, ("function_score", "query")),
        ({"script_score": {"query": MATCH, "script": {}}}, ("script_score", "query")),
        ({"boosting": {"positive": MATCH, "negative": MATCH}}, ("boosting", "positive")),
        ({"nested": {"path": "a", "query": MATCH}}, ("nested", "query")),
        ({"pinned": {"ids": ["1"], "organic": MATCH}}, ("pinned", "organic")),
    ],
)  # fmt: skip
def test_clauses_are_found_wherever_their_score_counts(query: Any, path: tuple[Any, ...]) -> None:
    assert places({"query": query}) == [("query", *path)]
    assert said({"query": query}) == []


@pytest.mark.parametrize(
    "body",
    [
        {"query": {"bool": {"filter": [MATCH], "must_not": [MATCH]}}},
        {"query": {"constant_score": {"filter": MATCH}}},
        {"query": {"match_all": {}}, "aggs": {"a": {"filter": MATCH}}},
        {"query": {"match_all": {}}, "post_filter": MATCH},
        {"query": {"match_all": {}}, "highlight": {"highlight_query": MATCH}},
        {"query": {"match": {"other": "some words"}}},
        {"query": {"multi_match": {"query": "x", "fields": ["other"]}}},
        {"query": {"function_score": {"functions": [{"filter": MATCH, "weight": 2}]}}},
        {"knn": {"field": "vector", "k": 3}},
        {"query": "text"},
        [],
        "text",
        None,
    ],
)
def test_what_doesnt_score_these_fields_is_passed_over_in_silence(body: Any) -> None:
    assert places(body) == []
    assert said(body) == []


def test_rescorers_and_retrievers_are_looked_into() -> None:
    rescore = {"window_size": 50, "query": {"rescore_query": MATCH}}
    assert places({"query": {"match_all": {}}, "rescore": rescore}) == [
        ("rescore", "query", "rescore_query")
    ]
    assert places({"rescore": [rescore, rescore]}) == [
        ("rescore", 0, "query", "rescore_query"),
        ("rescore", 1, "query", "rescore_query"),
    ]
    standard = {"standard": {"query": MATCH}}
    assert places({"retriever": standard}) == [("retriever", "standard", "query")]
    fused = {"rrf": {"retrievers": [standard, {"knn": {"field": "v"}}]}}
    assert places({"retriever": fused}) == [
        ("retriever", "rrf", "retrievers", 0, "standard", "query")
    ]
    weighted = {"linear": {"retrievers": [{"retriever": standard, "weight": 2}]}}
    assert places({"retriever": weighted}) == [
        ("retriever", "linear", "retrievers", 0, "retriever", "standard", "query")
    ]


def test_options_are_read() -> None:
    clause = find_clauses(
        {"query": {"match": {"content": {
            "query": "some words", "boost": 2, "_name": "n", "analyzer": "simple",
            "operator": "OR", "lenient": True, "fuzziness": 0, "zero_terms_query": "none",
        }}}},
        FIELDS,
    ).clauses[0]  # fmt: skip
    assert (clause.boost, clause.name, clause.form) == (2.0, "n", "match")
    assert clause.parts[0].wording.analyzer == "simple"


@pytest.mark.parametrize(
    ("kind", "tie", "expected"),
    [(None, None, 0.0), ("best_fields", 0.3, 0.3), ("most_fields", None, 1.0)],
)
def test_multi_matches_are_read(kind: str | None, tie: float | None, expected: float) -> None:
    options: dict[str, Any] = {"query": "x", "fields": ["title^2.5", "content"]}
    options |= {} if kind is None else {"type": kind}
    options |= {} if tie is None else {"tie_breaker": tie}
    clause = find_clauses({"query": {"multi_match": options}}, FIELDS).clauses[0]
    assert clause.tie_breaker == expected
    assert [(part.wording.field, part.boost) for part in clause.parts] == [
        ("title", 2.5),
        ("content", 1.0),
    ]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ({"match": {"content": {"query": "a b", "operator": "and"}}}, "operator and"),
        ({"match": {"content": {"query": "a b", "fuzziness": "AUTO"}}}, "fuzziness"),
        ({"match": {"content": {"query": "a b", "minimum_should_match": "75%"}}}, "several words"),
        ({"match": {"content": {"query": "a b", "cutoff_frequency": 0.1}}}, "cutoff_frequency"),
        ({"match": {"content": {"query": "a b", "boost": -1}}}, "boost"),
        ({"match": {"content": 5}}, "no text"),
        ({"match_phrase": {"content": "a b"}}, "phrase"),
        ({"match_phrase_prefix": {"content": "a b"}}, "phrase"),
        ({"match_bool_prefix": {"content": "a b"}}, "prefix"),
        ({"query_string": {"query": "a", "fields": ["content"]}}, "syntax"),
        ({"combined_fields": {"query": "a", "fields": ["title", "content"]}}, "several fields"),
        ({"hybrid": {"queries": [MATCH]}}, "normalised"),
        ({"multi_match": {"query": "a", "fields": ["title"], "type": "cross_fields"}}, "cross_fie"),
        ({"multi_match": {"query": "a", "fields": ["content"], "type": "phrase"}}, "phrase"),
        ({"multi_match": {"query": "a", "fields": ["content", "other"]}}, "other is not among"),
        ({"multi_match": {"query": "a", "fields": ["con*"]}}, "con\\* is not among"),
        ({"multi_match": {"query": "a", "fields": ["content", "content^2"]}}, "twice"),
        ({"multi_match": {"query": "a", "fields": ["content^x"]}}, "no number"),
        ({"function_score": {"query": MATCH, "min_score": 1}}, "threshold"),
    ],
)  # fmt: skip
def test_what_is_no_sum_over_terms_is_left_alone_and_said(query: Any, why: str) -> None:
    body = {"query": {"bool": {"must": [query]}}}
    assert places(body) == []
    [note] = find_clauses(body, FIELDS).notes
    assert note.kind == "left alone"
    assert note.message.startswith("query.bool.must[0].")
    with pytest.raises(ValueError, match=why):
        raise ValueError(note.message)


def test_a_threshold_on_scores_keeps_a_body_as_it_is() -> None:
    assert places({"query": MATCH, "min_score": 3}) == []
    assert "min_score" in said({"query": MATCH, "min_score": 3})[0]
    assert said({"query": {"match_all": {}}, "min_score": 3}) == []
