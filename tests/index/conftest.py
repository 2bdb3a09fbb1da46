"""Commits that don't wait for the disk, except where waiting is what a test is about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from interruptions import unflushed


@pytest.fixture(autouse=True, scope="module")
def quick_disk() -> Iterator[None]:
    with unflushed():
        yield
