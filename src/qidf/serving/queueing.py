"""Many who ask at once: few threads, first come first served, and one look at the disk for all."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TypeVar

from qidf.errors import MissingExtraError, QidfError

try:
    import anyio
    import anyio.to_thread
except ImportError as error:
    raise MissingExtraError("anyio", "serve") from error

T = TypeVar("T")

# More threads than cores only take turns, and whoever is woken last waits longest.
THREADS = max(2, os.cpu_count() or 2)
# Behind so many a question would be answered after its client has given up.
MAX_WAITING = 2_000


class BusyError(QidfError):
    """Too many are waiting."""


class Queue:
    """Questions in the order they came, answered in a few threads.

    A connection has one request under way, so the order of requests is fair to connections.
    """

    def __init__(self, refresh: Callable[[], object]) -> None:
        """Call `refresh` before questions that shall be answered from what is on disk now."""
        self._refresh = refresh
        self._threads = anyio.CapacityLimiter(THREADS)
        self._looking = anyio.CapacityLimiter(1)
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Do some work when its turn comes."""
        if self._threads.statistics().tasks_waiting >= MAX_WAITING:
            raise BusyError("too many questions are waiting; ask again in a minute")
        return await anyio.to_thread.run_sync(work, limiter=self._threads)

    async def refreshed(self) -> None:
        """Wait for a refresh that begins from now on; all who wait for one share it."""
        if self._next is None:
            self._next = asyncio.create_task(self._refresh_next(self._running))
            self._next.add_done_callback(_heard)
        # Who goes away meanwhile doesn't end it for the others.
        await asyncio.shield(self._next)

    async def _refresh_next(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        # From here on it may have looked too early for who comes now.
        self._running, self._next = self._next, None
        await anyio.to_thread.run_sync(self._look, limiter=self._looking)

    def _look(self) -> None:
        try:
            self._refresh()
        except KeyboardInterrupt:
            raise BusyError("the server is stopping; what was indexed is kept") from None


def _heard(task: asyncio.Task[None]) -> None:
    """Take note of an error though everybody who waited has gone."""
    if not task.cancelled():
        task.exception()
