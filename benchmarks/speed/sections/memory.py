"""Memory a process needs to open an index and search it, and the index's size on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import qidf
from benchmarks.speed import bm25s_peer
from benchmarks.speed.children import run_child
from benchmarks.speed.settings import Settings
from benchmarks.speed.workload import ANALYZER, Workload

# A peak hardly varies; the second says so.
REPEATS = 2
# bm25s's numpy backend takes a minute over all queries. With fewer it touches fewer pages, if
# anything, so its peak is no higher than it would be; it reads all of them like the others.
NUMPY_QUERIES = 1000


def measure(workload: Workload, settings: Settings) -> dict[str, Any]:
    """One new process for each form and repeat, and for what imports alone take."""
    ours, theirs = settings.scratch / "memory-qidf", settings.scratch / "memory-bm25s"
    index = qidf.Index.build(workload.texts, analyzer=ANALYZER)
    index.save(ours)
    retriever = bm25s_peer.build(workload.texts, settings.bm25s_backend)
    bm25s_peer.save(bm25s_peer.at_q(retriever, qidf.predict_q(index.stats)), theirs)
    queries = settings.scratch / "query_tokens.json"
    queries.write_text(json.dumps(workload.query_tokens), encoding="utf-8")

    backend, k, every = settings.bm25s_backend, min(10, len(workload.texts)), len(workload.queries)
    forms: dict[str, list[Any]] = {
        "qidf": ["qidf", ours, queries, every, k],
        "qidf, imports alone": ["qidf", "", queries, every, k],
        f"bm25s {backend}": ["bm25s", theirs, queries, every, k, backend, False],
        f"bm25s {backend}, mapped": ["bm25s", theirs, queries, every, k, backend, True],
        "bm25s, imports alone": ["bm25s", "", queries, every, k, backend, False],
    }
    if backend != "numpy":
        forms["bm25s numpy"] = ["bm25s", theirs, queries, NUMPY_QUERIES, k, "numpy", False]
        forms["bm25s numpy, mapped"] = ["bm25s", theirs, queries, NUMPY_QUERIES, k, "numpy", True]
    peaks: dict[str, list[int]] = {name: [] for name in forms}
    for _ in range(1 if settings.quick else REPEATS):
        for name, arguments in forms.items():
            peaks[name].append(run_child("memory", *arguments)["peak_rss_kb"])
    return {
        "values": {
            "peak_rss_kb": peaks,
            "bytes_on_disk": {"qidf": _size(ours), "bm25s": _size(theirs)},
        }
    }


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
