"""The page of a run, from its raw figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def page(run: dict[str, Any]) -> str:
    commit = (run["commit"]["id"] or "unknown")[:7]
    lines = [
        f"# q-log on OpenSearch, {run['started'][:10]}",
        "",
        f"Commit {commit}, corpus {run['corpus']}; {run['server']}. Load of the machine before"
        f" {run['load_before']}, after {run['load_after']}: with a load above 1 the times are those"
        " of a busy machine, and only ratios within a table mean anything.",
    ]
    sections = run["sections"]
    if "sharding" in sections:
        lines += _table(
            f"Without dfs_query_then_fetch, {sections['sharding']['shards']} shards",
            ("", "queries", "top-10 shared with the exact one", "same first"),
            [
                (name, row["queries"], f"{row['top10_overlap']:.3f}", f"{row['same_first']:.3f}")
                for name, row in sections["sharding"]["rows"].items()
            ],
        )
    if "overhead" in sections:
        found = sections["overhead"]
        lines += _table(
            f"A plain query beside a q-log query, {found['mean_terms']:.0f} terms each"
            f" (q = {found['q']:.3f})",
            ("", "p50 ms", "p95 ms", "p50 ratio", "p95 ratio"),
            [
                (name, row["p50_ms"], row["p95_ms"], row["p50_ratio"], row["p95_ratio"])
                for name, row in found["rows"].items()
            ],
        )
    if "proxying" in sections:
        found = sections["proxying"]
        quick = found["passing_through"]
        lines += _table(
            "The proxy on a warm cache, one client: the rewritten body sent directly, and the plain"
            " body sent through the proxy, in turn",
            ("", "p50 ms", "p95 ms"),
            [
                ("direct", found["direct"]["p50_ms"], found["direct"]["p95_ms"]),
                ("through the proxy", found["proxy"]["p50_ms"], found["proxy"]["p95_ms"]),
                ("added, pair by pair", found["added"]["p50_ms"], found["added"]["p95_ms"]),
                (
                    "a search for nothing, direct",
                    quick["direct"]["p50_ms"],
                    quick["direct"]["p95_ms"],
                ),
                ("a search for nothing, proxy", quick["proxy"]["p50_ms"], quick["proxy"]["p95_ms"]),
            ],
        )
        lines += [
            "",
            f"Processor time of the proxy: {found['proxy_cpu_ms']} ms for each rewritten search,"
            f" {found['passing_cpu_ms']} ms for each search for nothing.",
        ]
        lines += _table(
            "Clients at once",
            ("clients", "", "p50 ms", "p95 ms", "per second", "answers"),
            [
                (clients, way, row["p50_ms"], row["p95_ms"], row["per_second"],
                 ", ".join(f"{count} x {kind}" for kind, count in row["answers"].items()))
                for clients, ways in found["clients"].items()
                for way, row in ways.items()
            ],
        )  # fmt: skip
    if "failover" in sections:
        found = sections["failover"]
        lines += _table(
            f"One node of three killed during a load ({found['killed']}, the elected manager)",
            ("", "right", "wrong", "error"),
            [
                (when, found[when]["right"], found[when]["wrong"], found[when]["error"])
                for when in ("before", "after")
            ],
        )
        lines += [
            "",
            f"Slowest query after it: {found['slowest_after_s']} s; nodes left:"
            f" {found['nodes_after']}. {'; '.join(found['errors'])}".rstrip(),
        ]
    return "\n".join(lines) + "\n"


def evaluation_page(run: dict[str, Any]) -> str:
    """The page of `qidf eval --engine ... --json`."""
    base = run["baseline"]["ndcg@10"]
    rows = [
        (
            row["name"] if row["name"] != "q=auto" else f"q=auto ({row['q']:.3f})",
            f"{row['ndcg@10']:.4f}",
            f"{row['mrr@10']:.4f}",
            f"{row['recall@100']:.4f}",
            f"{row['delta']:+.4f} [{row['ci95'][0]:+.4f}, {row['ci95'][1]:+.4f}]",
            f"{row['delta'] / base:+.1%}",
            row["failed"],
        )
        for row in run["rows"]
    ]
    heads = ("", "NDCG@10", "MRR@10", "recall@100", "to q = 1, 95% interval", "", "failed")
    lines = [
        f"# {run['dataset']} on {run['engine']}",
        "",
        f"{run['num_docs']:,} documents in three shards on three nodes, {run['num_queries']:,}"
        f" queries; analyzed by the server's default analyzer. htok {run['htok']:.4f} from a sample"
        " of 2,000 documents. Both rankings are the server's own, by `dfs_query_then_fetch`.",
        *_table("Own BM25 against q-log", heads, rows),
    ]
    return "\n".join([*lines, "", *run["notes"]]) + "\n"


def _table(title: str, heads: tuple[str, ...], rows: list[tuple[Any, ...]]) -> list[str]:
    return [
        "",
        f"## {title}",
        "",
        "| " + " | ".join(heads) + " |",
        "|" + "---|" * len(heads),
        *("| " + " | ".join(map(str, row)) + " |" for row in rows),
    ]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        run = json.loads(path.read_text())
        path.with_suffix(".md").write_text(evaluation_page(run) if "rows" in run else page(run))
