"""A million documents, built and searched in one process."""

from __future__ import annotations

from typing import Any

from benchmarks.speed.children import run_child, write_texts
from benchmarks.speed.settings import Settings
from benchmarks.speed.workload import Workload


def measure(workload: Workload, settings: Settings) -> dict[str, Any]:
    """The corpus with fill up to the size asked for; the peak includes the texts themselves."""
    source = write_texts(workload, settings)
    return {"values": run_child("grow", source, settings.large_docs, settings.few_repeats)}
