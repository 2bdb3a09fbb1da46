"""The proxy itself: searches are rewritten on their way, all else streams through untouched."""

from __future__ import annotations

import asyncio
import base64
import gzip
import zlib
from collections.abc import AsyncIterator, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from yarl import URL

from qidf.engines.opensearch.memory import DEFAULT_TTL, Memory
from qidf.engines.opensearch.proxy.bodies import (
    DFS,
    Outcome,
    Profile,
    indices_of,
    rewrite_search,
    rewrite_searches,
    split_searches,
)
from qidf.engines.opensearch.proxy.routes import Route, obstacle, route
from qidf.engines.opensearch.proxy.upstream import Upstream
from qidf.errors import InvalidArgumentError, QidfError

HEADER = "x-qidf"
# A search body that a person or a program wrote is far smaller; larger ones stream through.
MAX_BODY = 4 * 1024 * 1024
# Rewritten bodies that are kept, a few kilobytes each.
MAX_OUTCOMES = 2_000
MAX_KEPT_BODY = 16 * 1024
# How long a search waits for counts before it goes out as it came.
PATIENCE = 2.0
# These describe one connection and not the message (RFC 9110, 7.6.1).
HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# Refusals that are about a body rather than about who asks or for what.
REFUSED = (400, 413, 500)
# What the proxy's own questions carry of a client's request: who is asking.
IDENTITY = ("authorization", "es-client-authentication", "security_tenant", "cookie")


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """How to run; `q` None estimates it for every index."""

    upstream: str
    fields: tuple[str, ...]
    q: float | None = None
    ttl: float = DEFAULT_TTL
    patience: float = PATIENCE
    dfs: bool = True
    verify: bool = True

    def __post_init__(self) -> None:
        url = URL(self.upstream)
        if url.scheme not in ("http", "https") or not url.host:
            raise InvalidArgumentError(
                f"{self.upstream!r} is no server to pass requests on to; write"
                " http://HOST:9200 or https://HOST:9200."
            )
        if not self.fields:
            raise InvalidArgumentError("name the fields to rewrite, at least one.")
        if not self.patience > 0:
            raise InvalidArgumentError(f"patience is a time above 0, not {self.patience}.")


