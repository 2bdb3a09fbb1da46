"""Listening for clients, with patience for each of them and no more than that."""

from __future__ import annotations

import asyncio
from typing import cast

from aiohttp import web

from qidf.admission import Patience


class Watched(asyncio.Protocol):
    """The server library's protocol, and a watch over how long its connection takes."""

    def __init__(self, inner: asyncio.Protocol, patience: Patience) -> None:
        self._inner, self._patience = inner, patience
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request."""
        self._transport = cast(asyncio.Transport, transport)
        self._inner.connection_made(transport)
        self._patience.opened(self._transport)

    def data_received(self, data: bytes) -> None:
        """Hand bytes on."""
        self._inner.data_received(data)
        if self._transport is not None:
            self._patience.receives(self._transport)

    def eof_received(self) -> bool | None:
        """Hand the end on."""
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._transport is not None:
            self._patience.closed(self._transport)
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """The client doesn't read."""
        if self._transport is not None:
            self._patience.stalls(self._transport)
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._transport is not None:
            self._patience.flows(self._transport)
        self._inner.resume_writing()


async def listen(
    application: web.Application,
    patience: Patience,
    host: str,
    port: int,
    ready: asyncio.Event | None = None,
) -> None:
    """Serve an application until cancelled; it tells `patience` when it has begun and ended."""
    runner = web.AppRunner(
        application, auto_decompress=False, access_log=None, handle_signals=False
    )
    await runner.setup()
    try:
        server = runner.server
        if server is None:
            raise RuntimeError("the server library made no server")
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(
            lambda: Watched(server(), patience), host, port, backlog=1024, reuse_address=True
        )
        async with listening:
            if ready is not None:
                ready.set()
            await asyncio.Event().wait()
    finally:
        await runner.cleanup()
