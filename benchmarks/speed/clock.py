"""Timing: contenders take turns, and every single value is kept."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Work = Callable[[], object]
# {"wall": [seconds of each repeat], "cpu": [...]}, as it stands in the run's JSON.
Samples = dict[str, list[float]]


def timed(work: Work) -> tuple[float, float]:
    """Wall and CPU seconds of one call, all threads of the process, garbage collector off.

    The collector would run at moments that depend on what other contenders left behind; off, it
    costs nobody anything, which helps whoever makes the most objects.
    """
    gc.collect()
    gc.disable()
    try:
        cpu, wall = time.process_time(), time.perf_counter()
        result = work()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    finally:
        gc.enable()
    del result
    return wall, cpu


def interleaved(contenders: Mapping[str, Work], repeats: int) -> dict[str, Samples]:
    """Time every contender once in each repeat, so that noise hits all alike.

    Each repeat starts with another one, so that none always runs in the same one's wake.
    """
    names = list(contenders)
    samples: dict[str, Samples] = {name: {"wall": [], "cpu": []} for name in names}
    for repeat in range(repeats):
        shift = repeat % len(names)
        for name in names[shift:] + names[:shift]:
            wall, cpu = timed(contenders[name])
            samples[name]["wall"].append(wall)
            samples[name]["cpu"].append(cpu)
    return samples


def latencies(
    contenders: Mapping[str, Callable[[Any], object]],
    inputs: Mapping[str, Sequence[Any]],
    repeats: int,
) -> dict[str, dict[str, list[float]]]:
    """Seconds of one call per query: p50, p95 and mean of each repeat, contenders in turn."""
    names = list(contenders)
    found: dict[str, dict[str, list[float]]] = {
        name: {"p50": [], "p95": [], "mean": []} for name in names
    }
    for repeat in range(repeats):
        shift = repeat % len(names)
        for name in names[shift:] + names[:shift]:
            seconds = _each(contenders[name], inputs[name])
            found[name]["p50"].append(float(np.percentile(seconds, 50)))
            found[name]["p95"].append(float(np.percentile(seconds, 95)))
            found[name]["mean"].append(float(np.mean(seconds)))
    return found


def _each(call: Callable[[Any], object], queries: Sequence[Any]) -> list[float]:
    gc.collect()
    gc.disable()
    try:
        seconds = []
        for query in queries:
            start = time.perf_counter()
            call(query)
            seconds.append(time.perf_counter() - start)
        return seconds
    finally:
        gc.enable()
