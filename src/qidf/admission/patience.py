"""How long a connection may take, and how many there may be: the slowest makes room for others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

# File descriptors are commonly limited to 1,024 a process, and some are needed for files.
MAX_CONNECTIONS = 800
# A request's head is a few hundred bytes; who takes longer is holding a place.
HEAD_SECONDS = 10.0
# A body is sent at once too, if larger.
BODY_SECONDS = 15.0
# Clients keep connections for their next request, the usual ones for less than this.
IDLE_SECONDS = 75.0
# An answer that isn't read for as long has no reader.
STALL_SECONDS = 30.0


@dataclass(slots=True)
class _Connection:
    """The deadlines of one connection: for what it shall send, and for what it shall read."""

    busy: bool = False
    sending: asyncio.TimerHandle | None = None
    reading: asyncio.TimerHandle | None = None


class Patience:
    """Watches the connections of one server; each is told of by its protocol, in the event loop."""

    def __init__(
        self,
        *,
        max_connections: int = MAX_CONNECTIONS,
        head_seconds: float = HEAD_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
        stall_seconds: float = STALL_SECONDS,
    ) -> None:
        """Drop who is slower than this."""
        self.max_connections = max_connections
        self.head_seconds, self.idle_seconds = head_seconds, idle_seconds
        self.stall_seconds = stall_seconds
        # Those that wait for a request, the longest first, are the first of the dictionary.
        self._connections: dict[asyncio.Transport, _Connection] = {}

    def __len__(self) -> int:
        """How many are open."""
        return len(self._connections)

    def opened(self, transport: asyncio.Transport) -> None:
        """Expect a request on a new connection; where there is no room, make some."""
        if len(self._connections) >= self.max_connections:
            slowest = next((each for each, c in self._connections.items() if c.sending), None)
            # Where all are being answered, the new one has to try again.
            self._drop(transport if slowest is None else slowest)
            if slowest is None:
                return
        self._connections[transport] = _Connection()
        self._expect(transport, self.head_seconds)

    def receives(self, transport: asyncio.Transport) -> None:
        """Bytes have come; if they begin a request, the rest of its head is due soon."""
        connection = self._connections.get(transport)
        if connection is not None and not connection.busy:
            self._expect(transport, self.head_seconds)

    def asked(self, transport: asyncio.Transport) -> None:
        """A request is being answered; how long that takes isn't the client's fault."""
        connection = self._connections.get(transport)
        if connection is not None:
            connection.busy = True
            _cancel(connection.sending)
            connection.sending = None

    def answered(self, transport: asyncio.Transport) -> None:
        """An answer has been sent, another request may come."""
        connection = self._connections.pop(transport, None)
        if connection is not None:
            # Back at the end: it has just been useful.
            self._connections[transport] = connection
            connection.busy = False
            self._expect(transport, self.idle_seconds)

    def stalls(self, transport: asyncio.Transport) -> None:
        """What is sent isn't read."""
        connection = self._connections.get(transport)
        if connection is not None and connection.reading is None:
            connection.reading = self._drop_after(self.stall_seconds, transport)

    def flows(self, transport: asyncio.Transport) -> None:
        """What was sent has been read."""
        connection = self._connections.get(transport)
        if connection is not None:
            _cancel(connection.reading)
            connection.reading = None

    def closed(self, transport: asyncio.Transport) -> None:
        """Forget a connection."""
        connection = self._connections.pop(transport, None)
        if connection is not None:
            _cancel(connection.sending)
            _cancel(connection.reading)

    def _expect(self, transport: asyncio.Transport, seconds: float) -> None:
        connection = self._connections.get(transport)
        if connection is None:
            return
        if connection.sending is not None:
            now = asyncio.get_running_loop().time()
            if connection.sending.when() <= now + seconds:
                # More bytes don't buy more time.
                return
            connection.sending.cancel()
        connection.sending = self._drop_after(seconds, transport)

    def _drop_after(self, seconds: float, transport: asyncio.Transport) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self._drop, transport)

    def _drop(self, transport: asyncio.Transport) -> None:
        self.closed(transport)
        transport.abort()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
