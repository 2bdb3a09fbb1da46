"""The same queries on a tenth of the corpus, on all of it, and on ten times it with fill."""

from __future__ import annotations

from typing import Any

from benchmarks.speed.children import run_child, write_texts
from benchmarks.speed.settings import Settings
from benchmarks.speed.workload import Workload


def measure(workload: Workload, settings: Settings) -> dict[str, Any]:
    """One process for each size, so that none inherits another's memory."""
    source = write_texts(workload, settings)
    size = len(workload.texts)
    sizes = [
        run_child("grow", source, num_docs, settings.few_repeats)
        for num_docs in (max(1, size // 10), size, size * 10)
    ]
    return {"values": {"sizes": sizes}}
