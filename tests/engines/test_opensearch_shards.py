"""Counts over shards, indices and time, on real servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from engine_corpora import corpus
from engine_reference import Conventions, Reference, byte4
from opensearch_under_test import ServerIndex, ask, server_urls

import qidf
from qidf.engines.opensearch import lookup
from qidf.engines.opensearch.engine import OpenSearchEngine
from qidf.statistics import CorpusStats

Q = 0.5
WORDS = "return the parser of a config file with its handlers"
HOW = Conventions(1.2, 0.75, False, False, stored_length=byte4)


@pytest.fixture(scope="module")
def url() -> str:
    pytest.importorskip("opensearchpy")
    return server_urls("QIDF_OPENSEARCH_CLUSTER_URL")[0]


@pytest.fixture(scope="module")
def index(url: str) -> Iterator[ServerIndex]:
    made = ServerIndex(url, corpus("code"), 5)
    yield made
    made.drop()


def connect(url: str, name: str, **options: Any) -> OpenSearchEngine:
    engine = qidf.connect(f"opensearch{url[len('http') :]}/{name}", **options)
    assert isinstance(engine, OpenSearchEngine)
    return engine


def scores(reference: Reference, query: list[str]) -> dict[str, float]:
    return dict(zip(reference.ids, reference.scores(query, Q), strict=True))


def test_a_warm_query_is_one_round_trip_and_a_cold_one_two(index: ServerIndex, url: str) -> None:
    engine = connect(url, index.name)
    engine.search("the first words learn the schema", 5, Q)
    counts = []
    for text in (WORDS, WORDS, "handlers of a parser", "handlers of a parser"):
        before = engine.requests
        engine.search(text, 5, Q)
        counts.append(engine.requests - before)
    assert counts == [2, 1, 2, 1]
    before = engine.requests
    engine.statistics(engine.analyze(WORDS))
    assert engine.requests == before


def test_counts_are_forgotten_after_their_time(index: ServerIndex, url: str) -> None:
    engine = connect(url, index.name, ttl=0)
    engine.search(WORDS, 5, Q)
    before = engine.requests
    engine.search(WORDS, 5, Q)
    assert engine.requests - before == 2


def test_new_documents_are_seen_once_counts_are_fresh(url: str) -> None:
    index = ServerIndex(url, {str(at): f"word{at}" for at in range(20)}, 2)
    try:
        engine = connect(url, index.name, ttl=0)
        assert engine.statistics(["word1", "new"]).num_docs == 20
        index.add({"20": "word1 new", "21": "word1"})
        found = engine.statistics(["word1", "new"])
        assert (found.num_docs, dict(found.doc_freqs)) == (22, {"word1": 3, "new": 1})
    finally:
        index.drop()


def test_without_common_counts_scores_are_only_near(index: ServerIndex, url: str) -> None:
    engine = connect(url, index.name)
    reference = Reference(index.tokens(list(corpus("code"))), HOW)
    expected = scores(reference, engine.analyze(WORDS))
    body = engine.rewrite(WORDS, Q).query | {"size": 20}
    exact = dict(index.search(body, search_type="dfs_query_then_fetch"))
    near = dict(index.search(body))
    assert exact != near
    for key, score in exact.items():
        assert score == pytest.approx(expected[key], rel=1e-6)
    for key, score in near.items():
        assert score == pytest.approx(expected[key], rel=0.5)


def test_an_alias_over_several_indices_counts_them_all(url: str) -> None:
    texts = list(corpus("code").items())[:300]
    first = ServerIndex(url, dict(texts[:200]), 2)
    second = ServerIndex(url, dict(texts[200:]), 1)
    # Another that lacks the field must be neither counted nor given it.
    third = ServerIndex(url, {"x": {"other": "the words"}}, 1, {"properties": {}})
    names = [index.name for index in (first, second, third)]
    alias = f"{first.name}-alias"
    try:
        actions = [{"add": {"index": name, "alias": alias}} for name in names]
        ask(url, "POST", "/_aliases", {"actions": actions})
        tokens = first.tokens([key for key, _ in texts[:200]])
        tokens |= second.tokens([key for key, _ in texts[200:]])
        reference = Reference(tokens, HOW)
        for name in (alias, f"{first.name},{second.name}"):
            engine = connect(url, name, field="content")
            expected = scores(reference, engine.analyze(WORDS))
            assert engine.statistics(["the"]).num_docs == 300
            for hit in engine.search(WORDS, 20, Q):
                assert hit.score == pytest.approx(expected[hit.id], rel=1e-6)
        assert "content" not in str(ask(url, "GET", f"/{third.name}/_mapping"))
    finally:
        for index in (first, second, third):
            index.drop()


def test_custom_routing_and_empty_shards_are_counted(url: str) -> None:
    index = ServerIndex(url, {}, 5)
    try:
        lines = []
        for number in range(30):
            lines += [
                {"index": {"_id": str(number), "routing": "here" if number % 2 else "there"}},
                {"content": f"word{number % 3} all"},
            ]
        ask(url, "POST", f"/{index.name}/_bulk?refresh=true", lines=lines)
        engine = connect(url, index.name, field="content")
        assert len(engine.schema.shards) <= 2
        assert engine.schema.num_shards == 5
        found = engine.statistics(["word0", "all"])
        assert (found.num_docs, dict(found.doc_freqs)) == (30, {"word0": 10, "all": 30})
        assert engine.corpus_stats().num_tokens == 60
    finally:
        index.drop()


def test_an_empty_index_finds_nothing(url: str) -> None:
    index = ServerIndex(url, {}, 3)
    try:
        engine = connect(url, index.name, field="content")
        assert engine.search("anything", 3, Q).hits == ()
        assert engine.statistics(["anything"]).num_docs == 0
        assert engine.corpus_stats().num_docs == 0
        assert engine.search("anything", 3).hits == ()
    finally:
        index.drop()


def test_live_counts_stand_in_where_term_vectors_are_refused(
    index: ServerIndex, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = connect(url, index.name)
    monkeypatch.setattr(lookup, "MAX_SHARDS", 0)
    engine = connect(url, index.name)
    words = f"{WORDS} {WORDS}"
    assert engine.analyze(words) == exact.analyze(words)
    terms = sorted(set(exact.analyze(words)))
    # Without deleted documents both ways count the same.
    assert dict(engine.statistics(terms).doc_freqs) == dict(exact.statistics(terms).doc_freqs)
    assert engine.statistics(terms).num_docs == exact.statistics(terms).num_docs
    ours = [(hit.id, hit.score) for hit in engine.search(words, 10, Q)]
    assert ours == [(hit.id, hit.score) for hit in exact.search(words, 10, Q)]


def test_hapaxes_of_a_shard_are_confirmed_over_all(index: ServerIndex, url: str) -> None:
    tokens = index.tokens(list(corpus("code")))
    exact = CorpusStats.from_tokens(tokens.values())
    engine = connect(url, index.name)
    found = engine.corpus_stats(sample=400)
    assert (found.sampled, found.num_docs) == (400, exact.num_docs)
    assert found.num_tokens == exact.num_tokens
    assert found.htok_ci95 is not None
    assert found.htok_ci95[0] <= exact.htok <= found.htok_ci95[1]
    assert found.vocab_size == pytest.approx(exact.vocab_size, rel=0.15)
    # A sample, two requests' worth of documents, one of terms, and the schema.
    assert found.requests <= 12
    # What taking each shard's word for it would give.
    shards: dict[str, list[list[str]]] = {}
    for number in range(5):
        hits = index.search({"size": 1_000}, preference=f"_shards:{number}")
        shards[str(number)] = [tokens[key] for key, _ in hits]
    local = sum(
        CorpusStats.from_tokens(each).htok * sum(map(len, each)) for each in shards.values()
    )
    assert local / exact.num_tokens > 1.2 * exact.htok
    assert found.htok_ci95[1] < local / exact.num_tokens


@pytest.mark.parametrize("sample", [0, 1, -5, 20_000, 2.5, True])
def test_a_sample_is_a_sensible_number(index: ServerIndex, url: str, sample: Any) -> None:
    with pytest.raises(qidf.errors.InvalidArgumentError, match="sample"):
        connect(url, index.name).corpus_stats(sample=sample)


def test_ids_may_be_in_a_field(url: str) -> None:
    mappings = {"properties": {"content": {"type": "text"}, "key": {"type": "keyword"}}}
    documents = {str(at): {"content": f"word{at} shared", "key": f"k{at}"} for at in range(10)}
    index = ServerIndex(url, documents, 2, mappings)
    try:
        engine = connect(url, index.name, field="content", id="key")
        [hit] = engine.search("word3", 3, Q)
        assert hit.id == "k3"
        assert engine.explain("word3", "k3", Q).score == pytest.approx(hit.score)
        with pytest.raises(qidf.errors.UnknownIdError):
            engine.explain("word3", "3", Q)
    finally:
        index.drop()


def test_nothing_is_written(index: ServerIndex, url: str) -> None:
    def state() -> Any:
        stats = ask(url, "GET", f"/{index.name}/_stats/docs,indexing")
        both = [
            ask(url, "GET", f"/{index.name}/_mapping"),
            ask(url, "GET", f"/{index.name}/_settings"),
        ]
        return stats["_all"]["total"], both

    before = state()
    engine = connect(url, index.name)
    engine.search(WORDS, 5)
    engine.explain(WORDS, "f1", Q)
    engine.rewrite_body({"query": {"match": {"content": WORDS}}})
    engine.corpus_stats(sample=50)
    assert state() == before
