"""What is lost without dfs_query_then_fetch: how many of the exact top 10 stay in the top 10."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.opensearch.workload import INDEX, client, engine, some_queries

QUERIES = 400


def measure(folder: Path) -> dict[str, Any]:
    asked = engine(ttl=3600)
    plain = client()
    q = asked.q
    rows: dict[str, Any] = {}
    for name, number in (("q = 1", 1.0), (f"q = auto ({q:.3f})", q), ("q = 0.3", 0.3)):
        overlaps, same_first = [], 0
        for text in some_queries(folder, QUERIES):
            body = asked.rewrite(text, number).query
            if body is None:
                continue
            tops = []
            for kind in ("dfs_query_then_fetch", "query_then_fetch"):
                answer = plain.search(
                    index=INDEX, body=body, size=10, _source=False, search_type=kind
                )
                tops.append([hit["_id"] for hit in answer["hits"]["hits"]])
            if tops[0]:
                overlaps.append(len(set(tops[0]) & set(tops[1])) / len(tops[0]))
                same_first += tops[0][:1] == tops[1][:1]
        rows[name] = {
            "queries": len(overlaps),
            "top10_overlap": sum(overlaps) / len(overlaps),
            "same_first": same_first / len(overlaps),
        }
    return {"shards": asked.schema.num_shards, "rows": rows}
