"""The ways a search can run.

Plain numpy serves a process's first queries, compiled code those after, and once many have come the
compiled code scores documents by their rows of terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from qidf.index import maintenance, pruning, ranker

PLAIN, COMPILED, ROWS = "plain", "compiled", "compiled with rows"
all_paths = pytest.mark.parametrize("path", [PLAIN, COMPILED, ROWS])


@contextmanager
def searching(path: str) -> Iterator[None]:
    """Search only by this path."""
    before = ranker._plain_queries_left, pruning.QUERIES_BEFORE_ROWS
    ranker._plain_queries_left = 10**9 if path == PLAIN else 0
    pruning.QUERIES_BEFORE_ROWS = 0 if path == ROWS else 10**9
    try:
        yield
    finally:
        ranker._plain_queries_left, pruning.QUERIES_BEFORE_ROWS = before


@contextmanager
def segments_kept_apart() -> Iterator[None]:
    """Never merge segments of one's own accord, nor rewrite those with many deletions."""
    before = maintenance.GROWTH, maintenance.MAX_DELETED
    maintenance.GROWTH, maintenance.MAX_DELETED = 0, 1.0
    try:
        yield
    finally:
        maintenance.GROWTH, maintenance.MAX_DELETED = before
