"""One program in a new process: what it printed, and what it cost."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed.machine import ROOT
from benchmarks.speed.settings import ONE_THREAD

# Eight values, from plain BM25 down to the smallest of the paper's grid.
QS = (1.0, 0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05)
# Equal scores may come in any order in bm25s; that moves the mean by less, one wrong q by more.
AGREEMENT = 0.002


class DisagreementError(Exception):
    """The two programs measured different things, so their times say nothing."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of wall and CPU time of a process and its children, and its most memory in KiB."""

    wall: float
    cpu: float
    peak_rss_kb: int


def commands(folder: Path) -> dict[str, list[str]]:
    """The contenders; bm25s retrieves as deep as qidf measures, and as deep as NDCG@10 needs."""
    python = sys.executable
    qs = [f"{q:g}" for q in QS]
    loop = [python, str(Path(__file__).with_name("bm25s_loop.py")), str(folder)]
    # Ties as the files have them, which is nearest to what bm25s does.
    ours = [python, "-m", "qidf", "eval", str(folder), "--json", "--ties", "index"]
    return {
        "qidf": [*ours, *(part for q in qs for part in ("--q", q))],
        "bm25s, top 100": [*loop, "100", *qs],
        "bm25s, top 10": [*loop, "10", *qs],
    }


def run(command: Sequence[str], environment: Mapping[str, str]) -> tuple[dict[str, Any], Cost]:
    """Run to the end and take the cost from the system's accounts of that one child.

    The peak starts at this process's own size, as Linux carries it over exec; this process holds
    no data.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=err, env={**os.environ, **environment}
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode:
            message = err.read().decode("utf-8", "replace")
            raise RuntimeError(f"{' '.join(command[:5])} ended with {child.returncode}:\n{message}")
        printed: dict[str, Any] = json.loads(out.read().decode("utf-8"))
    return printed, Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def plain_copy(corpus: Path, folder: Path) -> Path:
    """The folder's files as plain JSON Lines, which is what both read."""
    (folder / "qrels").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl"):
        packed = corpus / f"{name}.gz"
        if packed.exists():
            with gzip.open(packed) as source, (folder / name).open("wb") as target:
                shutil.copyfileobj(source, target)
        else:
            shutil.copyfile(corpus / name, folder / name)
    shutil.copyfile(corpus / "qrels" / "test.tsv", folder / "qrels" / "test.tsv")
    return folder


def check(ours: dict[str, Any], theirs: dict[str, Any]) -> float:
    """The largest difference in NDCG@10, which has to be that of ties only."""
    pairs = list(zip(ours["rows"], theirs["rows"], strict=True))
    largest: float = max(abs(our["ndcg@10"] - their["ndcg@10"]) for our, their in pairs)
    if largest > AGREEMENT or any(abs(our["q"] - their["q"]) > 1e-9 for our, their in pairs):
        raise DisagreementError(
            f"NDCG@10 differs by {largest:.4f}: {ours['rows']} {theirs['rows']}"
        )
    return largest


def first_use(command: Sequence[str]) -> Cost:
    """What it costs where nothing was compiled yet."""
    with tempfile.TemporaryDirectory(prefix="qidf-numba-") as cache:
        return run(command, {**ONE_THREAD, "NUMBA_CACHE_DIR": cache})[1]
