"""Slow clients are dropped, many are answered in turn, and one look at the disk serves them all."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from agent_repository import make_repository
from listening import Reply, Server, listening

from qidf.admission import Access, Patience
from qidf.serving import guard, queueing
from qidf.serving.queueing import MAX_WAITING, BusyError, Queue
from qidf.serving.web import Collection, create_application

HALF = b"GET /api/status HTTP/1.1\r\nHost: 127.0"


def test_a_hundred_half_sent_requests_lock_nobody_out(collection: Collection) -> None:
    patience = Patience(max_connections=30, head_seconds=0.5)
    with listening(create_application(collection), patience) as server, ExitStack() as stack:
        half = []
        for _ in range(100):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            half.append(stack.enter_context(connection))
            connection.sendall(HALF)
        assert server.get("/api/status").status == 200
        assert len(patience) <= 30
        # A byte now and then buys no time.
        for _ in range(4):
            time.sleep(0.2)
            for connection in half:
                with suppress(OSError):
                    connection.sendall(b".")
        for connection in half:
            with suppress(ConnectionError):
                assert connection.recv(10) == b""
        assert server.get("/api/status").status == 200


def test_a_body_that_comes_too_slowly_is_refused(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.3)
    with (
        listening(create_application(collection)) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection,
    ):
        head = "POST /api/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"
        connection.sendall(head.encode())
        assert b" 408 " in connection.recv(4096).split(b"\r\n")[0]


def test_a_connection_that_is_used_again_and_again_stays(collection: Collection) -> None:
    patience = Patience(head_seconds=0.3, idle_seconds=5)
    with (
        listening(create_application(collection), patience) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection,
    ):
        for _ in range(3):
            connection.sendall(b"GET /assets/theme.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            found = b""
            while b"\r\n\r\n" not in found or not found.endswith(b"\n"):
                found += connection.recv(65536)
            assert b" 200 " in found.split(b"\r\n")[0]
            time.sleep(0.5)


def test_an_answer_that_nobody_reads_ends() -> None:
    ended = threading.Event()

    async def endless(scope: object, receive: object, send: object) -> None:
        if scope["type"] == "lifespan":  # type: ignore[index]
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]
        piece = {"type": "http.response.body", "body": b"x" * 100_000, "more_body": True}
        before = time.monotonic()
        while time.monotonic() - before < 20:
            await send(piece)  # type: ignore[operator]
            message = asyncio.ensure_future(receive())  # type: ignore[operator]
            done, _ = await asyncio.wait([message], timeout=0.001)
            if done and message.result()["type"] == "http.disconnect":
                ended.set()
                return
            message.cancel()

    with (
        listening(endless, Patience(stall_seconds=0.3)) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert ended.wait(10)


def test_all_who_ask_at_once_share_one_refresh_that_began_after_they_asked() -> None:
    began: list[float] = []

    def refresh() -> None:
        began.append(time.monotonic())
        time.sleep(0.05)

    async def ask(queue: Queue, delay: float) -> tuple[float, int]:
        await asyncio.sleep(delay)
        asked = time.monotonic()
        await queue.refreshed()
        return asked, len(began)

    async def many() -> list[tuple[float, int]]:
        queue = Queue(refresh)
        return await asyncio.gather(*(ask(queue, 0.01 * (number % 3)) for number in range(60)))

    for asked, number in asyncio.run(many()):
        assert any(each >= asked for each in began[:number])
    assert len(began) <= 4


def test_a_refresh_that_fails_tells_all_who_wait_and_not_who_comes_next() -> None:
    failing = [True]

    def refresh() -> None:
        if failing[0]:
            raise OSError("gone")

    async def many() -> None:
        queue = Queue(refresh)
        found = await asyncio.gather(*(queue.refreshed() for _ in range(3)), return_exceptions=True)
        assert all(isinstance(each, OSError) for each in found)
        failing[0] = False
        await queue.refreshed()

    asyncio.run(many())


def test_questions_are_answered_in_the_order_they_came_and_too_many_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Several threads could overtake each other on their way here.
    monkeypatch.setattr(queueing, "THREADS", 1)
    order: list[int] = []
    gate = threading.Event()

    def work(number: int) -> None:
        gate.wait(10)
        order.append(number)

    async def many() -> None:
        queue = Queue(lambda: None)
        tasks = []
        for number in range(50):
            tasks.append(asyncio.create_task(queue.run(lambda number=number: work(number))))
            await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*tasks)
        gate.clear()
        tasks = [asyncio.create_task(queue.run(gate.wait)) for _ in range(MAX_WAITING + 1)]
        await asyncio.sleep(0.1)
        with pytest.raises(BusyError):
            await queue.run(gate.wait)
        gate.set()
        await asyncio.gather(*tasks)

    asyncio.run(many())
    assert order == list(range(50))


def call_tool(server: Server, name: str, arguments: dict[str, object]) -> Reply:
    """Call a tool without any session, as a client of the streamable transport may."""
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    return server.request("POST", "/mcp", body=json.dumps(body).encode(), headers=headers)


def test_two_hundred_agents_at_once_are_all_answered_and_leave_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp.server.mcpserver", reason="the server needs the extra mcp")
    from qidf.serving.mcp import Desk, http_application

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    desk = Desk.open([make_repository(tmp_path)])
    with (
        listening(http_application(desk, Access())) as server,
        ThreadPoolExecutor(200) as agents,
    ):

        def ask(number: int) -> Reply:
            return call_tool(server, "search", {"query": f"check_token_{number % 60}"})

        answers = list(agents.map(ask, range(200)))
        for number, reply in enumerate(answers):
            assert reply.status == 200
            assert "mcp-session-id" not in reply.headers
            assert f"check_token_{number % 60}".encode() in reply.body
        for method in ("GET", "DELETE", "PUT"):
            assert server.request(method, "/mcp").status == 405
