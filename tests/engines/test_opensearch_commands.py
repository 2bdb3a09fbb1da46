"""What people type: advise, search, similarity and bad input, against real servers."""

from __future__ import annotations

import json
import math
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from engine_corpora import corpus
from opensearch_under_test import ServerIndex, ask, server_urls

import qidf
from qidf.cli import main

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    def invoke(*arguments: object, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(main, [str(each) for each in arguments], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture(scope="module")
def url() -> str:
    pytest.importorskip("opensearchpy")
    return server_urls("QIDF_OPENSEARCH_URL")[0]


@pytest.fixture(scope="module")
def index(url: str) -> Iterator[ServerIndex]:
    mappings = {
        "properties": {
            "content": {"type": "text"},
            "title": {"type": "text"},
            "kind": {"type": "keyword"},
            "size": {"type": "integer"},
            "hidden": {"type": "text", "index": False},
        }
    }
    documents = {key: {"content": text} for key, text in list(corpus("code").items())[:300]}
    made = ServerIndex(url, documents, 2, mappings)
    yield made
    made.drop()


def target(index: ServerIndex, field: str | None = "content") -> str:
    chosen = "" if field is None else f"?field={field}"
    return f"opensearch{index.url[len('http') :]}/{index.name}{chosen}"


def refused(result: Result) -> str:
    """One sentence on stderr, exit code 1, nothing on stdout."""
    assert result.exit_code == 1
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert line.startswith("qidf: ")
    return line.removeprefix("qidf: ")


def test_advise_says_what_it_took(run: Run, index: ServerIndex) -> None:
    found = json.loads(run("advise", target(index), "--json").stdout)
    assert found["num_docs"] == 300
    assert found["requests"] > 0
    assert (found["action"], found["q"]) == ("keep-bm25", 1.0)
    sampled = json.loads(run("advise", target(index), "--sample", "100", "--json").stdout)
    low, high = sampled["htok_ci95"]
    assert low <= found["htok"] <= high
    assert sampled["sampled"] == 100


def test_search_and_explain_ask_the_server(run: Run, index: ServerIndex) -> None:
    text = " ".join(corpus("code")["f7"].split()[:12])
    found = run("search", target(index), text, "-k", "3", "--q", "0.5", "--json")
    assert found.exit_code == 0, found.stderr
    assert "f7" in found.stdout
    explained = run("explain", target(index), text, "f7", "--q", "0.5")
    assert explained.exit_code == 0, explained.stderr


@pytest.mark.parametrize("product", ["opensearch", "elasticsearch"])
def test_similarity_prints_settings_and_steps(run: Run, product: str) -> None:
    shown = run("similarity", product, "--q", "0.5")
    settings = json.loads(run("similarity", product, "--q", "0.5", "--json").stdout)
    assert json.dumps(settings, indent=2) in shown.stdout
    lines = [line for line in shown.stdout.splitlines() if line.startswith("curl")]
    assert [line.split()[2] for line in lines] == ["POST", "PUT", "POST"]
    assert [line.split("INDEX")[1][:6] for line in lines] == ["/_clos", "/_sett", "/_open"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("opensearch",),
        ("opensearch", "--q", "0.5", "--apply"),
        ("elasticsearch", "--revert"),
        ("sqlite:nothing.db?table=t", "--q", "0.5"),
        ("nonsense", "--q", "0.5"),
    ],
)
def test_similarity_needs_an_address_for_what_changes_or_reads(run: Run, arguments: Any) -> None:
    assert "opensearch" in refused(run("similarity", *arguments)) or "elasticsearch" in arguments


def test_similarity_is_applied_after_asking_and_reverted(run: Run, index: ServerIndex) -> None:
    text = " ".join(corpus("code")["f7"].split()[:12])
    with qidf.connect(target(index)) as engine:
        boosted = {hit.id: hit.score for hit in engine.search(text, 300, 0.4, k3=math.inf)}
        plain = {hit.id: hit.score for hit in engine.search(text, 300, 1.0)}
    body = {"query": {"match": {"content": text}}, "size": 300}

    declined = run("similarity", target(index), "--q", "0.4", "--apply", stdin="n\n")
    assert declined.exit_code == 1
    assert dict(index.search(body, search_type="dfs_query_then_fetch")) == plain

    applied = run("similarity", target(index), "--q", "0.4", "--apply", stdin="y\n")
    assert applied.exit_code == 0, applied.stderr
    scored = index.search(body, search_type="dfs_query_then_fetch")
    found = {key: score for key, score in scored if score > 0}
    assert found.keys() == boosted.keys()
    for key, score in found.items():
        assert score == pytest.approx(boosted[key], rel=1e-6)

    # Its scores are no BM25's, so boosts on top of them would be wrong.
    assert "--revert" in refused(run("search", target(index), text, "--q", "0.5"))

    reverted = run("similarity", target(index), "--revert", "--yes")
    assert reverted.exit_code == 0, reverted.stderr
    assert dict(index.search(body, search_type="dfs_query_then_fetch")) == plain
    settings = ask(index.url, "GET", f"/{index.name}/_settings")
    assert "similarity" not in settings[index.name]["settings"]["index"]
    assert "nothing to revert" in refused(run("similarity", target(index), "--revert", "--yes"))


def test_a_similarity_of_ones_own_is_never_lost(run: Run, url: str) -> None:
    own = {"similarity": {"default": {"type": "BM25", "k1": 0.9}}}
    made = ServerIndex(url, {"1": "some words", "2": "others"}, settings={"index": own})
    try:
        before = ask(url, "GET", f"/{made.name}/_settings")
        refused(run("similarity", target(made), "--q", "0.5", "--apply", "--yes"))
        refused(run("similarity", target(made), "--revert", "--yes"))
        assert ask(url, "GET", f"/{made.name}/_settings") == before
        with qidf.connect(target(made)) as engine:
            assert engine.schema.fields["content"].k1 == 0.9  # type: ignore[attr-defined]
    finally:
        made.drop()


def test_a_server_that_refuses_a_similarity_gets_its_index_opened_again(run: Run) -> None:
    """The test distribution of OpenSearch 2 has no script language."""
    url = server_urls("QIDF_OPENSEARCH2_URL")[0]
    made = ServerIndex(url, {"1": "some words", "2": "others"})
    try:
        error = refused(run("similarity", target(made), "--q", "0.5", "--apply", "--yes"))
        assert "painless" in error
        assert made.search({"query": {"match": {"content": "words"}}})
    finally:
        made.drop()


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("nosuchfield", "no field 'nosuchfield'"),
        ("kind", "keyword field"),
        ("size", "type integer, not text"),
        ("hidden", "not indexed"),
        (None, "content, "),
    ],
)
def test_a_field_that_cant_be_searched_is_named(
    run: Run, index: ServerIndex, field: str | None, words: str
) -> None:
    assert words in refused(run("search", target(index, field), "word", "--q", "0.5"))
    assert words in refused(run("advise", target(index, field)))


