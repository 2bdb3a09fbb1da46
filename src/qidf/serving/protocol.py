"""HTTP/1.1 as uvicorn speaks it, with a watch over how long each connection takes."""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from qidf.admission import Patience


def protocol_with(watched: Patience) -> type[asyncio.Protocol]:
    """The protocol of a server whose connections are watched by one patience."""

    class Protocol(PatientProtocol):
        patience = watched

    return Protocol


class PatientProtocol(H11Protocol):
    """Tells its patience what happens on a connection."""

    patience: Patience

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request."""
        found = cast(asyncio.Transport, transport)
        super().connection_made(found)
        self.patience.opened(found)

    def data_received(self, data: bytes) -> None:
        """Read bytes; a whole head among them begins an answer."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self.patience.receives(self.transport)
        else:
            self.patience.asked(self.transport)

    def on_response_complete(self) -> None:
        """Wait for the next request, or go on with one that has come already."""
        self.patience.answered(self.transport)
        before = self.cycle
        super().on_response_complete()
        if self.cycle is not before:
            self.patience.asked(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.patience.closed(self.transport)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client doesn't read."""
        self.patience.stalls(self.transport)
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client reads again."""
        self.patience.flows(self.transport)
        super().resume_writing()
