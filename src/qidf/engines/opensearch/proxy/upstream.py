"""What the proxy itself asks the server for: schemas, counts, q; each kept for a while."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
from yarl import URL

from qidf.engines.opensearch.clients import ndjson
from qidf.engines.opensearch.dialects import ELASTICSEARCH, OPENSEARCH, Version
from qidf.engines.opensearch.estimation import estimate
from qidf.engines.opensearch.exchange import Exchange, Request
from qidf.engines.opensearch.proxy.bodies import Profile
from qidf.engines.opensearch.refusals import refusal, too_slow, unreachable
from qidf.engines.opensearch.session import IndexSession
from qidf.errors import EngineError, QidfError
from qidf.statistics import advise

T = TypeVar("T")

# Patterns in addresses are the client's choice, so what is kept for them is bounded.
MAX_PROFILES = 256
# q changes slowly and takes a dozen requests to estimate.
Q_TTL = 3600.0
# Reasons travel to clients, who needn't know where the server is.
SERVER = "the server"
# After a failure (no such field, no such index) the server isn't asked again at once.
FAILURE_TTL = 10.0


@dataclass(slots=True)
class _Kept:
    """A session with its q, or the failure to find one, and since when."""

    session: IndexSession
    q: float | None = None
    since: float = 0.0
    failure: QidfError | None = None
    learning: asyncio.Task[float] | None = None


class Upstream:
    """The server behind the proxy."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        url: str,
        fields: Sequence[str],
        q: float | None,
        ttl: float,
    ) -> None:
        """Use `q` for every index, or estimate it for each where it is None."""
        self._http = http
        self._url = url.rstrip("/")
        self._fields = tuple(fields)
        self._q = q
        self._ttl = ttl
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._capabilities: Any = None

    async def profile(self, index: str, headers: Mapping[str, str]) -> Profile:
        """Return what is known of an index, learning it with the caller's credentials first."""
        kept = self._kept.get(index)
        if kept is None:
            kept = self._kept[index] = _Kept(IndexSession(index, self._fields, self._ttl))
            while len(self._kept) > MAX_PROFILES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(index)
        now = time.monotonic()
        if kept.failure is not None and now - kept.since < FAILURE_TTL:
            raise kept.failure
        try:
            if self._capabilities is None:
                self._capabilities = await self._read_capabilities(headers)
            schema = await self.drive(kept.session.schema(), headers)
            q = self._q
            if q is None:
                q = kept.q
                if q is None or now - kept.since > Q_TTL:
                    q = await self._learn(kept, headers)
        except QidfError as error:
            kept.failure, kept.since = error, now
            raise
        kept.failure = None
        return Profile(kept.session, q, self._capabilities, schema.num_shards)

    async def drive(self, exchange: Exchange[T], headers: Mapping[str, str]) -> T:
        """Send what an exchange asks for until it has its result."""
        try:
            request = next(exchange)
            while True:
                try:
                    answer = await self._send(request, headers)
                except EngineError as error:
                    request = exchange.throw(error)
                else:
                    request = exchange.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _learn(self, kept: _Kept, headers: Mapping[str, str]) -> float:
        """Estimate q once for all requests that wait for it, and finish though they give up."""
        if kept.learning is None:
            kept.learning = asyncio.create_task(self._estimate(kept, dict(headers)))
        try:
            return await asyncio.shield(kept.learning)
        finally:
            if kept.learning is not None and kept.learning.done():
                kept.learning = None

    async def _estimate(self, kept: _Kept, headers: Mapping[str, str]) -> float:
        schema = await self.drive(kept.session.schema(), headers)
        stats = await self.drive(estimate(schema, kept.session.fields[0], None), headers)
        kept.q, kept.since = advise(stats).q, time.monotonic()
        return kept.q

    async def _read_capabilities(self, headers: Mapping[str, str]) -> Any:
        dialect, version = ELASTICSEARCH, Version(None)
        try:
            answer = await self._send(Request("GET", "/"), headers)
        except EngineError:
            # Some credentials may not ask; nothing that a rewrite needs differs then.
            answer = {}
        found = answer.get("version", {})
        if found.get("distribution") == "opensearch":
            dialect, version = OPENSEARCH, Version(found.get("number"))
        limit = await self.drive(dialect.read_max_clauses(), headers)
        return dialect.capabilities(version, limit)

    async def _send(self, request: Request, headers: Mapping[str, str]) -> Any:
        data, kind = None, "json"
        if request.lines is not None:
            data, kind = ndjson(request.lines), "x-ndjson"
        elif request.body is not None:
            data = json.dumps(request.body)
        url = URL(f"{self._url}{request.path}", encoded=True).with_query(dict(request.parameters))
        try:
            async with self._http.request(
                request.method,
                url,
                data=None if data is None else data.encode(),
                headers={**headers, "content-type": f"application/{kind}"},
            ) as answer:
                body = await answer.read()
                try:
                    parsed = json.loads(body) if body else {}
                except ValueError:
                    parsed = {"error": body[:200].decode(errors="replace")}
                if answer.status >= 400:
                    raise refusal(answer.status, parsed, SERVER)
                return parsed
        except asyncio.TimeoutError as error:
            raise too_slow(SERVER, None) from error
        except aiohttp.ClientError as error:
            raise unreachable(SERVER, type(error).__name__) from error
