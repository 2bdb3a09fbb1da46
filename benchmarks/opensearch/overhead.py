"""A plain query beside a q-log query, warm, one after the other in turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.opensearch.workload import (
    INDEX,
    client,
    engine,
    milliseconds,
    some_queries,
    summary,
)

QUERIES = 300
EXACT = "dfs_query_then_fetch"


def measure(folder: Path) -> dict[str, Any]:
    asked = engine(ttl=3600)
    plain = client()
    q = asked.q
    texts = some_queries(folder, QUERIES)
    times: dict[str, list[float]] = {
        name: [] for name in ("match", "match, dfs", "q-log, warm", "q-log, cold")
    }
    for text in texts:
        body = {"query": {"match": {"content": text}}, "_source": False, "track_total_hits": False}
        # The first time is cold for the counts; the plain query has warmed the server's files.
        plain.search(index=INDEX, body=body)
        times["q-log, cold"].append(milliseconds(asked.search, text, 10, q))
    for text in texts:
        body = {"query": {"match": {"content": text}}, "_source": False, "track_total_hits": False}
        times["match"].append(milliseconds(plain.search, index=INDEX, body=body))
        times["match, dfs"].append(
            milliseconds(plain.search, index=INDEX, body=body, search_type=EXACT)
        )
        times["q-log, warm"].append(milliseconds(asked.search, text, 10, q))
    rows = {name: summary(each) for name, each in times.items()}
    base = rows["match"]
    for row in rows.values():
        row["p50_ratio"] = round(row["p50_ms"] / base["p50_ms"], 3)
        row["p95_ratio"] = round(row["p95_ms"] / base["p95_ms"], 3)
    terms = [len(set(asked.analyze(text))) for text in texts]
    return {"q": q, "mean_terms": sum(terms) / len(terms), "rows": rows}
