"""What has been asked for lately, so that a warm query needs no second round trip."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V = TypeVar("V")

# Counts drift slowly: at most a minute's worth of new documents is missing from a weight.
DEFAULT_TTL = 60.0
# Enough for 200,000 terms and the tokens of 10,000 whole functions.
MAX_BYTES = 64_000_000
# What an entry takes beside what it says: keys, numbers, places in the order.
ENTRY_BYTES = 200


class Memory(Generic[V]):
    """Values that are forgotten after a time to live, the least recently used first when full."""

    def __init__(
        self,
        ttl: float,
        max_bytes: int = MAX_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ttl, self.max_bytes = ttl, max_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._bytes = 0
        self._kept: OrderedDict[Hashable, tuple[float, int, V]] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        """Return what is remembered, or None."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            if self._clock() - entry[0] > self.ttl:
                self._drop(key)
                return None
            self._kept.move_to_end(key)
            return entry[2]

    def put(self, key: Hashable, value: V, size: int = 0) -> None:
        """Remember a value from now on; `size` is what key and value take, in bytes or nearly."""
        size += ENTRY_BYTES
        with self._lock:
            self._drop(key)
            if size > self.max_bytes:
                return
            self._kept[key] = (self._clock(), size, value)
            self._bytes += size
            while self._bytes > self.max_bytes:
                self._drop(next(iter(self._kept)))

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def _drop(self, key: Hashable) -> None:
        entry = self._kept.pop(key, None)
        if entry is not None:
            self._bytes -= entry[1]