def test_an_unknown_index_is_named(run: Run, url: str) -> None:
    where = f"opensearch{url[len('http') :]}/nosuchindex?field=content"
    assert "no index 'nosuchindex'" in refused(run("search", where, "word"))


def test_a_closed_index_is_said_to_be_closed(run: Run, url: str) -> None:
    made = ServerIndex(url, {"1": "words"})
    try:
        ask(url, "POST", f"/{made.name}/_close")
        assert "is closed" in refused(run("search", target(made), "word", "--q", "0.5"))
    finally:
        made.drop()


@pytest.mark.parametrize("scheme", ["opensearch", "elasticsearch"])
def test_an_unreachable_server_is_said_to_be(run: Run, scheme: str) -> None:
    pytest.importorskip("opensearchpy" if scheme == "opensearch" else "elasticsearch")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        # Bound and not listening: connections are refused at once.
        error = refused(run("search", f"{scheme}://127.0.0.1:{port}/code?field=content", "word"))
    assert f"http://127.0.0.1:{port} can't be reached" in error


@pytest.mark.parametrize("scheme", ["opensearch", "elasticsearch"])
def test_a_server_that_keeps_silent_is_given_up(run: Run, scheme: str) -> None:
    pytest.importorskip("opensearchpy" if scheme == "opensearch" else "elasticsearch")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        where = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}/code?field=content&timeout=0.2"
        assert "no answer" in refused(run("search", where, "word"))


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("opensearch:localhost/code", "two slashes"),
        ("opensearch://localhost:9200/", "one index"),
        ("opensearch://localhost:port/code", "port"),
        ("opensearch://:9200/code", "host"),
        ("opensearch://localhost:9200/code?fild=content", "no option 'fild'"),
        ("opensearch://localhost:9200/code?timeout=soon", "timeout"),
        ("opensearch://localhost:9200/code?timeout=0", "timeout"),
        ("opensearch://localhost:9200/code?tls=maybe", "tls"),
        ("opensearch://localhost:9200/code?ttl=-1", "ttl"),
        ("opensearch://localhost:9200/code?field=a&fields=b", "not both"),
        ("opensaerch://localhost:9200/code", "no engine"),
    ],
)
def test_a_malformed_address_is_refused_before_anything_is_asked(
    run: Run, where: str, words: str
) -> None:
    assert words in refused(run("search", where, "word"))


