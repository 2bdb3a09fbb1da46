"""The proxy itself: searches are rewritten on their way, all else streams through untouched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import aiohttp
from aiohttp import web

from qidf.admission import Names, Patience
from qidf.admission.patience import BODY_SECONDS
from qidf.engines.opensearch.memory import DEFAULT_TTL, Memory
from qidf.engines.opensearch.proxy.bodies import (
    DFS,
    MAX_BODY,
    Outcome,
    Profile,
    indices_of,
    rewrite_search,
    rewrite_searches,
    split_searches,
    too_large,
    unpacked,
)
from qidf.engines.opensearch.proxy.identity import Address, Identity
from qidf.engines.opensearch.proxy.listening import listen
from qidf.engines.opensearch.proxy.passing import (
    Body,
    Connections,
    end_to_end,
    only_what_upstream_said,
    pieces,
    refused,
    stream_back,
)
from qidf.engines.opensearch.proxy.routes import Route, obstacle, route
from qidf.engines.opensearch.proxy.upstream import Upstream
from qidf.errors import InputError, InvalidArgumentError, QidfError
from qidf.weighting import AUTO, Weighting

T = TypeVar("T")

# Rewritten bodies that are kept, a few kilobytes each.
MAX_KEPT_BYTES = 32_000_000
MAX_KEPT_BODY = 16 * 1024
# Bodies that are held to be rewritten, all of them together; past this they stream through.
MAX_HELD_BYTES = 64_000_000
# A body this short is read in a millisecond; a longer one would keep all other clients waiting.
INLINE_BYTES = 32_000
# How long a search waits for counts before it goes out as it came.
PATIENCE = 2.0
# Refusals that are about a body rather than about who asks or for what.
REFUSED = (400, 413, 500)
# Headers that decide; one that comes twice is an attempt to say two things.
SINGLE = ("authorization", "content-encoding", "content-type", "host", "origin")


@dataclass(frozen=True, slots=True)
class ProxyOptions:
    """How to run; what is open in `weighting` each index and query decides.

    `names` are hosts to answer to.
    """

    upstream: str
    fields: tuple[str, ...]
    weighting: Weighting = AUTO
    ttl: float = DEFAULT_TTL
    patience: float = PATIENCE
    dfs: bool = True
    verify: bool = True
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Address.parse(self.upstream)
        if not self.fields:
            raise InvalidArgumentError("name the fields to rewrite, at least one.")
        if not self.patience > 0:
            raise InvalidArgumentError(f"patience is a time above 0, not {self.patience}.")


class Proxy:
    """One upstream server and the connections to it, and what is remembered of its answers."""

    def __init__(self, options: ProxyOptions, host: str = "127.0.0.1") -> None:
        """Pass on what comes in at this host."""
        self.options = options
        self.patience = Patience()
        self._names = Names(host, frozenset(options.names))
        self._address = Address.parse(options.upstream)
        if self._address.credentials is not None and not self._names.is_loopback:
            raise InvalidArgumentError(
                f"listening on {host} would lend the credentials in --upstream to other machines;"
                " leave them out and let clients bring their own, or listen on 127.0.0.1."
            )
        self._connections: Connections | None = None
        self._upstream: Upstream | None = None
        self._pending: dict[Hashable, asyncio.Task[Outcome]] = {}
        self._outcomes: Memory[Outcome] = Memory(options.ttl, MAX_KEPT_BYTES)
        self._held = 0
        # One large body is read at a time: it takes twenty times its size meanwhile.
        self._reader = ThreadPoolExecutor(1, "reading")

    def application(self) -> web.Application:
        """The application to serve; its client lives as long as it does."""
        app = web.Application(client_max_size=0)
        app.router.add_route("*", "/{path:.*}", self._handle)
        app.middlewares.append(self._watched)
        app.on_response_prepare.append(only_what_upstream_said)
        app.cleanup_ctx.append(self._connected)
        return app

    async def _connected(self, app: web.Application) -> AsyncIterator[None]:
        async with Connections.open(verify=self.options.verify) as connections:
            self._connections = connections
            self._upstream = Upstream(
                connections,
                self._address,
                self.options.fields,
                self.options.weighting,
                self.options.ttl,
            )
            yield
        self._reader.shutdown(wait=False, cancel_futures=True)

    @web.middleware
    async def _watched(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Answer only what is meant for the proxy, and keep time."""
        transport = request.transport
        if transport is not None:
            self.patience.asked(transport)
        try:
            return self._refusal(request) or await handler(request)
        finally:
            if transport is not None:
                self.patience.answered(transport)

    def _refusal(self, request: web.Request) -> web.Response | None:
        """What a request is answered with that doesn't reach the server."""
        headers = request.headers
        for name in SINGLE:
            if len(headers.getall(name, ())) > 1:
                return refused(400, f"the header {name} came twice")
        sentence = self._names.objection(
            headers.get("host", ""), headers.get("origin"), headers.get("sec-fetch-site")
        )
        if sentence is not None:
            return refused(403, sentence)
        try:
            self._address.at(request.raw_path)
        except InputError as error:
            return refused(400, str(error))
        return None

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        raw_path, _, raw_query = request.raw_path.partition("?")
        found = route(request.method, raw_path, raw_query)
        if found is None:
            return await self._pass_on(request, pieces(b"", request.content), None)
        if self._held > MAX_HELD_BYTES:
            return await self._pass_on(
                request, pieces(b"", request.content), _left("the proxy is busy"), found
            )
        try:
            body, rest = await asyncio.wait_for(_read(request.content), BODY_SECONDS)
        except asyncio.TimeoutError:
            return refused(408, "the body took too long to arrive")
        if rest:
            why = _left(str(too_large()))
            return await self._pass_on(request, pieces(body, request.content), why, found)
        with self._holding(body):
            return await self._search(request, found, raw_path, body)

    async def _search(
        self, request: web.Request, found: Route, raw_path: str, body: bytes
    ) -> web.StreamResponse:
        """Rewrite a search and send it on; whatever goes wrong, send it on as it came."""
        identity = Identity.of(request.headers, self._lent(request, found))
        # The same body again, as from a dashboard or a popular query, is looked up and sent.
        encoding = request.headers.get("content-encoding")
        key = (identity.key, raw_path, "search_type" in found.parameters, encoding, body)
        outcome, reason = self._outcomes.get(key), ""
        try:
            if outcome is None:
                # A client that goes away, or patience that ends, doesn't end the rewrite.
                rewrite = self._started(key, request, found, body, identity)
                outcome = await asyncio.wait_for(asyncio.shield(rewrite), self.options.patience)
        except QidfError as error:
            reason = str(error)
        except asyncio.TimeoutError:
            reason = "the server was slow to give counts"
        except Exception as error:
            # Whatever it is, a search that worked without the proxy must work with it.
            reason = f"unexpected {type(error).__name__}"
        if outcome is None:
            return await self._pass_on(request, body, _left(reason), found)
        if not outcome.changed:
            why = " ".join(outcome.reasons) or "nothing to rewrite"
            return await self._pass_on(request, body, _left(why), found)
        return await self._pass_on(request, body, f"rewritten {outcome.changed}", found, outcome)

    def _started(
        self, key: Hashable, request: web.Request, found: Route, body: bytes, identity: Identity
    ) -> asyncio.Task[Outcome]:
        """The rewrite of a body, which all who ask for it at once wait for together."""
        task = self._pending.get(key)
        if task is None:
            task = asyncio.create_task(self._rewrite(request, found, body, identity))
            self._pending[key] = task

            def finished(done: asyncio.Task[Outcome]) -> None:
                del self._pending[key]
                if done.cancelled() or done.exception() is not None:
                    return
                outcome = done.result()
                if outcome.changed and len(body) <= MAX_KEPT_BODY:
                    self._outcomes.put(key, outcome, len(body) + len(outcome.text))

            task.add_done_callback(finished)
        return task

    async def _rewrite(
        self, request: web.Request, found: Route, body: bytes, identity: Identity
    ) -> Outcome:
        upstream = self._upstream
        if upstream is None:
            raise QidfError("the proxy is starting.")
        reason = obstacle(found) or _unreadable(request)
        if reason is not None or not body:
            return Outcome("", 0, (reason or "there is no body",))
        with self._holding(body):
            encoding = request.headers.get("content-encoding", "identity").lower()
            text = await self._apart(encoding != "identity", unpacked, body, encoding)
            apart = partial(self._apart, len(text) > INLINE_BYTES)
            if found.kind == "search":
                profile = await upstream.profile(found.index, identity)
                return await upstream.drive(rewrite_search(text, profile), identity, apart)
            searches = await apart(split_searches, text, found.index)
            profiles: dict[str, Profile | QidfError] = {}
            for index in indices_of(searches):
                try:
                    profiles[index] = await upstream.profile(index, identity)
                except QidfError as error:
                    profiles[index] = error
            dfs = self.options.dfs and "search_type" not in found.parameters
            rewriting = rewrite_searches(searches, profiles, dfs=dfs)
            return await upstream.drive(rewriting, identity, apart)

    async def _pass_on(
        self,
        request: web.Request,
        body: Body,
        said: str | None,
        found: Route | None = None,
        outcome: Outcome | None = None,
    ) -> web.StreamResponse:
        """Send a request on and stream the answer back; a search is `found`.

        With an `outcome` its body goes out instead, and if the server refuses that, the original.
        """
        connections = self._connections
        if connections is None:
            raise web.HTTPServiceUnavailable
        headers = end_to_end(request.headers, request.headers.getall("connection", ()))
        lent = self._lent(request, found)
        if lent is not None:
            headers.append(("Authorization", lent))
        target, sent = request.raw_path, body if request.body_exists else None
        dropped = {"host"}
        if sent is None or isinstance(sent, bytes):
            dropped.add("content-length")
        if outcome is not None:
            sent = outcome.text.encode()
            dropped.add("content-encoding")
            if self.options.dfs and outcome.several_shards and found is not None:
                target += found.with_parameter("search_type", DFS, target)
            said = " ".join((f"{said};" if outcome.reasons else str(said), *outcome.reasons))
        # The client library fills in what is true of what it really sends.
        headers = [(name, value) for name, value in headers if name.lower() not in dropped]
        try:
            answer = await connections.request(
                request.method, self._address.at(target), headers, sent, reads=found is not None
            )
        except (aiohttp.ClientError, asyncio.TimeoutError) as error:
            return refused(502, f"the server can't be reached: {error or type(error).__name__}")
        if outcome is not None and answer.status in REFUSED:
            answer.release()
            why = _left(f"the server refuses the rewritten body (status {answer.status})")
            return await self._pass_on(request, body, why, found)
        return await stream_back(request, answer, said)

    def _lent(self, request: web.Request, found: Route | None) -> str | None:
        """The credentials in --upstream, for a search of a client without any of its own."""
        if found is None or "authorization" in request.headers:
            return None
        return self._address.credentials

    @contextmanager
    def _holding(self, body: bytes) -> Iterator[None]:
        self._held += len(body)
        try:
            yield
        finally:
            self._held -= len(body)

    async def _apart(self, apart: bool, work: Callable[..., T], *given: object) -> T:
        """Do work that takes long in a thread of its own, and other work at once."""
        if not apart:
            return work(*given)
        return await asyncio.get_running_loop().run_in_executor(self._reader, work, *given)


async def serve(
    options: ProxyOptions, host: str, port: int, *, ready: asyncio.Event | None = None
) -> None:
    """Listen until cancelled."""
    proxy = Proxy(options, host)
    await listen(proxy.application(), proxy.patience, host, port, ready)


async def _read(content: aiohttp.StreamReader) -> tuple[bytes, bool]:
    """Read a body up to the limit, and say whether there is more."""
    found: list[bytes] = []
    size = 0
    while size <= MAX_BODY:
        piece = await content.readany()
        if not piece:
            return b"".join(found), False
        found.append(piece)
        size += len(piece)
    return b"".join(found), True


def _unreadable(request: web.Request) -> str | None:
    kind = request.headers.get("content-type", "application/json").lower()
    return None if "json" in kind else f"the body is {kind.partition(';')[0]}, not JSON"


def _left(reason: str) -> str:
    return f"unchanged; {reason}"
