"""What a query's tokens are like, and what is lost without those of some document frequency."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qidf.evaluation import Measure, Placement, QlogSystem, outcomes

# "df <= 5" of sec. per-query mechanism.
RARE = 5
# The first three bins and the last two are the paper's; it speaks of four between 6 and 1,000 and
# names only the last of them.
BINS: tuple[tuple[int, int | None], ...] = (
    (1, 1),
    (2, 2),
    (3, 5),
    (6, 20),
    (21, 50),
    (51, 200),
    (201, 1000),
    (1001, 5000),
    (5001, None),
)
MIDDLE = ("6-20", "21-50", "51-200", "201-1000")
_WORD = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_CAMEL = re.compile(r"[a-z0-9][A-Z]")


def bin_name(low: int, high: int | None) -> str:
    """A bin as tables write it."""
    if high is None:
        return f"{low}+"
    return str(low) if low == high else f"{low}-{high}"


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """For each query, the share of its tokens that are rare, and that look like identifiers.

    `rare` is among tokens that occur in the corpus; `rare_or_unknown` counts the others as rare.
    """

    num_tokens: np.ndarray
    rare: np.ndarray
    rare_or_unknown: np.ndarray
    orthographic: np.ndarray

    @classmethod
    def of(cls, placement: Placement, texts: Sequence[str]) -> Shares:
        """Count them in queries that have been placed, and in their texts."""
        offsets = placement.tokens.offsets
        doc_freqs = placement.doc_freqs[placement.tokens.names]
        known = _per_query(doc_freqs > 0, offsets)
        rare = _per_query((doc_freqs > 0) & (doc_freqs <= RARE), offsets)
        at_most = _per_query(doc_freqs <= RARE, offsets)
        sizes = np.diff(offsets)
        return cls(
            sizes,
            _share(rare, known),
            _share(at_most, sizes),
            np.array([orthographic_share(text) for text in texts]),
        )


def orthographic_share(text: str) -> float:
    """The share of a text's words that are CamelCase or dotted (sec. per-query mechanism)."""
    words = _WORD.findall(text)
    marked = sum("." in word or _CAMEL.search(word) is not None for word in words)
    return marked / len(words) if words else 0.0


def occlusion_losses(
    placement: Placement, systems: Sequence[QlogSystem], measure: Measure
) -> dict[QlogSystem, dict[str, float]]:
    """For each system and bin, what the mean loses when the queries lose the bin's tokens."""
    collection = placement.collection
    relevance = collection.relevance

    def means(queries: Placement) -> list[float]:
        found = outcomes(collection, systems, measure.cutoff, queries)
        return [float(measure.per_query(relevance, each.ranks).mean()) for each in found]

    whole = means(placement)
    losses: dict[QlogSystem, dict[str, float]] = {system: {} for system in systems}
    for low, high in BINS:
        doc_freqs = placement.doc_freqs
        dropped = (doc_freqs >= low) & (doc_freqs <= (doc_freqs.max() if high is None else high))
        for system, before, after in zip(
            systems, whole, means(placement.without(dropped)), strict=True
        ):
            losses[system][bin_name(low, high)] = before - after
    return losses


def _per_query(flags: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    sums = np.concatenate([[0], np.cumsum(flags)])
    counts: np.ndarray = sums[offsets[1:]] - sums[offsets[:-1]]
    return counts


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    shares: np.ndarray = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return shares
