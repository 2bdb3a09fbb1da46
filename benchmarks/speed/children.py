"""Measurements that need a process of their own, and the processes that make them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.speed.machine import ROOT, peak_rss_kb
from benchmarks.speed.settings import Settings, limit_threads
from benchmarks.speed.workload import Workload

# Queries a size is searched with; one call each.
GROWTH_QUERIES = 1000


def run_child(name: str, *arguments: object) -> dict[str, Any]:
    """Run one of this file's measurements in a new process and give back what it printed."""
    command = [sys.executable, "-m", "benchmarks.speed.children", name, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"measuring {name} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def write_texts(workload: Workload, settings: Settings) -> Path:
    """Documents and queries as one JSON file, which a child reads faster than gzipped JSONL."""
    path = settings.scratch / "workload.json"
    if not path.exists():
        places = workload.some_queries(GROWTH_QUERIES)
        queries = [workload.query_tokens[place] for place in places]
        path.write_text(json.dumps({"texts": workload.texts, "queries": queries}), encoding="utf-8")
    return path


def memory(
    engine: str, folder: str, queries: str, count: str, k: str, *options: str
) -> dict[str, Any]:
    """Peak memory after searching queries in one batch; without a folder, after reading them."""
    for name in (engine, "numpy", "numba"):
        import_module(name)
    tokens = json.loads(Path(queries).read_text(encoding="utf-8"))[: int(count)]
    if folder and engine == "qidf":
        import qidf

        qidf.Index.open(folder).rank(tokens, int(k))
    elif folder:
        import bm25s

        backend, mapped = options
        retriever = bm25s.BM25.load(folder, mmap=mapped == "True", load_corpus=False)
        retriever.backend = backend
        retriever.retrieve(tokens, k=int(k), n_threads=0, show_progress=False)
    return {"peak_rss_kb": peak_rss_kb()}


def grow(source: str, num_docs: str, repeats: str) -> dict[str, Any]:
    """Build an index of some size, search it one query at a time and in one batch."""
    import qidf
    from benchmarks.speed.clock import interleaved, latencies
    from benchmarks.speed.fill import enlarge
    from benchmarks.speed.workload import ANALYZER

    read = json.loads(Path(source).read_text(encoding="utf-8"))
    queries = read["queries"]
    texts = enlarge(read.pop("texts"), int(num_docs), ANALYZER)
    before = peak_rss_kb()
    qidf.Index.build(texts[:256], analyzer=ANALYZER)
    start = time.perf_counter()
    index = qidf.Index.build(texts, analyzer=ANALYZER)
    seconds = time.perf_counter() - start
    for query in (queries * 40)[:40]:
        index.rank([query])
    index.rank(queries)
    found = latencies({"qidf": lambda query: index.rank([query])}, {"qidf": queries}, int(repeats))
    batch = interleaved({"qidf": lambda: index.rank(queries)}, int(repeats))
    return {
        "num_docs": len(index),
        "htok": index.stats.htok,
        "vocab_size": index.stats.vocab_size,
        "q_auto": qidf.predict_q(index.stats),
        "build_seconds": seconds,
        "latency": found["qidf"],
        "batch": batch["qidf"],
        "num_queries": len(queries),
        "peak_rss_kb_before_build": before,
        "peak_rss_kb": peak_rss_kb(),
    }


if __name__ == "__main__":
    limit_threads()
    name, *arguments = sys.argv[1:]
    print(json.dumps(memory(*arguments) if name == "memory" else grow(*arguments)))
