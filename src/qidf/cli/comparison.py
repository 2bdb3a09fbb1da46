"""BM25 beside q-log: one query's rankings, and every function asked for its own docstring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from qidf.index import Hit, Index

# Ranks beyond are all alike to a reader.
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Comparison:
    """One query's hits at q = 1 and at q."""

    q: float
    bm25: list[Hit]
    qlog: list[Hit]

    def move(self, hit: Hit) -> str:
        """How a hit's rank at q differs from its rank at q = 1."""
        former = next((other.rank for other in self.bm25 if other.id == hit.id), None)
        if former is None:
            return f"▲ from beyond {DEPTH}"
        if former == hit.rank:
            return "="
        return f"{'▲' if former > hit.rank else '▼'} from {former}"


def compare(index: Index, text: str, q: float) -> Comparison:
    """Search twice."""
    return Comparison(q, index.search(text, DEPTH, 1.0), index.search(text, DEPTH, q))


@dataclass(frozen=True, slots=True)
class Tally:
    """How many queries found their own document, at q = 1 and at q."""

    num_queries: int
    q: float
    first: tuple[int, int]
    top_10: tuple[int, int]
    moved_up: int
    moved_down: int

    def __str__(self) -> str:
        """Say it in three lines."""
        count = f"{self.num_queries:,}"
        return "\n".join(
            [
                f"All {count} functions asked for their docstrings this way:",
                f"  first         BM25 {self.first[0]:>6,}   q-log {self.first[1]:>6,}",
                f"  in the top 10 BM25 {self.top_10[0]:>6,}   q-log {self.top_10[1]:>6,}",
                f"  moved up      {self.moved_up:,}, moved down {self.moved_down:,}"
                f" (ranks within {DEPTH})",
            ]
        )


def compare_all(index: Index, texts: Sequence[str], q: float) -> Tally:
    """Ask with every text for the document at the same position."""
    before, after = (_ranks(index, texts, each) for each in (1.0, q))
    return Tally(
        len(texts),
        q,
        (int((before == 1).sum()), int((after == 1).sum())),
        (int((before <= 10).sum()), int((after <= 10).sum())),
        int((after < before).sum()),
        int((after > before).sum()),
    )


def _ranks(index: Index, texts: Sequence[str], q: float) -> np.ndarray:
    """Each text's rank of its own document; one beyond the depth where it isn't found."""
    positions = index.rank(texts, DEPTH, q).positions
    own = positions == np.arange(len(texts))[:, None]
    return np.where(own.any(axis=1), own.argmax(axis=1) + 1, DEPTH + 1)
