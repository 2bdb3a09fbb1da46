"""What every reader of documents offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator

from qidf.index import Document


class Corpus(ABC):
    """Documents read one at a time; each pass over them starts afresh.

    `done` of `total` says how far the pass is, in bytes or files, whichever the reader knows ahead.
    `skipped` counts what was left out, by reason; nothing is ever left out without being counted.
    """

    def __init__(self) -> None:
        """Start with nothing read."""
        self.done = 0
        self.total = 0
        self.skipped: Counter[str] = Counter()

    @abstractmethod
    def __iter__(self) -> Iterator[Document]:
        """Read from the beginning."""

    def restart(self, total: int) -> None:
        """Forget what an earlier pass counted."""
        self.done, self.total = 0, total
        self.skipped.clear()