def test_credentials_are_refused_and_read_access_is_enough(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("elasticsearch")
    url = server_urls("QIDF_ELASTICSEARCH9_URL")[0]
    host = url.rpartition("@")[2]
    made = ServerIndex(url, dict(list(corpus("code").items())[:200]), 2)
    ask(url, "PUT", "/other", {"settings": {"number_of_replicas": 0}})
    try:
        reader = f"elasticsearch://reader:reads-tests@{host}"
        name = f"{made.name}?field=content"
        found = run("advise", f"{reader}/{name}", "--json")
        assert found.exit_code == 0, found.stderr
        assert json.loads(found.stdout)["num_docs"] == 200
        assert "reads-tests" not in found.stdout
        assert run("search", f"{reader}/{name}", "return", "--q", "0.5").exit_code == 0
        wrong = refused(run("search", f"elasticsearch://reader:wrong@{host}/{name}", "word"))
        assert "refuses these credentials" in wrong
        assert "refuses these credentials" in refused(
            run("search", f"elasticsearch://{host}/{name}", "word")
        )
        assert "read privilege" in refused(run("search", f"{reader}/other?field=content", "word"))
        # Changing an index is more than reading it.
        assert "privilege" in refused(
            run("similarity", f"{reader}/{name}", "--q", "0.5", "--apply", "--yes")
        )
    finally:
        made.drop()
        ask(url, "DELETE", "/other")


def test_clients_of_ones_own_keep_their_credentials(index: ServerIndex) -> None:
    opensearchpy = pytest.importorskip("opensearchpy")
    elasticsearch = pytest.importorskip("elasticsearch")
    client = opensearchpy.OpenSearch(index.url)
    with qidf.connect(client, index=index.name, field="content") as engine:
        assert len(engine.search("raise", 3, 0.5)) == 3
    assert client.ping()
    with pytest.raises(qidf.errors.InvalidArgumentError, match="index="):
        qidf.connect(client)
    with pytest.raises(qidf.errors.InvalidArgumentError, match="timeout"):
        qidf.connect(client, index=index.name, timeout=3)
    # An Elasticsearch client won't talk to another product.
    with pytest.raises(qidf.errors.EngineRejectedError, match="opensearch://"):
        qidf.connect(elasticsearch.Elasticsearch(index.url), index=index.name).search("a", 1, 0.5)
