"""Kill one node of three during a query load, and see whether queries go on and are right.

The node that dies is the elected manager, which is the hardest to lose; it is killed outright, with
no chance to say goodbye. Results are compared with those from before, document by document. The
cluster is one that `scripts/servers` started, and has two nodes afterwards.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.opensearch.workload import client, engine, some_queries

QUERIES = 100
THREADS = 4
BEFORE = 10.0
AFTER = 40.0
Q = 0.5
# Scores are float32 sums, whose order of adding differs between copies of a shard.
TOLERANCE = 1e-5


def measure(folder: Path) -> dict[str, Any]:
    texts = some_queries(folder, QUERIES)
    reference = engine(ttl=3600)
    expected = [_result(reference, text) for text in texts]
    state = _state()
    client().cluster.health(index="go", wait_for_status="green", request_timeout=60)
    records: list[tuple[float, float, str]] = []
    lock = threading.Lock()
    stop = threading.Event()

    def load(number: int) -> None:
        # Counts are asked for again every five seconds, so that lookups meet the failure too.
        asked = engine(ttl=5)
        at = number
        while not stop.is_set():
            text, wanted = texts[at % len(texts)], expected[at % len(texts)]
            began = time.monotonic()
            try:
                outcome = "right" if _same(_result(asked, text), wanted) else "wrong"
            except Exception as error:
                outcome = f"error: {type(error).__name__}: {error}"
            with lock:
                records.append((began, time.monotonic() - began, outcome))
            at += THREADS

    threads = [threading.Thread(target=load, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    time.sleep(BEFORE)
    manager = client().cat.cluster_manager(format="json")[0]["node"]
    pid = state["pids"][int(manager.rsplit("-", 1)[1]) - 1]
    killed = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    time.sleep(AFTER)
    stop.set()
    for thread in threads:
        thread.join()
    health = client().cluster.health()
    return {
        "killed": manager,
        "nodes_after": health["number_of_nodes"],
        "before": _count(records, lambda began: began < killed),
        "after": _count(records, lambda began: began >= killed),
        "slowest_after_s": round(max(took for began, took, _ in records if began >= killed), 3),
        "errors": sorted({said for _, _, said in records if said.startswith("error")})[:5],
    }


def _result(asked: Any, text: str) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in asked.search(text, 10, Q)]


def _same(found: list[tuple[str, float]], wanted: list[tuple[str, float]]) -> bool:
    """Whether scores agree place by place, and documents wherever scores aren't equal."""
    if len(found) != len(wanted):
        return False
    scores = [score for _, score in wanted]
    close = all(abs(a - b) <= TOLERANCE * b for (_, a), b in zip(found, scores, strict=True))
    if not close:
        return False
    # Equal scores come in the order of whichever copy answers, and may fall off the end.
    last = scores[-1] * (1 + TOLERANCE) if scores else 0.0
    return {key for key, score in found if score > last} == {
        key for key, score in wanted if score > last
    }


def _count(records: list[tuple[float, float, str]], when: Any) -> dict[str, int]:
    counts = {"right": 0, "wrong": 0, "error": 0}
    for began, _, outcome in records:
        if when(began):
            counts[outcome.split(":")[0]] += 1
    return counts


def _state() -> dict[str, list[int]]:
    run = (
        os.environ.get("QIDF_SERVERS_RUN") or f"{tempfile.gettempdir()}/qidf-servers-{os.getuid()}"
    )
    found: dict[str, list[int]] = json.loads((Path(run) / "opensearch-cluster.json").read_text())
    return found
