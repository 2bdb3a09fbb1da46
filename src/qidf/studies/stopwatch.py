"""Building and asking one engine in a process of its own, which is how its memory can be told.

Run as a module it reads a job in JSON from stdin and prints what it measured. Garbage collection is
off, as in the paper (appendix, overhead). Times are those that the processor spent: everything runs
on one thread, and other programs on the machine then count for less than they do by the clock.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qidf.errors import InputError, InvalidArgumentError

BM25S, RESCALED, QIDF = "bm25s", "bm25s, rescaled", "qidf"
# Queries asked before the first is timed, which load code and touch the index.
_WARMING = 100


def measure_apart(job: dict[str, Any]) -> dict[str, Any]:
    """Do a job (`build` or `query`) in a new process; its failure is this one's."""
    done = subprocess.run(
        [sys.executable, "-m", __name__], input=json.dumps(job), capture_output=True, text=True
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise InputError(f"measuring {job['engine']} failed ({last}); run it again")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def build(engine: str, texts: str, folder: str, q: float, trials: int) -> dict[str, Any]:
    """Build an index over texts (a JSON file) and save it; bm25s's is saved rescaled, too."""
    documents: list[str] = json.loads(Path(texts).read_text(encoding="utf-8"))
    if engine == QIDF:
        from qidf.index import Index

        Index.build(documents[:100])
        seconds = [_seconds(Index.build, documents) for _ in range(trials)]
        Index.build(documents).save(folder)
        return {"build_s": seconds, "size_bytes": _size(folder)}
    if engine != BM25S:
        raise InvalidArgumentError(f"{engine!r} can't be built; choose {BM25S} or {QIDF}")
    import bm25s

    from qidf.engines.bm25s_index import rescale, restore, save

    def tokenize() -> Any:
        return bm25s.tokenize(documents, show_progress=False)

    def index(tokens: Any) -> Any:
        retriever = bm25s.BM25()
        retriever.index(tokens, show_progress=False)
        return retriever

    tokenizing = [_seconds(tokenize) for _ in range(trials)]
    tokens = tokenize()
    indexing = [_seconds(index, tokens) for _ in range(trials)]
    retriever = index(tokens)
    retriever.save(folder, show_progress=False)
    rescaling = []
    for _ in range(trials):
        restore(retriever)
        rescaling.append(_seconds(rescale, retriever, q))
    rescaled = f"{folder}-rescaled"
    save(retriever, rescaled)
    return {
        "tokenize_s": tokenizing,
        "build_s": indexing,
        "rescale_s": rescaling,
        "size_bytes": _size(folder),
        "rescaled_size_bytes": _size(rescaled),
    }


def query(engine: str, queries: str, folder: str, q: float, k: int, trials: int) -> dict[str, Any]:
    """Ask a saved index every query (lists of tokens in a JSON file), one at a time."""
    asked: list[list[str]] = json.loads(Path(queries).read_text(encoding="utf-8"))
    search = _searcher(engine, folder, q, k)
    for tokens in asked[:_WARMING]:
        search(tokens)
    times = [[_seconds(search, tokens) for tokens in asked] for _ in range(trials)]
    return {
        "p50_s": [float(np.percentile(trial, 50)) for trial in times],
        "p95_s": [float(np.percentile(trial, 95)) for trial in times],
        "peak_rss_kib": peak_rss_kib(),
    }


def peak_rss_kib() -> int | None:
    """The most memory this process has had; None where the system doesn't tell.

    Linux hands ru_maxrss down from the parent, so that only VmHWM is the process's own.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)


def _searcher(engine: str, folder: str, q: float, k: int) -> Callable[[Sequence[str]], object]:
    if engine == QIDF:
        from qidf.index import Index

        index = Index.open(folder)
        return lambda tokens: index.rank([tokens], k, q)
    import bm25s

    retriever = bm25s.BM25.load(folder, load_corpus=False)
    return lambda tokens: retriever.retrieve([list(tokens)], k=k, n_threads=0, show_progress=False)


def _seconds(work: Callable[..., object], *arguments: object) -> float:
    gc.disable()
    try:
        start = time.process_time()
        work(*arguments)
        return time.process_time() - start
    finally:
        gc.enable()


def _size(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def main() -> None:
    """Do the job that stdin names."""
    job = json.loads(sys.stdin.read())
    measured = build(**job) if job.pop("work") == "build" else query(**job)
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
