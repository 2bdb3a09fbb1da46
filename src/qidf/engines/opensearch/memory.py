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
# About 200 bytes each for terms and a few kilobytes for whole functions as queries.
MAX_TERMS = 200_000
MAX_TEXTS = 10_000


class Memory(Generic[V]):
    """Values that are forgotten after a time to live, the least recently used first when full."""

    def __init__(self, size: int, ttl: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.size = size
        self.ttl = ttl
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        """Return what is remembered, or None."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            if self._clock() - entry[0] > self.ttl:
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
            return entry[1]

    def put(self, key: Hashable, value: V) -> None:
        """Remember a value from now on."""
        with self._lock:
            self._kept[key] = (self._clock(), value)
            self._kept.move_to_end(key)
            while len(self._kept) > self.size:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)