class Proxy:
    """One upstream server, one pool of connections to it."""

    def __init__(self, options: ProxyOptions) -> None:
        self.options = options
        url = URL(options.upstream)
        self._base = str(url.with_user(None)).rstrip("/")
        self._own_identity = _basic(url)
        self._http: aiohttp.ClientSession | None = None
        self._upstream: Upstream | None = None
        self._pending: dict[Hashable, asyncio.Task[Outcome]] = {}
        self._outcomes: Memory[Outcome] = Memory(MAX_OUTCOMES, options.ttl)

    def application(self) -> web.Application:
        """The application to serve; its client lives as long as it does."""
        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/{path:.*}", self._handle)
        app.on_response_prepare.append(_only_what_upstream_said)
        app.cleanup_ctx.append(self._connections)
        return app

    async def _connections(self, app: web.Application) -> AsyncIterator[None]:
        async with aiohttp.ClientSession(
            # As many connections as there are clients: the server has limits of its own.
            connector=aiohttp.TCPConnector(limit=0, ssl=self.options.verify, keepalive_timeout=60),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
            skip_auto_headers=("accept", "accept-encoding", "user-agent", "content-type"),
        ) as http:
            self._http = http
            self._upstream = Upstream(
                http, self._base, self.options.fields, self.options.q, self.options.ttl
            )
            yield

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        raw_path, _, raw_query = request.raw_path.partition("?")
        found = route(request.method, raw_path, raw_query)
        if found is None:
            return await self._pass_on(request, request.raw_path, request.content, None)
        body, rest = await _read(request.content)
        if rest:
            reason = f"the body is larger than {MAX_BODY:,} bytes"
            return await self._pass_on(
                request, request.raw_path, _chained(body, request.content), _left(reason)
            )
        # The same body again, as from a dashboard or a popular query, is looked up and sent.
        encoding = request.headers.get("content-encoding")
        key = (raw_path, "search_type" in found.parameters, encoding, body)
        outcome, reason = self._outcomes.get(key), ""
        try:
            if outcome is None:
                # A client that goes away, or patience that ends, doesn't end the rewrite.
                rewrite = self._started(key, request, found, body)
                outcome = await asyncio.wait_for(asyncio.shield(rewrite), self.options.patience)
        except QidfError as error:
            reason = str(error)
        except asyncio.TimeoutError:
            reason = "the server was slow to give counts"
        except Exception as error:
            # Whatever it is, a search that worked without the proxy must work with it.
            reason = f"unexpected {type(error).__name__}"
        if outcome is None:
            return await self._pass_on(request, request.raw_path, body, _left(reason))
        if not outcome.changed:
            why = " ".join(outcome.reasons) or "nothing to rewrite"
            return await self._pass_on(request, request.raw_path, body, _left(why))
        target = request.raw_path
        if self.options.dfs and outcome.several_shards and "search_type" not in found.parameters:
            target += f"{'&' if raw_query else '?'}search_type={DFS}"
        said = f"rewritten {outcome.changed}"
        if outcome.reasons:
            said = f"{said}; {' '.join(outcome.reasons)}"
        return await self._pass_on(
            request, target, outcome.text.encode(), said, encoded=False, instead=body
        )

    def _started(
        self, key: Hashable, request: web.Request, found: Route, body: bytes
    ) -> asyncio.Task[Outcome]:
        """The rewrite of a body, which all who ask for it at once wait for together."""
        task = self._pending.get(key)
        if task is None:
            task = asyncio.create_task(self._rewrite(request, found, body))
            self._pending[key] = task

            def finished(done: asyncio.Task[Outcome]) -> None:
                del self._pending[key]
                if done.cancelled() or done.exception() is not None:
                    return
                if done.result().changed and len(body) <= MAX_KEPT_BODY:
                    self._outcomes.put(key, done.result())

            task.add_done_callback(finished)
        return task

    async def _rewrite(self, request: web.Request, found: Route, body: bytes) -> Outcome:
        upstream = self._upstream
        if upstream is None:
            raise QidfError("the proxy is starting.")
        reason = obstacle(found) or _unreadable(request)
        if reason is not None or not body:
            return Outcome("", 0, (reason or "there is no body",))
        text = _decoded(body, request.headers.get("content-encoding", "")).decode("utf-8")
        identity = self._identity(request)
        if found.kind == "search":
            profile = await upstream.profile(found.index, identity)
            return await upstream.drive(rewrite_search(text, profile), identity)
        searches = split_searches(text, found.index)
        profiles: dict[str, Profile | QidfError] = {}
        for index in indices_of(searches):
            try:
                profiles[index] = await upstream.profile(index, identity)
            except QidfError as error:
                profiles[index] = error
        dfs = self.options.dfs and "search_type" not in found.parameters
        return await upstream.drive(rewrite_searches(searches, profiles, dfs=dfs), identity)

    async def _pass_on(
        self,
        request: web.Request,
        target: str,
        body: bytes | aiohttp.StreamReader | AsyncIterator[bytes],
        said: str | None,
        *,
        encoded: bool = True,
        instead: bytes | None = None,
    ) -> web.StreamResponse:
        """Send a request on and stream the answer back.

        `instead` is the original of a body that was rewritten: if the server refuses what it was
        rewritten to, the original goes out.
        """
        http = self._http
        if http is None:
            raise web.HTTPServiceUnavailable
        headers = _end_to_end(request.headers, request.headers.getall("connection", ()))
        # The client fills these in for what it really sends.
        headers = [(name, value) for name, value in headers if name.lower() != "host"]
        if isinstance(body, bytes):
            headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
        if not encoded:
            dropped = "content-encoding"
            headers = [(name, value) for name, value in headers if name.lower() != dropped]
        if self._own_identity and not any(name.lower() == "authorization" for name, _ in headers):
            headers.append(("Authorization", self._own_identity))
        data = body if request.body_exists else None
        try:
            answer = await http.request(
                request.method,
                URL(f"{self._base}{target}", encoded=True),
                headers=headers,
                data=data,
                allow_redirects=False,
            )
        except (aiohttp.ClientError, asyncio.TimeoutError) as error:
            return _unreachable(self._base, error)
        if instead is not None and answer.status in REFUSED:
            answer.release()
            reason = _left(f"the server refuses the rewritten body (status {answer.status})")
            return await self._pass_on(request, request.raw_path, instead, reason)
        async with answer:
            response = web.StreamResponse(status=answer.status, reason=answer.reason)
            named = answer.headers.getall("connection", ())
            for name, value in _end_to_end(answer.headers, named):
                response.headers.add(name, value)
            if said is not None:
                response.headers[HEADER] = _printable(said)
            await response.prepare(request)
            try:
                async for chunk in answer.content.iter_any():
                    await response.write(chunk)
            except aiohttp.ClientError:
                # Half an answer must not look like a whole one.
                if request.transport is not None:
                    request.transport.abort()
                raise
            await response.write_eof()
            return response

    def _identity(self, request: web.Request) -> dict[str, str]:
        found = {name: request.headers[name] for name in IDENTITY if name in request.headers}
        if self._own_identity:
            found.setdefault("authorization", self._own_identity)
        return found


