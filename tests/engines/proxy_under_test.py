"""The proxy in a thread, before servers that write down what they are sent or pretend to search."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

aiohttp = pytest.importorskip("aiohttp")
from aiohttp import web  # noqa: E402

from qidf.admission import Patience  # noqa: E402
from qidf.engines.opensearch.proxy.listening import listen  # noqa: E402
from qidf.engines.opensearch.proxy.server import Proxy, ProxyOptions  # noqa: E402
from qidf.weighting import wanted  # noqa: E402


class Running:
    """A coroutine in a thread of its own, until it is stopped."""

    def __init__(self, make: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.port = 0
        self._make = make
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self.ready.wait(20)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self._task = self.loop.create_task(self._make(self))
        try:
            self.loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass
        finally:
            self.loop.close()

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def proxy_before(upstream: str, patience: Patience | None = None, **options: Any) -> Running:
    """The proxy before a server, rewriting matches on `content`."""

    async def run(running: Running) -> None:
        running.port = free_port()
        ready = asyncio.Event()
        proxy = Proxy(
            ProxyOptions(upstream, ("content",), **{"weighting": wanted(q=0.5), **options})
        )
        if patience is not None:
            proxy.patience = patience
        task = asyncio.create_task(
            listen(proxy.application(), proxy.patience, "127.0.0.1", running.port, ready)
        )
        await ready.wait()
        running.ready.set()
        await task

    return Running(run)


class Recorder:
    """Answers everything with what it was sent, in pieces, and counts nothing out."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, list[tuple[str, str]], bytes]] = []
        self.running = Running(self._serve)
        self.url = f"http://127.0.0.1:{self.running.port}"

    async def _serve(self, running: Running) -> None:
        runner = web.ServerRunner(web.Server(self._answer, auto_decompress=False))
        await runner.setup()
        running.port = free_port()
        await web.TCPSite(runner, "127.0.0.1", running.port).start()
        running.ready.set()
        try:
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.content.read()
        sent = [(name.lower(), value) for name, value in request.headers.items()]
        self.requests.append((request.method, request.raw_path, sent, body))
        if "broken" in request.raw_path:
            response = web.StreamResponse(headers={"content-length": "1000"})
            await response.prepare(request)
            await response.write(b"half")
            assert request.transport is not None
            request.transport.abort()
            return response
        if "_field_caps" in request.raw_path or "_mtermvectors" in request.raw_path:
            return web.json_response({"error": "no"}, status=400)
        response = web.StreamResponse(status=201, reason="Made", headers={"X-Own": "yes"})
        response.headers.add("Set-Cookie", "a=1")
        response.headers.add("Set-Cookie", "b=2")
        await response.prepare(request)
        for start in range(0, len(body), 70_000):
            await response.write(body[start : start + 70_000])
        await response.write_eof()
        return response


def call(port: int, method: str, path: str, **options: Any) -> tuple[int, Any, bytes]:
    async def run() -> tuple[int, Any, bytes]:
        timeout = aiohttp.ClientTimeout(total=30)
        async with (
            aiohttp.ClientSession(timeout=timeout, auto_decompress=False) as session,
            session.request(
                method,
                aiohttp.client.URL(f"http://127.0.0.1:{port}{path}", encoded=True),
                allow_redirects=False,
                **options,
            ) as answer,
        ):
            return answer.status, answer.headers, await answer.read()

    return asyncio.run(run())


Answer = Callable[[web.BaseRequest, bytes], web.StreamResponse | None]


class Pretender:
    """As much of OpenSearch as a rewrite asks for, over texts of which each user sees some.

    `answer` may answer a request in its place.
    """

    def __init__(self, texts: dict[str | None, list[str]], answer: Answer | None = None) -> None:
        self.texts = texts
        self.answer = answer
        self.searches: list[tuple[dict[str, str], bytes]] = []
        self.running = Running(self._serve)
        self.url = f"http://127.0.0.1:{self.running.port}"

    async def _serve(self, running: Running) -> None:
        runner = web.ServerRunner(web.Server(self._answer, auto_decompress=False))
        await runner.setup()
        running.port = free_port()
        await web.TCPSite(runner, "127.0.0.1", running.port).start()
        running.ready.set()
        try:
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.content.read()
        if self.answer is not None and (found := self.answer(request, body)) is not None:
            return found
        user = request.headers.get("authorization")
        if user not in self.texts:
            return web.json_response({"error": "who?"}, status=401)
        return web.json_response(self._found(request, body, self.texts[user]))

    def _found(self, request: web.BaseRequest, body: bytes, texts: list[str]) -> Any:
        path = request.path
        if path == "/":
            return {"version": {"distribution": "opensearch", "number": "3.8.0"}}
        if "_field_caps" in path:
            return {"indices": ["code"], "fields": {"content": {"text": {}}}}
        if "_msearch" in path:
            hits = {"hits": [{"_id": "0"}]}
            one = {"_shards": {"total": 1}, "hits": hits}
            return {"responses": [one] * (len(body.splitlines()) // 2)}
        if "_mtermvectors" in path:
            docs = json.loads(body)["docs"]
            return {"docs": [self._vectors(doc["doc"]["content"], texts) for doc in docs]}
        if "_search" in path:
            self.searches.append((dict(request.headers), body))
        return {}

    def _vectors(self, text: str, texts: list[str]) -> Any:
        doc_freqs = Counter(word for each in texts for word in set(each.split()))
        terms: dict[str, Any] = {}
        for position, word in enumerate(text.lower().split()):
            entry = terms.setdefault(
                word, {"doc_freq": doc_freqs[word], "ttf": doc_freqs[word], "tokens": []}
            )
            entry["tokens"].append({"position": position})
        field = {"doc_count": len(texts), "sum_ttf": 100}
        return {"term_vectors": {"content": {"field_statistics": field, "terms": terms}}}


def raw(port: int, request: bytes, seconds: float = 10.0) -> bytes:
    """Everything that comes back for some bytes until the connection ends or nothing comes."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(request)
        found = b""
        try:
            while piece := connection.recv(65536):
                found += piece
        except OSError:
            pass
        return found
