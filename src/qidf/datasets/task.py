"""Many small datasets that are one task, such as one for each issue or each line of code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator

from qidf.datasets.dataset import Dataset


class Task(ABC):
    """Datasets made one at a time, so that all of them never sit in memory; each pass is afresh.

    `skipped` counts what the last pass left out, by reason.
    """

    def __init__(self, name: str, provenance: str) -> None:
        """Name the task; nothing is read until it is iterated over."""
        self.name = name
        self.provenance = provenance
        self.skipped: Counter[str] = Counter()

    @abstractmethod
    def __iter__(self) -> Iterator[Dataset]:
        """Make the datasets, counting those that can't be."""

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each reason that something was left out."""
        return tuple(
            f"{count:,} left out: {reason}." for reason, count in self.skipped.most_common()
        )
