"""What a q-log query costs beside a plain one, engine by engine, through the same adapter."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

import qidf
from benchmarks.speed.machine import commit, load, machine, versions
from qidf.datasets import open_dataset
from qidf.engines import Engine
from qidf.engines.targets import parse_target

RUNS = Path(__file__).resolve().parents[1] / "runs"
K = 10


def measure(folder: str, addresses: Sequence[str], num_queries: int, repeats: int) -> Path:
    """Time both kinds of query on every engine, write the run, and return the page's path."""
    dataset = open_dataset(folder)
    step = max(dataset.num_queries // num_queries, 1)
    texts = list(dataset.queries.texts)[::step][:num_queries]
    before = load()
    record: dict[str, Any] = {
        "dataset": dataset.name,
        "num_docs": dataset.num_docs,
        "num_queries": len(texts),
        "k": K,
        "repeats": repeats,
        "engines": [],
    }
    for address in addresses:
        with qidf.connect(address) as engine:
            record["engines"].append(
                {"address": parse_target(address).scheme, **_timed(engine, texts, repeats)}
            )
    record |= {
        "machine": machine(),
        "versions": versions(),
        "commit": commit(),
        "load": {"before": before, "after": load()},
    }
    now = datetime.now(timezone.utc)
    head = (record["commit"]["id"] or "unknown")[:7]
    page = RUNS / f"engines-{now:%Y-%m-%d-%H%M}-{head}.md"
    page.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    page.write_text(render(record, page.stem), "utf-8")
    return page


def _timed(engine: Engine, texts: Sequence[str], repeats: int) -> dict[str, Any]:
    """Milliseconds of every query, warm, plain and q-log in turn so that noise hits both alike."""
    q = engine.q
    for text in texts:
        engine.search(text, K, 1.0)
        engine.search(text, K, q)
    times = {
        name: np.zeros((repeats, len(texts)))
        for name in ("plain_ms", "qlog_ms", "plain_cpu_ms", "qlog_cpu_ms")
    }
    for repeat in range(repeats):
        for at, text in enumerate(texts):
            order = [("plain", 1.0), ("qlog", q)]
            for kind, number in order if (at + repeat) % 2 else order[::-1]:
                cpu, wall = time.process_time(), time.perf_counter()
                engine.search(text, K, number)
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                times[f"{kind}_ms"][repeat, at] = wall * 1e3
                times[f"{kind}_cpu_ms"][repeat, at] = cpu * 1e3
    return {
        "engine": engine.name,
        "q": q,
        **{name: np.round(values, 4).tolist() for name, values in times.items()},
    }


def summary(row: dict[str, Any]) -> dict[str, float]:
    """Percentiles of each query's cheapest repeat, by CPU time.

    These engines run in this process, so that CPU time is all they take, and other processes on
    the machine don't show in it.
    """
    plain, qlog = (np.min(np.array(row[name]), axis=0) for name in ("plain_cpu_ms", "qlog_cpu_ms"))
    found = {
        f"{name}_{kind}": float(np.percentile(times, percent))
        for kind, times in (("plain", plain), ("qlog", qlog))
        for name, percent in (("p50", 50), ("p95", 95))
    }
    found["p50_ratio"] = found["p50_qlog"] / found["p50_plain"]
    found["p95_ratio"] = found["p95_qlog"] / found["p95_plain"]
    return found


def render(record: dict[str, Any], name: str) -> str:
    """The run as a page."""
    lines = [
        "# What a q-log query costs",
        "",
        f"{record['num_docs']:,} documents ({record['dataset']}),"
        f" {record['num_queries']:,} queries, top {record['k']}, warm,"
        f" {record['repeats']} repeats; CPU milliseconds of all threads, through the same adapter,"
        " so that analysis, fetching of hits and Python are in both. The plain query is the"
        " engine's own BM25 (q = 1).",
        "",
        "| Engine | q | plain p50 | p95 | q-log p50 | p95 | p50 ratio | p95 ratio |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in record["engines"]:
        times = summary(row)
        lines.append(
            f"| {row['engine']} | {row['q']:.3f} | {times['p50_plain']:.2f} |"
            f" {times['p95_plain']:.2f} | {times['p50_qlog']:.2f} | {times['p95_qlog']:.2f} |"
            f" **{times['p50_ratio']:.2f}x** | **{times['p95_ratio']:.2f}x** |"
        )
    machine_, loads = record["machine"], record["load"]
    lines += [
        "",
        f"{machine_['cpu']}, {machine_['cores']} cores; load average {loads['before'][0]} before"
        f" and {loads['after'][0]} after, so that other work ran beside it: ratios mean more than"
        f" milliseconds. Each query counts with its cheapest repeat. Commit"
        f" {(record['commit']['id'] or 'unknown')[:7]}. Every value: [{name}.json]({name}.json).",
        "",
    ]
    return "\n".join(lines)
