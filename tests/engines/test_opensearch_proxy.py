"""The proxy before a real server, and before one that writes down every byte it is sent."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from click.testing import CliRunner
from engine_corpora import corpus
from opensearch_under_test import ServerIndex, server_urls
from proxy_under_test import Recorder, Running, call, free_port, proxy_before

import qidf
from qidf.cli import main

aiohttp = pytest.importorskip("aiohttp")

from qidf.engines.opensearch.proxy.server import MAX_BODY  # noqa: E402

TEXT = "return a list of parsers sorted by their names"


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    made = Recorder()
    yield made
    made.running.stop()


@pytest.fixture(scope="module")
def before_recorder(recorder: Recorder) -> Iterator[Running]:
    made = proxy_before(recorder.url)
    yield made
    made.stop()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/code/_bulk?refresh=true", b'{"index":{}}\n{"a":1.10}\n' * 10),
        ("PUT", "/code/_doc/a%2Fb%20c?routing=%C3%A9", b'{ "x" : 1e5 }'),
        ("POST", "/code/_search/template", b'{"id":"t","params":{}}'),
        ("POST", "/_search/scroll", b'{"scroll_id":"x"}'),
        ("DELETE", "/code", None),
        ("GET", "/_cat/indices?v&h=index", None),
        ("GET", "/code/_search?q=word", None),
        ("POST", "/code/_search", b"\x00\xff not json"),
        ("POST", "/code/_search", b'{"query":{"match":{"content":"x"}}}'),
        ("POST", "/code/_msearch", b'{}\n{"query":{"match":{"content":"x"}}}\n'),
        ("POST", "/code/_search", b'{"query":{"match":{"other":"x"}}}  '),
    ],
)
def test_what_isnt_rewritten_passes_byte_for_byte(
    recorder: Recorder, before_recorder: Running, method: str, path: str, body: bytes | None
) -> None:
    headers = {
        "Authorization": "Basic abc",
        "X-Custom": "Ünïcode".encode().decode("latin-1"),
        "content-type": "application/json",
        "Accept-Encoding": "gzip",
    }
    status, answered, got = call(before_recorder.port, method, path, data=body, headers=headers)
    asked = [each for each in recorder.requests if each[:2] == (method, path)][-1]
    assert asked[3] == (body or b"")
    sent = dict(asked[2])
    for name, value in headers.items():
        assert sent[name.lower()] == value
    assert "transfer-encoding" not in sent
    assert (status, got) == (201, body or b"")
    assert answered["X-Own"] == "yes"
    assert answered.getall("Set-Cookie") == ["a=1", "b=2"]
    if path.startswith(("/code/_search?", "/code/_msearch")) or path == "/code/_search":
        assert answered["x-qidf"].startswith("unchanged; ")
    else:
        assert "x-qidf" not in answered


def test_large_bodies_stream_both_ways(recorder: Recorder, before_recorder: Running) -> None:
    piece = bytes(range(256)) * 1_024
    number = 40

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(number):
            yield piece

    for path in ("/code/_bulk", "/code/_search"):
        status, headers, got = call(before_recorder.port, "POST", path, data=pieces())
        assert status == 201
        assert got == piece * number
        assert recorder.requests[-1][3] == piece * number
    assert len(piece) * number > MAX_BODY
    assert "larger" in headers["x-qidf"]


def test_half_an_answer_never_looks_whole(before_recorder: Running) -> None:
    with pytest.raises(aiohttp.ClientError):
        call(before_recorder.port, "GET", "/broken")


def test_a_server_that_is_gone_is_a_502_with_a_reason() -> None:
    running = proxy_before(f"http://127.0.0.1:{free_port()}")
    try:
        for path in ("/_cat/indices", "/code/_search"):
            body = b'{"query":{"match":{"content":"x"}}}'
            status, _, got = call(running.port, "POST", path, data=body)
            assert status == 502
            assert "can't be reached" in json.loads(got)["error"]["reason"]
    finally:
        running.stop()


@pytest.fixture(scope="module", params=["opensearch", "elasticsearch"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[ServerIndex, Running, Any]]:
    cluster = request.param == "opensearch"
    url = server_urls("QIDF_OPENSEARCH_CLUSTER_URL" if cluster else "QIDF_ELASTICSEARCH9_URL")[0]
    index = ServerIndex(url, corpus("code"), 3)
    running = proxy_before(url)
    engine = qidf.connect(f"{request.param}{url[len('http') :]}/{index.name}?field=content")
    yield index, running, engine
    running.stop()
    engine.close()
    index.drop()


def hits(body: bytes, compressed: bool = False) -> list[tuple[str, float]]:
    found = json.loads(gzip.decompress(body) if compressed else body)
    return [(hit["_id"], hit["_score"]) for hit in found["hits"]["hits"]]


def expected(engine: Any, k: int = 10, q: float = 0.5) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in engine.search(TEXT, k, q)]


JSON = {"content-type": "application/json", "accept-encoding": "identity"}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_search_is_scored_with_q_log(server: Any, method: str) -> None:
    index, running, engine = server
    body = json.dumps({"query": {"match": {"content": TEXT}}}).encode()
    path = f"/{index.name}/_search"
    status, headers, got = call(running.port, method, path, data=body, headers=JSON)
    assert status == 200
    assert headers["x-qidf"].startswith("rewritten 1")
    assert [score for _, score in hits(got)] == pytest.approx(
        [score for _, score in expected(engine)], rel=1e-6
    )


def test_an_index_pattern_and_gzip_are_understood(server: Any) -> None:
    index, running, engine = server
    body = gzip.compress(json.dumps({"query": {"match": {"content": TEXT}}}).encode())
    encoded = {"content-type": "application/json", "content-encoding": "gzip",
               "accept-encoding": "gzip"}  # fmt: skip
    path = f"/{index.name[:-1]}*,{index.name}/_search?size=3"
    status, headers, got = call(running.port, "POST", path, data=body, headers=encoded)
    assert (status, headers["x-qidf"][:11]) == (200, "rewritten 1")
    compressed = headers.get("content-encoding") == "gzip"
    found = hits(got, compressed)
    assert [score for _, score in found] == pytest.approx(
        [score for _, score in expected(engine, 3)], rel=1e-6
    )


def test_several_searches_are_rewritten_one_by_one(server: Any) -> None:
    index, running, engine = server
    match = {"query": {"match": {"content": TEXT}}}
    lines = [
        {}, match, {"index": "nosuchindex"}, match,
        {"index": [index.name]}, {"query": {"match_phrase": {"content": "return a"}}},
    ]  # fmt: skip
    body = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    kind = {**JSON, "content-type": "application/x-ndjson"}
    status, headers, got = call(
        running.port, "POST", f"/{index.name}/_msearch", data=body, headers=kind
    )
    assert status == 200
    assert headers["x-qidf"].startswith("rewritten 1")
    assert "nosuchindex" in headers["x-qidf"]
    first, second, third = json.loads(got)["responses"]
    assert [hit["_score"] for hit in first["hits"]["hits"]] == pytest.approx(
        [score for _, score in expected(engine)], rel=1e-6
    )
    assert second["status"] == 404
    assert third["status"] == 200


def test_what_cant_be_rewritten_comes_back_as_the_server_gives_it(server: Any) -> None:
    index, running, _ = server
    path = f"/{index.name}/_search"
    for query in (
        {"match": {"content": {"query": TEXT, "operator": "and"}}},
        {"match_phrase": {"content": "return a"}},
        {"nonsense": {}},
    ):
        body = {"query": query}
        data = json.dumps(body).encode()
        status, headers, got = call(running.port, "POST", path, data=data, headers=JSON)
        assert headers["x-qidf"].startswith("unchanged; ")
        if status == 200:
            direct = index.search(body)
            assert hits(got) == direct
        else:
            assert (status, json.loads(got)["error"]["type"]) == (400, "parsing_exception")


def test_wrong_credentials_get_the_servers_own_answer(server: Any) -> None:
    index, running, engine = server
    if not engine.name.startswith("Elasticsearch"):
        pytest.skip("the OpenSearch distribution for tests has no users")
    body = json.dumps({"query": {"match": {"content": TEXT}}}).encode()
    for user, expected_status in (("reader:wrong", 401), ("reader:reads-tests", 200)):
        encoded = base64.b64encode(user.encode()).decode()
        identity = {**JSON, "authorization": f"Basic {encoded}"}
        status, headers, _ = call(
            running.port, "POST", f"/{index.name}/_search", data=body, headers=identity
        )
        assert status == expected_status
        assert "WWW-Authenticate" in headers or status == 200


def test_hundreds_of_clients_at_once_get_the_same(server: Any) -> None:
    index, running, engine = server
    if engine.name.startswith("Elasticsearch"):
        pytest.skip("the same code; once is enough")
    body = json.dumps({"query": {"match": {"content": TEXT}}, "_source": False}).encode()
    call(running.port, "POST", f"/{index.name}/_search", data=body, headers=JSON)
    reference = [score for _, score in expected(engine)]

    async def many() -> list[tuple[int, str, bytes]]:
        connector = aiohttp.TCPConnector(limit=0)
        timeout = aiohttp.ClientTimeout(total=120)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:

            async def one() -> tuple[int, str, bytes]:
                where = f"http://127.0.0.1:{running.port}/{index.name}/_search"
                async with session.post(where, data=body, headers=JSON) as answer:
                    said = answer.headers.get("x-qidf", "")
                    return answer.status, said, await answer.read()

            return await asyncio.gather(*(one() for _ in range(300)))

    with ThreadPoolExecutor(1) as pool:
        answers = pool.submit(asyncio.run, many()).result()
    # A busy server may turn searches away (429), which the proxy passes on as it is.
    served = [(said, got) for status, said, got in answers if status == 200]
    assert {status for status, _, _ in answers} <= {200, 429}
    assert len(served) > 200
    for said, got in served:
        if said.startswith("rewritten"):
            assert [score for _, score in hits(got)] == pytest.approx(reference, rel=1e-6)
    assert sum(said.startswith("rewritten") for said, _ in served) > 200


@pytest.mark.parametrize(
    "arguments",
    [
        ("--upstream", "localhost:9200", "--field", "content"),
        ("--upstream", "ftp://localhost", "--field", "content"),
        ("--upstream", "http://localhost:9200", "--field", "content", "--listen", "nowhere"),
        ("--upstream", "http://localhost:9200", "--field", "content", "--listen", "127.0.0.1:0"),
        ("--upstream", "http://localhost:9200", "--field", "content", "--patience", "0"),
    ],
)
def test_a_command_that_makes_no_sense_is_one_sentence(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, ["proxy", *arguments])
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_one_sentence() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        result = CliRunner().invoke(
            main,
            ["proxy", "--upstream", "http://localhost:9200", "--field", "c", "--listen", where],
        )
    assert result.exit_code == 1
    assert "in use" in result.stderr
    assert len(result.stderr.splitlines()) == 1
