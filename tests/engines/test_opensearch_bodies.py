"""Whole search bodies, rewritten and sent to real servers: same documents, q-log scores."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from engine_corpora import corpus
from engine_reference import Conventions, Reference, byte4
from opensearch_under_test import ServerIndex, ask, server_urls

import qidf
from qidf.engines.opensearch.engine import OpenSearchEngine

Q = 0.5
MAPPINGS = {
    "properties": {
        "title": {"type": "text", "fields": {"exact": {"type": "text", "analyzer": "whitespace"}}},
        "content": {"type": "text"},
        "other": {"type": "text"},
        "kind": {"type": "keyword"},
        "notes": {"type": "nested", "properties": {"text": {"type": "text"}}},
    }
}
WORDS = "format the list of strings and return the value of a missing parser"


class Place:
    """An index with two fields, and the reference of each."""

    def __init__(self, variable: str, scheme: str, k1_plus_1: bool) -> None:
        self.url = server_urls(variable)[0]
        texts = list(corpus("text").values())[300:900]
        self.documents = {
            str(at): {
                "title": " ".join(text.split()[:6]),
                "content": text,
                "other": text,
                "kind": "even" if at % 2 == 0 else "odd",
                "notes": [{"text": text[:80]}, {"text": text[80:160]}],
            }
            for at, text in enumerate(texts)
        }
        self.index = ServerIndex(self.url, self.documents, 3, MAPPINGS)
        how = Conventions(1.2, 0.75, k1_plus_1, False, stored_length=byte4)
        self.references = {
            field: Reference(self.index.tokens(list(self.documents), field), how)
            for field in ("title", "content", "title.exact")
        }
        self.target = f"{scheme}{self.url[len('http') :]}/{self.index.name}"
        self.engine = self.connect(fields="title,content")

    def connect(self, **options: Any) -> OpenSearchEngine:
        engine = qidf.connect(self.target, **options)
        assert isinstance(engine, OpenSearchEngine)
        return engine

    def ask(self, body: dict[str, Any], size: int = 600) -> dict[str, float]:
        found = self.index.search({**body, "size": size}, search_type="dfs_query_then_fetch")
        return dict(found)

    def scores(self, field: str, words: str = WORDS) -> dict[str, float]:
        reference = self.references[field]
        return dict(zip(reference.ids, reference.scores(words.split(), Q), strict=True))


@pytest.fixture(
    scope="module",
    params=[
        ("QIDF_OPENSEARCH_CLUSTER_URL", "opensearch", False),
        ("QIDF_ELASTICSEARCH9_URL", "elasticsearch", True),
    ],
    ids=["opensearch", "elasticsearch"],
)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    pytest.importorskip("opensearchpy")
    pytest.importorskip("elasticsearch")
    made = Place(*request.param)
    yield made
    made.engine.close()
    made.index.drop()


def same(found: dict[str, float], expected: dict[str, float]) -> None:
    for key, score in found.items():
        assert score == pytest.approx(expected[key], rel=1e-6, abs=1e-9)


def test_a_match_scores_q_log_and_matches_what_it_matched(place: Place) -> None:
    body = {"query": {"match": {"content": WORDS}}}
    rewritten = place.engine.rewrite_body(body, Q)
    found = place.ask(rewritten.query)
    assert set(found) == set(place.ask(body))
    same(found, place.scores("content"))
    assert rewritten.notes == () or {note.kind for note in rewritten.notes} == {"clamped"}


def test_best_fields_take_the_better_and_most_fields_the_sum(place: Place) -> None:
    title, content = place.scores("title"), place.scores("content")
    match = {"query": WORDS, "fields": ["title^2", "content"], "tie_breaker": 0.25}
    best = {"query": {"multi_match": {**match, "type": "best_fields"}}}
    found = place.ask(place.engine.rewrite_body(best, Q).query)
    assert set(found) == set(place.ask(best))
    for key, score in found.items():
        high, low = sorted((2 * title[key], content[key]), reverse=True)
        assert score == pytest.approx(high + 0.25 * low, rel=1e-6, abs=1e-9)
    most = {"query": {"multi_match": {"query": WORDS, "fields": ["title", "content"],
                                      "type": "most_fields", "boost": 3}}}  # fmt: skip
    found = place.ask(place.engine.rewrite_body(most, Q).query)
    assert set(found) == set(place.ask(most))
    for key, score in found.items():
        assert score == pytest.approx(3 * (title[key] + content[key]), rel=1e-6, abs=1e-9)


def test_search_over_several_fields_takes_the_better(place: Place) -> None:
    title, content = place.scores("title"), place.scores("content")
    for hit in place.engine.search(WORDS, 20, Q):
        assert hit.score == pytest.approx(max(title[hit.id], content[hit.id]), rel=1e-6)


def test_the_rest_of_a_body_is_as_it_was(place: Place) -> None:
    body = {
        "query": {
            "bool": {
                "must": [{"match": {"content": {"query": WORDS, "_name": "words", "boost": 2}}}],
                "should": [{"match": {"other": WORDS}}, {"match_phrase": {"content": "the list"}}],
                "filter": [{"term": {"kind": "even"}}, {"match": {"content": "the"}}],
                "must_not": {"match": {"title": "nosuchword"}},
            }
        },
        "aggs": {"kinds": {"terms": {"field": "kind"}}},
        "_source": ["title"],
        "from": 0,
    }
    before = copy.deepcopy(body)
    rewritten = place.engine.rewrite_body(body, Q)
    assert body == before
    clause = rewritten.query["query"]["bool"]["must"][0]
    assert clause["bool"].pop("should")
    assert clause == {"bool": {"minimum_should_match": 1, "boost": 2.0, "_name": "words"}}
    rewritten.query["query"]["bool"]["must"] = before["query"]["bool"]["must"]  # type: ignore[index]
    assert rewritten.query == before
    assert "left alone" in {note.kind for note in rewritten.notes}


def test_scores_go_through_functions_and_rescorers(place: Place) -> None:
    scores = place.scores("content")
    match = {"match": {"content": WORDS}}
    weighted = {"query": {"function_score": {"query": match, "functions": [{"weight": 4}]}}}
    found = place.ask(place.engine.rewrite_body(weighted, Q).query)
    assert found
    for key, score in found.items():
        assert score == pytest.approx(4 * scores[key], rel=1e-6, abs=1e-9)
    rescored = {
        "query": {"match_all": {}},
        "rescore": {"window_size": 600, "query": {"rescore_query": match}},
    }
    found = place.ask(place.engine.rewrite_body(rescored, Q).query)
    assert sum(score > 1.0 for score in found.values()) > 50
    for key, score in found.items():
        assert score == pytest.approx(1 + scores[key], rel=1e-6)


def test_a_filter_leaves_scores_alone_and_no_match_leaves_nothing(place: Place) -> None:
    everything = {hit.id: hit.score for hit in place.engine.search(WORDS, 600, Q)}
    found = place.engine.search(WORDS, 600, Q, filter={"term": {"kind": "odd"}})
    assert {hit.id for hit in found} == {key for key in everything if int(key) % 2}
    for hit in found:
        assert hit.score == pytest.approx(everything[hit.id], rel=1e-6)
    assert place.engine.search(WORDS, 600, Q, filter=[{"term": {"kind": "neither"}}]).hits == ()


def test_a_variant_of_a_field_is_searched_with_its_own_analysis(place: Place) -> None:
    word = place.documents["3"]["title"].split()[1]
    with place.connect(field="title.exact") as engine:
        assert engine.analyze(f"{word} Some-Thing") == [word, "Some-Thing"]
        expected = place.scores("title.exact", word)
        found = engine.search(word, 600, Q)
        assert len(found) > 0
        for hit in found:
            assert hit.score == pytest.approx(expected[hit.id], rel=1e-6)


def test_an_analyzer_in_the_query_is_heeded(place: Place) -> None:
    match = {"match": {"content": {"query": "The-List STRINGS", "analyzer": "whitespace"}}}
    rewritten = place.engine.rewrite_body({"query": match}, Q)
    # Neither word is in the index as it stands, so there is nothing to weigh.
    assert rewritten.query == {"query": match}
    match["match"]["content"]["analyzer"] = "standard"
    [clause] = place.engine.rewrite_body({"query": match}, Q).query["query"].values()
    terms = [next(iter(each["term"].values()))["value"] for each in clause["should"]]
    assert set(terms) == {"the", "list", "strings"}


def test_nested_documents_score_with_their_own_counts_where_the_server_tells_them(
    place: Place,
) -> None:
    word = "format"
    query = {"nested": {"path": "notes", "score_mode": "sum",
                        "query": {"match": {"notes.text": word}}}}  # fmt: skip
    with place.connect(field="notes.text") as engine:
        rewritten = engine.rewrite_body({"query": query}, Q)
        found, plain = place.ask(rewritten.query), place.ask({"query": query})
        statistics = engine.statistics([word])
    if not statistics.num_docs:
        # OpenSearch gives no counts of nested documents, so their clauses stay as they are.
        assert place.target.startswith("opensearch")
        assert rewritten.query == {"query": query}
        return
    assert found.keys() == plain.keys()
    # One term: the ratio of the scores is the ratio of the weights.
    n, num_docs = statistics.doc_freqs[word], statistics.num_docs
    ratio = qidf.Qlog1p(Q).weight(n, num_docs) / qidf.LuceneIdf().weight(n, num_docs)
    for key, score in found.items():
        assert score == pytest.approx(ratio * plain[key], rel=1e-6)


def test_more_terms_than_the_limit_keep_the_heaviest_and_say_so(place: Place) -> None:
    tokens = list(place.references["content"].doc_freqs)
    assert len(tokens) > 1_500
    body = {"query": {"match": {"content": " ".join(tokens)}}}
    rewritten = place.engine.rewrite_body(body, Q)
    should = rewritten.query["query"]["bool"]["should"]
    assert 900 < len(should) <= 1024
    [note] = [note for note in rewritten.notes if note.kind == "dropped"]
    kept = {next(iter(each["term"].values()))["value"] for each in should}
    doc_freqs = place.references["content"].doc_freqs
    assert max(doc_freqs[term] for term in kept) <= min(doc_freqs[term] for term in note.terms)
    assert place.ask(rewritten.query, 1)
    own = place.engine.search(" ".join(tokens), 3, 1.0)
    assert len(own) == 3
    assert [note.kind for note in own.notes].count("dropped") >= 1


def test_a_text_that_repeats_itself_is_no_longer_than_its_words(place: Place) -> None:
    words = " ".join([WORDS] * 150)
    assert len(words.split()) > 1024
    with place.connect(field="content") as engine:
        once, often = engine.search(WORDS, 5, 1.0), engine.search(words, 5, 1.0)
    assert often.notes == ()
    assert [hit.score for hit in often] == pytest.approx([150 * hit.score for hit in once])


def test_a_clause_without_known_words_stays(place: Place) -> None:
    for text in ("", "  ", "nosuchwordanywhere"):
        body = {"query": {"match": {"content": {"query": text, "zero_terms_query": "all"}}}}
        assert place.engine.rewrite_body(body, Q).query == body


def test_q_1_leaves_a_body_as_it_is(place: Place) -> None:
    body = {"query": {"match": {"content": WORDS}}}
    rewritten = place.engine.rewrite_body(body, 1.0)
    assert (rewritten.query, rewritten.decision.weighting.q, rewritten.notes) == (body, 1.0, ())


@pytest.mark.parametrize("body", [None, [], "text"])
def test_a_body_is_a_mapping(place: Place, body: Any) -> None:
    with pytest.raises(qidf.errors.InvalidArgumentError, match="a body is a mapping"):
        place.engine.rewrite_body(body, Q)


def test_synonyms_and_search_analyzers() -> None:
    """Only OpenSearch's distribution comes with the filters for this."""
    pytest.importorskip("opensearchpy")
    url = server_urls("QIDF_OPENSEARCH_URL")[0]
    analysis = {
        "filter": {"same": {"type": "synonym", "synonyms": ["car, automobile"]}},
        "analyzer": {
            "with_synonyms": {"tokenizer": "standard", "filter": ["lowercase", "same"]},
            "stemmed": {"tokenizer": "standard", "filter": ["lowercase", "porter_stem"]},
        },
    }
    mappings = {
        "properties": {
            "content": {"type": "text", "analyzer": "standard", "search_analyzer": "with_synonyms"},
            "stemmed": {"type": "text", "analyzer": "stemmed"},
        }
    }
    texts = ["a red car", "an automobile", "the blue sky", "parsers parse", "more", "words"]
    documents = {str(at): {"content": text, "stemmed": text} for at, text in enumerate(texts)}
    index = ServerIndex(url, documents, 2, mappings, {"analysis": analysis})
    target = f"opensearch{url[len('http') :]}/{index.name}"
    try:
        with qidf.connect(target, field="content") as engine:
            plain = engine.search("blue sky", 5, Q)
            assert (plain.decision.weighting.q, plain.notes, plain[0].id) == (Q, (), "2")
            left = engine.search("red car", 5, Q)
            assert left.decision.weighting.is_bm25
            assert [note.kind for note in left.notes] == ["left alone"]
            assert {hit.id for hit in left} == {"0", "1"}
        with qidf.connect(target, field="stemmed") as engine:
            assert engine.analyze("Parsing parsers") == ["pars", "parser"]
            assert engine.statistics(["pars", "parse"]).doc_freqs == {"pars": 1, "parse": 0}
            assert [hit.id for hit in engine.search("parsing", 5, Q)] == ["3"]
        assert ask(url, "GET", f"/{index.name}/_count")["count"] == len(texts)
    finally:
        index.drop()
