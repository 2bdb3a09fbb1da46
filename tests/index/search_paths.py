"""The ways a search can score a document: by postings, and once many have come by its own row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from qidf.index import layout, maintenance

POSTINGS, ROWS = "by postings", "by rows"
all_paths = pytest.mark.parametrize("path", [POSTINGS, ROWS])


@contextmanager
def searching(path: str) -> Iterator[None]:
    """Search only by this path."""
    before = layout.QUERIES_BEFORE_ROWS
    layout.QUERIES_BEFORE_ROWS = 0 if path == ROWS else 10**9
    try:
        yield
    finally:
        layout.QUERIES_BEFORE_ROWS = before


@contextmanager
def segments_kept_apart() -> Iterator[None]:
    """Never merge segments of one's own accord, nor rewrite those with many deletions."""
    before = maintenance.GROWTH, maintenance.MAX_DELETED
    maintenance.GROWTH, maintenance.MAX_DELETED = 0, 1.0
    try:
        yield
    finally:
        maintenance.GROWTH, maintenance.MAX_DELETED = before
