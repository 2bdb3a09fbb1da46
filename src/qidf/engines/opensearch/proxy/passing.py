"""Sending requests on and streaming answers back, so that both arrive as they were sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web
from yarl import URL

from qidf.admission.patience import STALL_SECONDS

HEADER = "x-qidf"
# These describe one connection and not the message (RFC 9110, 7.6.1). What a client expects before
# it sends a body is settled here as well.
HOP_BY_HOP = frozenset(
    {
        "connection",
        "expect",
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
# Sending these twice does what sending them once does (RFC 9110, 9.2.2).
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
# How long an unused connection to the server is kept.
KEPT_SECONDS = 60

Body = bytes | AsyncIterator[bytes] | None


class Connections:
    """Connections to the server: a pool, and new ones for what mustn't be sent twice.

    A server, or what stands before it, closes connections that nobody uses. A request that meets
    one as it closes is sent again, and whatever can't be is never sent on a used connection.
    """

    def __init__(self, pooled: aiohttp.ClientSession, new: aiohttp.ClientSession) -> None:
        """Use `open`."""
        self._pooled, self._new = pooled, new

    @classmethod
    @asynccontextmanager
    async def open(cls, *, verify: bool) -> AsyncIterator[Connections]:
        """Keep connections while this block runs; as many as there are clients."""
        options: dict[str, Any] = {
            "auto_decompress": False,
            "timeout": aiohttp.ClientTimeout(total=None, sock_connect=10),
            "skip_auto_headers": ("accept", "accept-encoding", "user-agent", "content-type"),
        }
        kept = aiohttp.TCPConnector(limit=0, ssl=verify, keepalive_timeout=KEPT_SECONDS)
        new = aiohttp.TCPConnector(limit=0, ssl=verify, force_close=True)
        async with (
            aiohttp.ClientSession(
                connector=kept, cookie_jar=aiohttp.DummyCookieJar(), **options
            ) as pooled,
            aiohttp.ClientSession(
                connector=new, cookie_jar=aiohttp.DummyCookieJar(), **options
            ) as fresh,
        ):
            yield cls(pooled, fresh)

    async def request(
        self, method: str, url: URL, headers: Any, body: Body, *, reads: bool = False
    ) -> aiohttp.ClientResponse:
        """Send a request, again if need be; one that only `reads` may be sent twice."""
        again = (reads or method in IDEMPOTENT) and (body is None or isinstance(body, bytes))
        options = {"headers": headers, "data": body, "allow_redirects": False}
        if again:
            try:
                return await self._pooled.request(method, url, **options)
            except aiohttp.ClientConnectorError:
                raise
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                pass
        return await self._new.request(method, url, **options)


async def stream_back(
    request: web.Request, answer: aiohttp.ClientResponse, said: str | None
) -> web.StreamResponse:
    """Hand an answer on as it comes, with what was done to the request in a header."""
    async with answer:
        response = web.StreamResponse(status=answer.status, reason=answer.reason)
        for name, value in end_to_end(answer.headers, answer.headers.getall("connection", ())):
            response.headers.add(name, value)
        if said is not None:
            response.headers[HEADER] = printable(said)
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


async def pieces(first: bytes, rest: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """A body as it comes, as long as it comes."""
    if first:
        yield first
    while piece := await asyncio.wait_for(rest.readany(), STALL_SECONDS):
        yield piece


def end_to_end(headers: Mapping[str, str], named: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Headers that belong to the message, without those of the connection.

    `named` are those that the Connection header names; only made-up ones may be, or a client
    could have its credentials or the length of its body taken out on the way.
    """
    dropped = {name.strip().lower() for value in named for name in value.split(",")}
    dropped = {name for name in dropped if name.startswith("x-")} | HOP_BY_HOP
    return [(name, value) for name, value in headers.items() if name.lower() not in dropped]


async def only_what_upstream_said(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Take out what the server library adds to every answer."""
    if isinstance(response, web.Response):
        return
    said = response.headers
    if said.get("Server", "").startswith("Python/"):
        del said["Server"]
        said.popall("Date", None)


def refused(status: int, reason: str) -> web.Response:
    """The proxy's own answer, in the form of the servers'."""
    return web.json_response(
        {"error": {"type": "qidf_proxy", "reason": reason}, "status": status},
        status=status,
        headers={HEADER: printable(reason)},
    )


def printable(text: str) -> str:
    """What may stand in a header: one line of plain characters, and not too many."""
    line = " ".join(text.split())[:500]
    return "".join(each if " " <= each <= "~" else "?" for each in line)
