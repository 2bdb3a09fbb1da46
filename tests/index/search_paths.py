"""The two ways a search can run: plain numpy for a process's first queries, compiled after that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from qidf.index import maintenance, ranker

PLAIN, COMPILED = "plain", "compiled"
both_paths = pytest.mark.parametrize("path", [PLAIN, COMPILED])


@contextmanager
def searching(path: str) -> Iterator[None]:
    """Search only by this path."""
    before = ranker._plain_queries_left
    ranker._plain_queries_left = 0 if path == COMPILED else 10**9
    try:
        yield
    finally:
        ranker._plain_queries_left = before


@contextmanager
def segments_kept_apart() -> Iterator[None]:
    """Never merge segments of one's own accord, nor rewrite those with many deletions."""
    before = maintenance.GROWTH, maintenance.MAX_DELETED
    maintenance.GROWTH, maintenance.MAX_DELETED = 0, 1.0
    try:
        yield
    finally:
        maintenance.GROWTH, maintenance.MAX_DELETED = before