async def serve(
    options: ProxyOptions, host: str, port: int, *, ready: asyncio.Event | None = None
) -> None:
    """Listen until cancelled."""
    runner = web.AppRunner(
        Proxy(options).application(), auto_decompress=False, access_log=None, handle_signals=False
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port, backlog=1024)
        await site.start()
        if ready is not None:
            ready.set()
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


async def _read(content: aiohttp.StreamReader) -> tuple[bytes, bool]:
    """Read a body up to the limit, and say whether there is more."""
    pieces: list[bytes] = []
    size = 0
    while size <= MAX_BODY:
        piece = await content.readany()
        if not piece:
            return b"".join(pieces), False
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces), True


async def _chained(first: bytes, rest: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    yield first
    async for chunk in rest.iter_any():
        yield chunk


def _end_to_end(headers: Mapping[str, str], named: Sequence[str]) -> list[tuple[str, str]]:
    """Headers that belong to the message, without those of the connection."""
    dropped = HOP_BY_HOP | {name.strip().lower() for value in named for name in value.split(",")}
    return [(name, value) for name, value in headers.items() if name.lower() not in dropped]


async def _only_what_upstream_said(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Take out what the server library adds to every answer."""
    if isinstance(response, web.Response):
        return
    said = response.headers
    if said.get("Server", "").startswith("Python/"):
        del said["Server"]
        said.popall("Date", None)


def _unreadable(request: web.Request) -> str | None:
    kind = request.headers.get("content-type", "application/json").lower()
    if "json" not in kind:
        return f"the body is {kind.partition(';')[0]}, not JSON"
    encoding = request.headers.get("content-encoding", "identity").lower()
    return None if encoding in ("identity", "gzip") else f"the body is encoded as {encoding}"


def _decoded(body: bytes, encoding: str) -> bytes:
    if encoding.lower() != "gzip":
        return body
    with suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(body)
    raise QidfError("the body is no gzip.")


def _left(reason: str) -> str:
    return f"unchanged; {reason}"


def _printable(text: str) -> str:
    """What may stand in a header: one line of plain characters, and not too many."""
    line = " ".join(text.split())[:500]
    return "".join(each if " " <= each <= "~" else "?" for each in line)


def _basic(url: URL) -> str | None:
    if url.user is None:
        return None
    user = f"{url.user}:{url.password or ''}".encode()
    return f"Basic {base64.b64encode(user).decode()}"


def _unreachable(base: str, error: BaseException) -> web.Response:
    reason = f"{base} can't be reached: {error or type(error).__name__}"
    return web.json_response(
        {"error": {"type": "qidf_proxy", "reason": reason}, "status": 502},
        status=502,
        headers={HEADER: _printable(reason)},
    )
