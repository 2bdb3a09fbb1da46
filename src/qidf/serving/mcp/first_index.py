"""Indexing that begins before anyone asks, watched by whoever asks meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable

# An agent waits this long for a first index before it is told to come back: clients give up on a
# call after a minute unless progress keeps them waiting, which many ignore.
PATIENCE_SECONDS = 45.0


class FirstIndex:
    """How far the indexing of one folder is; `report` is what a repository calls meanwhile."""

    def __init__(self) -> None:
        """Nothing is being indexed."""
        self.done = self.total = 0
        # Counts the reports, so that who watches knows a new one from an old.
        self.reports = 0
        self._idle = threading.Event()
        self._idle.set()
        self._stopped = False

    @property
    def is_running(self) -> bool:
        """Whether indexing in the background has begun and not ended."""
        return not self._idle.is_set()

    def report(self, done: int, total: int) -> None:
        """Note how far it is; once it shall stop, stop it and keep what was read."""
        self.done, self.total = done, total
        self.reports += 1
        if self._stopped and done < total:
            raise KeyboardInterrupt

    def begin(self) -> None:
        """Let others wait from now on."""
        self._idle.clear()

    def run(self, refresh: Callable[[], object]) -> None:
        """Index; an error is left to the search that will meet it again and can tell someone."""
        try:
            if not self._stopped:
                refresh()
        except (Exception, KeyboardInterrupt):
            pass
        finally:
            self._idle.set()

    def stop(self) -> None:
        """Stop at the next report."""
        self._stopped = True

    def wait(self, seconds: float) -> bool:
        """Wait for what runs in the background; say whether it has ended."""
        return self._idle.wait(seconds)

    def __str__(self) -> str:
        """How far it is, in words."""
        return f"{self.done:,} of {self.total:,} files" if self.total else "files are being listed"
