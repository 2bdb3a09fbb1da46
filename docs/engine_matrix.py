"""The tables of docs/engines.md, from the contract suite's results and the newest benchmark.

QIDF_ENGINE_RESULTS=docs/engines.json pytest tests/engines/test_engine_contract.py writes the
results, and python docs/engine_matrix.py the page. Results of engines that didn't run are kept from
before. The prose around the tables is the page's own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
RUNS = DOCS.parent / "benchmarks" / "runs"
ORDER = (
    "opensearch",
    "opensearch-cluster",
    "opensearch2",
    "elasticsearch8",
    "elasticsearch9",
    "lucene",
    "tantivy",
    "sqlite",
    "duckdb",
    "xapian",
    "bm25s",
    "qidf",
)
MATRIX = "matrix"
OVERHEAD = "overhead"


def matrix(results: dict[str, dict[str, Any]]) -> str:
    """One row for each engine: what was measured, what it can do."""
    lines = [
        "| Engine | Queries | Largest difference from the formula | Longest query, terms | htok"
        " | Clause limit | Negative weights | A word said twice | Length | (k1 + 1)"
        " | Deleted documents |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    known = [name for name in ORDER if name in results]
    for name in known + sorted(set(results) - set(known)):
        row = results[name]
        can = row["capabilities"]
        lines.append(
            "| "
            + " | ".join(
                [
                    row["engine"],
                    f"{row.get('queries', 0):,}",
                    f"{row['score_difference']:.1e}" if "score_difference" in row else "",
                    f"{row['long_query_terms']:,.0f}" if "long_query_terms" in row else "",
                    row.get("htok", "estimated"),
                    f"{can['max_clauses']:,}" if can["max_clauses"] else "none",
                    "taken" if can["takes_negative_weights"] else "clamped at 0",
                    {"add up": "counts twice", "count once": "counts once"}.get(
                        can["duplicate_terms"], can["duplicate_terms"]
                    ),
                    "one byte" if can["quantises_length"] else "exact",
                    "kept" if can["keeps_k1_plus_1"] else "dropped",
                    "counted until merged or rebuilt" if can["counts_deleted"] else "not counted",
                ]
            )
            + " |"
        )
    return "\n".join(lines)


def overhead(record: dict[str, Any], name: str) -> str:
    """The ratios of the newest run."""
    lines = [
        "| Engine | q-log p50 over plain | p95 over plain | plain p50, CPU ms |",
        "|---|---|---|---|",
    ]
    for row in record["engines"]:
        plain, qlog = (_fastest(row[kind]) for kind in ("plain_cpu_ms", "qlog_cpu_ms"))
        lines.append(
            f"| {row['engine']} | {_percentile(qlog, 50) / _percentile(plain, 50):.2f}x"
            f" | {_percentile(qlog, 95) / _percentile(plain, 95):.2f}x"
            f" | {_percentile(plain, 50):.2f} |"
        )
    lines += [
        "",
        f"{record['num_docs']:,} documents ({record['dataset']}),"
        f" {record['num_queries']:,} queries, top {record['k']}, warm:"
        f" [the run](../benchmarks/runs/{name}.md).",
    ]
    return "\n".join(lines)


def _fastest(repeats: list[list[float]]) -> list[float]:
    return sorted(min(times) for times in zip(*repeats, strict=True))


def _percentile(ordered: list[float], percent: int) -> float:
    """Linear between neighbours, as numpy's default."""
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def filled(page: str, tables: dict[str, str]) -> str:
    """Put tables between their markers."""
    for name, table in tables.items():
        start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
        head, _, rest = page.partition(start)
        _, _, tail = rest.partition(end)
        page = f"{head}{start}\n{table}\n{end}{tail}"
    return page


def tables() -> dict[str, str]:
    """Every table, from what is committed."""
    made = {MATRIX: matrix(json.loads((DOCS / "engines.json").read_text("utf-8")))}
    runs = sorted(RUNS.glob("engines-[0-9]*.json"))
    if runs:
        made[OVERHEAD] = overhead(json.loads(runs[-1].read_text("utf-8")), runs[-1].stem)
    return made


def main() -> None:
    """Write the page."""
    page = DOCS / "engines.md"
    page.write_text(filled(page.read_text("utf-8"), tables()), "utf-8")


if __name__ == "__main__":
    main()
