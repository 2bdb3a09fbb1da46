"""What a search gives back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.index.documents import DocId
from qidf.records import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that matched: the caller's id, its score, its rank from 1, its metadata."""

    id: DocId
    score: float
    rank: int
    metadata: Mapping[str, Any]
    contributions: Mapping[str, float] | None = None


def checked_k(k: int) -> int:
    """How many hits are wanted, if that is a number of hits."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InvalidArgumentError(f"k must be a whole number of at least 1, not {k!r}")
    return int(k)


class Ranking(NamedTuple):
    """Top-k of many queries as arrays: row r holds query r's hits, padded with -1 and 0."""

    positions: np.ndarray
    scores: np.ndarray
