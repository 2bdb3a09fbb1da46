"""BM25 beside another weighting: one query, and every function asked for its own docstring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from qidf.index import Hit, Index
    from qidf.weighting import Weighting

# Ranks beyond are all alike to a reader.
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Comparison:
    """One query's hits by BM25 and by a weighting."""

    weighting: Weighting
    bm25: list[Hit]
    weighed: list[Hit]

    def move(self, hit: Hit) -> str:
        """How a hit's rank by the weighting differs from its rank by BM25."""
        former = next((other.rank for other in self.bm25 if other.id == hit.id), None)
        if former is None:
            return f"▲ from beyond {DEPTH}"
        if former == hit.rank:
            return "="
        return f"{'▲' if former > hit.rank else '▼'} from {former}"


def compare(index: Index, text: str, asked: Weighting) -> Comparison:
    """Search twice."""
    return Comparison(
        index.decide(text, weighting=asked).weighting,
        index.search(text, DEPTH, weighting="bm25"),
        index.search(text, DEPTH, weighting=asked),
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """How many queries found their own document, by BM25 and by a weighting."""

    num_queries: int
    weighting: Weighting
    first: tuple[int, int]
    top_10: tuple[int, int]
    moved_up: int
    moved_down: int

    def __str__(self) -> str:
        """Say it in three lines."""
        count, name = f"{self.num_queries:,}", repr(self.weighting)
        return "\n".join(
            [
                f"All {count} functions asked for their docstrings this way:",
                f"  first         BM25 {self.first[0]:>6,}   {name} {self.first[1]:>6,}",
                f"  in the top 10 BM25 {self.top_10[0]:>6,}   {name} {self.top_10[1]:>6,}",
                f"  moved up      {self.moved_up:,}, moved down {self.moved_down:,}"
                f" (ranks within {DEPTH})",
            ]
        )


def compare_all(index: Index, texts: Sequence[str], asked: Weighting) -> Tally:
    """Ask with every text for the document at the same position."""
    before, after = (_ranks(index, texts, each) for each in ("bm25", asked))
    return Tally(
        len(texts),
        asked,
        (int((before == 1).sum()), int((after == 1).sum())),
        (int((before <= 10).sum()), int((after <= 10).sum())),
        int((after < before).sum()),
        int((after > before).sum()),
    )


def _ranks(index: Index, texts: Sequence[str], asked: str | Weighting) -> np.ndarray:
    """Each text's rank of its own document; one beyond the depth where it isn't found."""
    positions = index.rank(texts, DEPTH, weighting=asked).positions
    own = positions == np.arange(len(texts))[:, None]
    return np.where(own.any(axis=1), own.argmax(axis=1) + 1, DEPTH + 1)
