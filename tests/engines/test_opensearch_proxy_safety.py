"""What the proxy refuses, to whom it lends credentials, and what it tells whom."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proxy_under_test import Pretender, Recorder, Running, call, free_port, proxy_before, raw

pytest.importorskip("aiohttp")
from aiohttp import web

from qidf.admission import Patience
from qidf.engines.opensearch.proxy import bodies
from qidf.engines.opensearch.proxy.bodies import MAX_BODY, unpacked
from qidf.engines.opensearch.proxy.identity import Address
from qidf.engines.opensearch.proxy.server import Proxy, ProxyOptions
from qidf.errors import InputError, InvalidArgumentError

SEARCH = b'{"query":{"match":{"content":"alpha beta"}}}'
JSON = {"content-type": "application/json"}
OWN = "Basic dXNlcjpwYXNzd29yZA=="


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    made = Recorder()
    yield made
    made.running.stop()


@pytest.fixture(scope="module")
def lending(recorder: Recorder) -> Iterator[Running]:
    made = proxy_before(recorder.url.replace("//", "//user:password@"))
    yield made
    made.stop()


# what is unpacked


def test_a_bomb_is_unpacked_as_far_as_the_limit_and_sent_on_as_it_came(
    recorder: Recorder, lending: Running
) -> None:
    bomb = gzip.compress(b" " * 60_000_000)
    headers = {**JSON, "content-encoding": "gzip"}
    status, answered, _ = call(lending.port, "POST", "/code/_search", data=bomb, headers=headers)
    assert status == 201
    assert "larger than" in answered["x-qidf"]
    assert recorder.requests[-1][3] == bomb
    tracemalloc.start()
    with pytest.raises(InputError, match="larger than"):
        unpacked(bomb, "gzip")
    assert tracemalloc.get_traced_memory()[1] < 4 * MAX_BODY
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(SEARCH)[:-4], "gzip"),
        (gzip.compress(SEARCH) + gzip.compress(SEARCH), "gzip"),
        (gzip.compress(gzip.compress(SEARCH)), "gzip, gzip"),
        (b"no gzip", "gzip"),
        (SEARCH, "br"),
        (SEARCH, "zstd"),
        (SEARCH, "deflate"),
        (b"\xff\xfe", "identity"),
    ],
)
def test_what_cant_be_unpacked_with_certainty_is_left_alone(
    recorder: Recorder, lending: Running, body: bytes, encoding: str
) -> None:
    with pytest.raises(InputError):
        unpacked(body, encoding)
    headers = {**JSON, "content-encoding": encoding}
    _, answered, _ = call(lending.port, "POST", "/code/_search", data=body, headers=headers)
    assert answered["x-qidf"].startswith("unchanged; the body is")
    assert recorder.requests[-1][3] == body
    assert dict(recorder.requests[-1][2])["content-encoding"] == encoding


# who is answered


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:9250"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/code/_delete_by_query", "/code/_search", "/"])
def test_pages_of_others_and_rebound_names_reach_nothing(
    recorder: Recorder, lending: Running, headers: dict[str, str], path: str
) -> None:
    before = len(recorder.requests)
    status, _, got = call(lending.port, "POST", path, data=SEARCH, headers=headers)
    assert status == 403
    assert json.loads(got)["error"]["type"] == "qidf_proxy"
    assert len(recorder.requests) == before


def test_a_host_that_was_named_is_answered(recorder: Recorder) -> None:
    running = proxy_before(recorder.url, names=("search.example",))
    try:
        headers = {"Host": "search.example:9250", "Origin": "http://search.example:9250"}
        assert call(running.port, "GET", "/", headers=headers)[0] == 201
    finally:
        running.stop()


# where requests go


@pytest.mark.parametrize(
    "target",
    ["t://x/", "http://other.example/", "https://127.0.0.1:1/", "*", "other.example:80", "@other/",
     ":1/", ".other.example/", "", "x", "?a", "\\\\other/"],
)  # fmt: skip
def test_a_target_that_is_no_path_is_refused(
    recorder: Recorder, lending: Running, target: str
) -> None:
    before = len(recorder.requests)
    head = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    assert b" 400 " in raw(lending.port, head.encode()).split(b"\r\n")[0]
    assert len(recorder.requests) == before


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40)
    | st.text(st.sampled_from("/:@?#[]%.\\ab1"), max_size=12),
    st.sampled_from(
        ["http://host", "http://host:9200", "https://u:p@host/prefix/", "http://[::1]"]
    ),
)
def test_no_target_leads_to_another_server(target: str, upstream: str) -> None:
    address = Address.parse(upstream)
    try:
        found = address.at(target)
    except InputError:
        return
    assert target.startswith("/")
    assert found.origin() == address.base.origin()
    assert (found.user, found.password) == (None, None)
    # An empty query is dropped, and nothing else.
    prefix = address.base.raw_path.rstrip("/")
    assert found.raw_path_qs.rstrip("?") == (prefix + target).rstrip("?")


def test_a_redirect_is_handed_on_and_never_followed_with_credentials() -> None:
    other = Recorder()

    def redirect(request: web.BaseRequest, body: bytes) -> web.StreamResponse:
        return web.Response(status=307, headers={"Location": f"{other.url}/caught"})

    server = Pretender({}, redirect)
    running = proxy_before(server.url.replace("//", "//user:password@"))
    try:
        path = "/code/_search"
        status, _, _ = call(running.port, "POST", path, data=SEARCH, headers=JSON)
        assert status == 307
        assert other.requests == []
    finally:
        for each in (running, server.running, other.running):
            each.stop()


# to whom credentials are lent


@pytest.mark.parametrize(
    ("method", "path", "lent"),
    [
        ("POST", "/code/_search", True),
        ("GET", "/_msearch", True),
        ("POST", "/code/_delete_by_query", False),
        ("POST", "/_bulk", False),
        ("DELETE", "/code", False),
        ("GET", "/_security/user", False),
        ("POST", "/code/_search/../_delete_by_query", False),
        ("PUT", "/code/_search", False),
        ("TRACE", "/code/_search", False),
    ],
)
def test_credentials_go_with_searches_and_with_nothing_else(
    recorder: Recorder, lending: Running, method: str, path: str, lent: bool
) -> None:
    call(lending.port, method, path, data=SEARCH, headers=JSON)
    assert dict(recorder.requests[-1][2]).get("authorization") == (OWN if lent else None)
    theirs = {**JSON, "Authorization": "Basic theirs", "Connection": "Authorization, X-Hop"}
    call(lending.port, method, path, data=SEARCH, headers={**theirs, "X-Hop": "1"})
    sent = dict(recorder.requests[-1][2])
    assert sent["authorization"] == "Basic theirs"
    assert "x-hop" not in sent


def test_credentials_are_never_lent_to_other_machines() -> None:
    options = ProxyOptions("http://user:password@search.example:9200", ("content",))
    for host in ("0.0.0.0", "::", "192.168.1.5"):
        with pytest.raises(InvalidArgumentError, match="would lend"):
            Proxy(options, host)


# what is remembered for whom


def test_a_client_that_is_refused_stops_nobody_else() -> None:
    server = Pretender({"Basic good": ["alpha beta", "alpha", "beta gamma"]})
    running = proxy_before(server.url)
    try:

        def said(user: str) -> tuple[int, str]:
            headers = {**JSON, "Authorization": user}
            status, got, _ = call(
                running.port, "POST", "/code/_search", data=SEARCH, headers=headers
            )
            return status, got["x-qidf"]

        assert said("Basic wrong")[0] == 401
        assert said("Basic good")[1].startswith("rewritten 1")
        status, told = said("Basic wrong")
        assert status == 401
        assert told.startswith("unchanged")
        assert "alpha" not in told
    finally:
        running.stop()
        server.running.stop()


def test_each_user_gets_weights_from_what_it_may_see() -> None:
    rare, common = ["alpha"] + ["beta"] * 9, ["alpha"] * 9 + ["beta"]
    server = Pretender({"Basic a": rare, "Basic b": common})
    running = proxy_before(server.url)
    try:
        for user in ("Basic a", "Basic b", "Basic a"):
            headers = {**JSON, "Authorization": user}
            call(running.port, "POST", "/code/_search", data=SEARCH, headers=headers)
        first, second, third = (json.loads(body) for _, body in server.searches)
        assert first == third
        assert first != second
    finally:
        running.stop()
        server.running.stop()


def test_a_first_request_that_fails_settles_nothing() -> None:
    failing = [True]

    def answer(request: web.BaseRequest, body: bytes) -> web.StreamResponse | None:
        if failing[0]:
            return web.json_response({"error": "starting"}, status=503)
        if request.path == "/_cluster/settings":
            limit = {"indices.query.bool.max_clause_count": "6"}
            return web.json_response({"defaults": limit})
        return None

    server = Pretender({None: ["alpha beta", "alpha", "x y", "x z"]}, answer)
    running = proxy_before(server.url)
    try:
        words = " ".join(f"word{number}" for number in range(9))
        body = json.dumps({"query": {"match": {"content": f"{words} alpha beta"}}}).encode()
        assert call(running.port, "POST", "/code/_search", data=body, headers=JSON)[0] == 503
        failing[0] = False
        headers = {**JSON, "Authorization": "Basic other"}
        server.texts["Basic other"] = server.texts[None]
        call(running.port, "POST", "/code/_search", data=body, headers=headers)
        # Only OpenSearch tells its limit, so its limit was kept.
        should = json.loads(server.searches[-1][1])["query"]["bool"]["should"]
        assert 0 < len(should) <= 6
    finally:
        running.stop()
        server.running.stop()


# what goes wrong on the way


def test_half_a_pair_of_surrogates_is_the_servers_to_judge() -> None:
    server = Pretender({None: ["alpha beta", "alpha", "beta gamma"]})
    running = proxy_before(server.url)
    try:
        clause = r'{"match":{"content":{"query":"alpha \ud800","_name":"\udfff"}}}'
        for body in (clause, clause.replace("alpha ", "")):
            data = f'{{"query":{body}}}'.encode()
            got = call(running.port, "POST", "/code/_search", data=data, headers=JSON)
            assert got[0] == 200
            assert b"udfff" in server.searches[-1][1]
    finally:
        running.stop()
        server.running.stop()


def test_who_waits_to_be_told_to_continue_is_told(recorder: Recorder, lending: Running) -> None:
    for path in ("/code/_search", "/_bulk"):
        with socket.create_connection(("127.0.0.1", lending.port), timeout=10) as connection:
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            head += f"Content-Length: {len(SEARCH)}\r\nExpect: 100-continue\r\n"
            connection.sendall(f"{head}Connection: close\r\n\r\n".encode())
            assert b" 100 " in connection.recv(4096).split(b"\r\n")[0]
            connection.sendall(SEARCH)
            found = b""
            while piece := connection.recv(65536):
                found += piece
        assert b" 201 " in found.split(b"\r\n")[0]
        assert recorder.requests[-1][3] == SEARCH
        assert "expect" not in dict(recorder.requests[-1][2])


class OneEach:
    """A server that answers one request on a connection and closes it when the next one comes."""

    def __init__(self) -> None:
        self.answered: list[str] = []
        self.cut = 0
        self.running = Running(self._serve)
        self.url = f"http://127.0.0.1:{self.running.port}"

    async def _serve(self, running: Running) -> None:
        running.port = free_port()
        server = await asyncio.start_server(self._talk, "127.0.0.1", running.port)
        running.ready.set()
        async with server:
            await asyncio.Event().wait()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            size = [line for line in head.lower().split("\r\n") if "content-length" in line]
            await reader.readexactly(int(size[0].partition(":")[2]) if size else 0)
            self.answered.append(head.split()[1])
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            await writer.drain()
            await reader.readexactly(1)
            self.cut += 1
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


def test_a_server_that_closes_unused_connections_costs_no_request_and_doubles_none() -> None:
    server = OneEach()
    running = proxy_before(server.url)
    try:
        for number in range(8):
            for method, path in (("POST", "_search"), ("POST", "_bulk"), ("PUT", "_doc")):
                body = SEARCH if path == "_search" else b"x" * 10
                target = f"/c{number}/{path}" if path != "_bulk" else f"/c/_bulk?n={number}"
                assert call(running.port, method, target, data=body, headers=JSON)[0] == 200
        bulks = [path for path in server.answered if "_bulk" in path]
        assert bulks == [f"/c/_bulk?n={number}" for number in range(8)]
        assert server.cut > 0
    finally:
        running.stop()
        server.running.stop()


def test_a_long_body_is_read_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Pretender({None: ["alpha beta", "alpha", "beta gamma"]})
    running = proxy_before(server.url)
    try:
        clauses = ",".join(f'"number {number:06}"' for number in range(50_000))
        long = f'{{"query":{{"match":{{"content":"alpha"}}}},"x":[{clauses}]}}'.encode()
        assert 500_000 < len(long) <= MAX_BODY
        seen: list[str] = []
        read = bodies.parse

        def watched(text: str) -> object:
            if len(text) > 100_000:
                seen.append(threading.current_thread().name)
            return read(text)

        monkeypatch.setattr(bodies, "parse", watched)
        status, headers, _ = call(running.port, "POST", "/code/_search", data=long, headers=JSON)
        assert (status, headers["x-qidf"][:11]) == (200, "rewritten 1")
        assert seen
        assert all(name.startswith("reading") for name in seen)
    finally:
        running.stop()
        server.running.stop()


def test_who_sends_half_a_head_is_dropped_and_makes_room(recorder: Recorder) -> None:
    patience = Patience(max_connections=20, head_seconds=0.5)
    running = proxy_before(recorder.url, patience)
    half = []
    try:
        for _ in range(40):
            connection = socket.create_connection(("127.0.0.1", running.port), timeout=10)
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
            half.append(connection)
        assert call(running.port, "GET", "/")[0] == 201
        assert len(patience) <= 20
        # A byte now and then buys no time.
        for _ in range(4):
            time.sleep(0.2)
            for connection in half:
                with suppress(OSError):
                    connection.sendall(b".")
        for connection in half:
            connection.settimeout(5)
            with suppress(ConnectionError):
                assert connection.recv(10) == b""
    finally:
        for connection in half:
            connection.close()
        running.stop()


SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        f"Content-Length: {len(SMUGGLED) + 5}\r\nContent-Length: 5\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Host: evil.example\r\n",
        "Authorization: Basic a\r\nAuthorization: Basic b\r\n",
        "X: a\r\n Authorization: folded\r\n",
        "X: a\0b\r\n",
    ],
)
@pytest.mark.parametrize("path", ["/code/_search", "/_bulk"])
def test_a_request_that_says_two_things_is_refused(
    recorder: Recorder, lending: Running, headers: str, path: str
) -> None:
    before = len(recorder.requests)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n"
    found = raw(lending.port, f"{head}0\r\n\r\n{SMUGGLED}".encode("latin-1"), 2)
    assert b" 400 " in found.split(b"\r\n")[0]
    assert all("smuggled" not in each[1] for each in recorder.requests[before:])


def test_a_client_that_never_reads_is_dropped(recorder: Recorder) -> None:
    running = proxy_before(recorder.url, Patience(stall_seconds=0.3))
    try:
        body = b"x" * 30_000_000

        def push(connection: socket.socket) -> None:
            with suppress(OSError):
                connection.sendall(body)

        with socket.create_connection(("127.0.0.1", running.port), timeout=20) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            head = f"POST /_bulk HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode())
            push(connection)
            time.sleep(1)
            found: Any = 0
            try:
                while piece := connection.recv(1_000_000):
                    found += len(piece)
            except OSError:
                pass
            assert found < len(body)
    finally:
        running.stop()
