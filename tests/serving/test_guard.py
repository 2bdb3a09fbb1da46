"""What a real server refuses, and the headers on everything it answers."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest
from listening import Server, listening

from qidf.admission import Access
from qidf.serving.guard import MAX_BODY_BYTES
from qidf.serving.web import Collection, create_application

TOKEN = "a-token-of-enough-letters"


@pytest.fixture(scope="module")
def guarded(collection: Collection) -> Iterator[Server]:
    with listening(create_application(collection, Access("127.0.0.1", token=TOKEN))) as running:
        yield running


def test_a_rebound_name_is_refused(server: Server) -> None:
    reply = server.get("/api/status", Host="evil.example")
    assert reply.status == 403
    assert "Host" in reply.json["error"]


def test_a_page_of_another_origin_is_refused(server: Server) -> None:
    assert server.get("/api/status", Origin="https://evil.example").status == 403
    assert server.get("/api/status", Origin="null").status == 403
    assert server.get("/api/status", Origin=server.address).status == 200


def test_every_answer_has_the_security_headers(server: Server) -> None:
    for path, status in (("/", 200), ("/api/status", 200), ("/nowhere", 404)):
        reply = server.get(path)
        assert reply.status == status
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["x-frame-options"] == "DENY"
    assert server.get("/", Host="evil.example").headers["x-frame-options"] == "DENY"


def test_a_body_past_the_limit_is_refused_announced_or_not(server: Server) -> None:
    reply = server.request("POST", "/api/compare", body=b" " * (MAX_BODY_BYTES + 1))
    assert reply.status == 413
    head = f"POST /api/compare HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head.encode())
        for _ in range(MAX_BODY_BYTES // 0x10000 + 1):
            connection.sendall(chunk)
        assert b" 413 " in connection.recv(4096).split(b"\r\n")[0]


def test_a_header_that_decides_may_come_only_once(server: Server) -> None:
    request = (
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: http://a\r\nOrigin: http://b"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request.encode() + b"\r\nConnection: close\r\n\r\n")
        assert b" 400 " in connection.recv(4096).split(b"\r\n")[0]


def test_without_the_token_nothing_is_told(guarded: Server) -> None:
    for path in ("/", "/api/status", "/openapi.json", "/assets/page.js", "/?token=wrong"):
        reply = guarded.get(path)
        assert reply.status == 401
        assert set(reply.json) == {"error"}
        assert "set-cookie" not in reply.headers
    assert guarded.get("/", Authorization="Bearer wrong").status == 401
    assert guarded.get("/", Cookie="qidf_token=wrong").status == 401


def test_the_token_is_taken_from_the_header_or_once_from_the_address(guarded: Server) -> None:
    assert guarded.get("/api/status", Authorization=f"Bearer {TOKEN}").status == 200
    reply = guarded.get(f"/?token={TOKEN}")
    assert reply.status == 303
    assert reply.headers["location"] == "/"
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert guarded.get("/api/status", Cookie=cookie.partition(";")[0]).status == 200


def test_the_redirect_that_hides_the_token_stays_here(guarded: Server) -> None:
    reply = guarded.get(f"//evil.example?token={TOKEN}")
    assert reply.status == 303
    assert reply.headers["location"] == "/evil.example"


def test_the_guard_comes_before_the_token(guarded: Server) -> None:
    reply = guarded.get("/api/status", Host="evil.example", Authorization=f"Bearer {TOKEN}")
    assert reply.status == 403


def test_a_body_that_breaks_off_stops_nothing(server: Server) -> None:
    head = f"POST /api/compare HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    head += "Content-Length: 100\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head.encode() + b"{")
    assert json.loads(server.get("/api/status").body)["num_docs"] > 0
