"""What the proxy itself asks the server for: schemas and counts; each kept for a while."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import aiohttp

from qidf.engines.contract import Capabilities, EngineStats
from qidf.engines.opensearch.clients import ndjson
from qidf.engines.opensearch.dialects import ELASTICSEARCH, OPENSEARCH, Version
from qidf.engines.opensearch.estimation import estimate
from qidf.engines.opensearch.exchange import Exchange, Request
from qidf.engines.opensearch.memory import Memory
from qidf.engines.opensearch.proxy.bodies import Profile
from qidf.engines.opensearch.proxy.identity import Address, Identity
from qidf.engines.opensearch.proxy.passing import Connections
from qidf.engines.opensearch.refusals import refusal, too_slow, unreachable
from qidf.engines.opensearch.session import IndexSession
from qidf.errors import EngineError, EngineRejectedError, QidfError
from qidf.weighting import Weighting, decide

T = TypeVar("T")

# Patterns in addresses are the client's choice, so what is kept for them is bounded.
MAX_PROFILES = 256
# What q follows from changes slowly and takes a dozen requests to estimate.
STATS_TTL = 3600.0
# Reasons travel to clients, who needn't know where the server is.
SERVER = "the server"
# After a failure (no such field, no such index) the server isn't asked again at once.
FAILURE_TTL = 10.0


# What a product can do is asked again, since another server may have come in its place.
CAPABILITIES_TTL = 300.0
# Estimates under way at once; each takes a dozen requests and some megabytes.
MAX_ESTIMATES = 2
# The counts of a long text on many shards; what is larger isn't about a search.
MAX_ANSWER = 64_000_000
# An answer this short is parsed in a millisecond or two.
INLINE_BYTES = 64_000

Apart = Callable[..., Awaitable[Any]]


@dataclass(slots=True)
class _Kept:
    """A session with what its index counts or the failure to, and since when each is known."""

    session: IndexSession
    stats: EngineStats | None = None
    stats_since: float = 0.0
    failure: QidfError | None = None
    failed_at: float = 0.0
    learning: asyncio.Task[EngineStats] | None = None


class Upstream:
    """The server behind the proxy, as each who asks sees it."""

    def __init__(
        self,
        connections: Connections,
        address: Address,
        fields: Sequence[str],
        weighting: Weighting,
        ttl: float,
    ) -> None:
        """Weigh by this, deciding what is open in it for each index and query."""
        self._connections, self._address = connections, address
        self._fields = tuple(fields)
        self._weighting, self._ttl = weighting, ttl
        self._memory: Memory[Any] = Memory(ttl)
        self._capabilities: Memory[Capabilities] = Memory(CAPABILITIES_TTL, MAX_PROFILES * 300)
        self._kept: OrderedDict[tuple[bytes, str], _Kept] = OrderedDict()
        self._estimates = asyncio.Semaphore(MAX_ESTIMATES)

    async def profile(self, index: str, identity: Identity) -> Profile:
        """Return what is known of an index, learning it with the caller's credentials first."""
        kept = self._kept_for(index, identity)
        now = time.monotonic()
        if kept.failure is not None and now - kept.failed_at < FAILURE_TTL:
            raise kept.failure
        try:
            capabilities = self._capabilities.get(identity.key)
            if capabilities is None:
                capabilities = await self._read_capabilities(identity)
                self._capabilities.put(identity.key, capabilities)
            schema = await self.drive(kept.session.schema(), identity)
            stats = kept.stats
            if self._weighting.q == "auto" and (
                stats is None or now - kept.stats_since > STATS_TTL
            ):
                stats = await self._learn(kept, identity)
        except QidfError as error:
            kept.failure, kept.failed_at = error, now
            raise
        kept.failure = None
        return Profile(
            kept.session,
            lambda text: decide(self._weighting, stats, query=text).weighting,
            capabilities,
            schema.num_shards,
        )

    async def drive(
        self, exchange: Exchange[T], identity: Identity, apart: Apart | None = None
    ) -> T:
        """Send what an exchange asks for until it has its result; `apart` runs its steps."""
        answer: Any = None
        while True:
            work = partial(_advance, exchange, answer)
            step = work() if apart is None else await apart(work)
            if isinstance(step, _Result):
                result: T = step.value
                return result
            try:
                answer = await self._send(step, identity)
            except EngineError as error:
                # The exchange may know another way.
                answer = error

    def _kept_for(self, index: str, identity: Identity) -> _Kept:
        key = (identity.key, index)
        kept = self._kept.get(key)
        if kept is None:
            session = IndexSession(
                index, self._fields, self._ttl, memory=self._memory, scope=identity.key
            )
            kept = self._kept[key] = _Kept(session)
            while len(self._kept) > MAX_PROFILES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return kept

    async def _learn(self, kept: _Kept, identity: Identity) -> EngineStats:
        """Count once for all requests that wait for it, and finish though they give up."""
        if kept.learning is None:
            kept.learning = asyncio.create_task(self._estimate(kept, identity))
        try:
            return await asyncio.shield(kept.learning)
        finally:
            if kept.learning is not None and kept.learning.done():
                kept.learning = None

    async def _estimate(self, kept: _Kept, identity: Identity) -> EngineStats:
        async with self._estimates:
            schema = await self.drive(kept.session.schema(), identity)
            stats = await self.drive(estimate(schema, kept.session.fields[0], None), identity)
        kept.stats, kept.stats_since = stats, time.monotonic()
        return stats

    async def _read_capabilities(self, identity: Identity) -> Capabilities:
        dialect, version = ELASTICSEARCH, Version(None)
        try:
            answer = await self._send(Request("GET", "/"), identity)
        except EngineRejectedError:
            # Some credentials may not ask; nothing that a rewrite needs differs then.
            answer = {}
        found = answer.get("version", {})
        if found.get("distribution") == "opensearch":
            dialect, version = OPENSEARCH, Version(found.get("number"))
        limit = await self.drive(dialect.read_max_clauses(), identity)
        return dialect.capabilities(version, limit)

    async def _send(self, request: Request, identity: Identity) -> Any:
        data, kind = None, "json"
        if request.lines is not None:
            data, kind = ndjson(request.lines), "x-ndjson"
        elif request.body is not None:
            data = json.dumps(request.body)
        try:
            answer = await self._connections.request(
                request.method,
                self._address.at(request.path).with_query(dict(request.parameters)),
                {**identity.headers, "content-type": f"application/{kind}"},
                None if data is None else data.encode(),
                # What is asked here changes nothing on the server.
                reads=True,
            )
            async with answer:
                body = await _read(answer.content)
        except asyncio.TimeoutError as error:
            raise too_slow(SERVER, None) from error
        except aiohttp.ClientError as error:
            raise unreachable(SERVER, type(error).__name__) from error
        parse = partial(_parsed, body)
        large = len(body) > INLINE_BYTES
        parsed = await asyncio.to_thread(parse) if large else parse()
        if answer.status >= 400:
            raise refusal(answer.status, parsed, SERVER)
        return parsed


@dataclass(frozen=True, slots=True)
class _Result:
    """What an exchange has come to."""

    value: Any


def _advance(exchange: Exchange[Any], answer: Any) -> Request | _Result:
    """Take an exchange to its next request or its end."""
    try:
        if isinstance(answer, EngineError):
            return exchange.throw(answer)
        return exchange.send(answer)
    except StopIteration as end:
        return _Result(end.value)


async def _read(content: aiohttp.StreamReader) -> bytes:
    found = bytearray()
    async for piece in content.iter_any():
        found += piece
        if len(found) > MAX_ANSWER:
            raise EngineRejectedError(f"{SERVER} answers with more than {MAX_ANSWER:,} bytes.")
    return bytes(found)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body) if body else {}
    except ValueError:
        return {"error": body[:200].decode(errors="replace")}
