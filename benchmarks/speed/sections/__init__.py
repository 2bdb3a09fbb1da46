"""What is measured: one file for each part of a run, each with `measure(workload, settings)`.

A section gives a mapping that goes into the run's JSON as it is: `samples` by contender, with the
wall and CPU seconds of every repeat, `values` for anything that isn't a time of repeats, `checks`
that passed, and `errors` for contenders that couldn't take part. To add one, write the file, name
it here, and say in `goals.py` which rows follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from benchmarks.speed.settings import Settings
from benchmarks.speed.workload import Workload

Measure = Callable[[Workload, Settings], dict[str, Any]]
SECTIONS = ("build", "search", "postings", "add", "memory", "cold", "growth", "large")


def load(name: str) -> Measure:
    """The function that measures a section."""
    measure: Measure = import_module(f"{__name__}.{name}").measure
    return measure
