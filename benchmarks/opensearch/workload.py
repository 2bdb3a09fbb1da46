"""The queries of a BEIR folder, and the ways to ask a cluster."""

from __future__ import annotations

import gzip
import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from opensearchpy import OpenSearch

import qidf
from benchmarks.opensearch.loading import hosts
from qidf.engines.opensearch.engine import OpenSearchEngine

INDEX = "go"


def some_queries(folder: Path, count: int) -> list[str]:
    with gzip.open(folder / "queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    return random.Random(7).sample(texts, min(count, len(texts)))


def client() -> OpenSearch:
    return OpenSearch(hosts(), timeout=60, max_retries=5, retry_on_timeout=True)


def engine(**options: Any) -> OpenSearchEngine:
    found = qidf.connect(client(), index=INDEX, field="content", **options)
    assert isinstance(found, OpenSearchEngine)
    return found


def milliseconds(work: Callable[..., object], *arguments: Any, **options: Any) -> float:
    began = time.perf_counter()
    work(*arguments, **options)
    return (time.perf_counter() - began) * 1e3


def summary(times: Sequence[float]) -> dict[str, float]:
    """p50 and p95 in milliseconds."""
    ordered = sorted(times)
    return {
        "p50_ms": round(statistics.median(ordered), 3),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 3),
        "count": len(ordered),
    }
