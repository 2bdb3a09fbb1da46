"""What was measured, as raw values and as a table to read."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.code_search.halves import Half

BUDGETS = (2_000, 8_000)
QUALITY = ("file_ndcg10", "span_ndcg10", *(f"recall_{budget}" for budget in BUDGETS))
HEAD = (
    "| repository | questions | tool | file NDCG@10 | span NDCG@10 | recall 2K | recall 8K |"
    " index s (CPU) | warm p50 ms (CPU) | cold p50 ms | one file ms | scan ms | load |"
)
EXPLAINED = (
    "Questions are doc comments that were taken out of the code, without the function's name;",
    "messages of commits that came after the code, without the names of the files they change, in",
    "one line (changes) or as they are (issues; tests and prose where those are what changed);",
    "string literals (messages), the same with values filled in (errors), and names.",
    "NDCG@10 of the right files and of the spans that meet them: the function's first line, or a",
    "changed line (whole-file tools: the file); each right file counts once.",
    "Recall: one such line is within the first 2,000 or 8,000 cl100k_base tokens of the answer.",
    "Load is the machine's, with 2 cores: well above 1, times are those of a busy machine.",
)


def write(results: list[dict[str, Any]], settings: dict[str, Any], half: Half, place: Path) -> None:
    """Raw values as JSON, and a table to read."""
    write_raw(results, settings, half, place)
    place.with_name(f"{place.name}.md").write_text("\n".join(table(results, place.name)) + "\n")


def write_raw(
    results: list[dict[str, Any]], settings: dict[str, Any], half: Half, place: Path
) -> None:
    """Raw values as JSON."""
    machine = {"python": platform.python_version(), "cpus": os.cpu_count()}
    raw = {"run": place.name, **settings, "half": half.value, "machine": machine}
    told = json.dumps({**raw, "results": results}, indent=1)
    place.with_name(f"{place.name}.json").write_text(told + "\n")


def table(results: Sequence[dict[str, Any]], name: str) -> list[str]:
    """The results for a person."""
    lines = [f"# {name}", "", *EXPLAINED, "", HEAD, "|---" * (HEAD.count("|") - 1) + "|"]
    for row in results:
        times = [
            "" if row.get(key) is None else f"{row[key] * 1000:,.0f}"
            for key in ("warm_p50", "cold_p50", "one_file_p50", "scan_p50")
        ]
        times[0] += f" ({row['warm_cpu_p50'] * 1000:,.0f})"
        index = ""
        if row["index_seconds"] is not None:
            index = f"{row['index_seconds']:.1f} ({row['index_cpu']:.1f})"
        quality = [f"{row[key]:.3f}" for key in QUALITY]
        place = f"{row['repository']} ({row['files']:,} files)"
        cells = [place, f"{row['questions']} {row['kind']}", row["tool"], *quality]
        lines.append("| " + " | ".join([*cells, index, *times, f"{row['load']:.1f}"]) + " |")
    notes = {row["tool"]: row["note"] for row in results}
    lines += ["", *(f"- **{tool}**: {note}." for tool, note in notes.items())]
    return [*lines, "", *overall(results), "", *found(results)]


def found(results: Sequence[dict[str, Any]]) -> list[str]:
    """How often all right files, or a right span, are within the first few, by kind and tool."""
    keys = [f"{what}_{depth}" for what in ("all_files", "span") for depth in (1, 3, 5, 10)]
    lines = [
        "Share of questions with all right files, and with a right span, within the first 1, 3, 5"
        " and 10.",
        "",
        "| questions | tool | files @1 | @3 | @5 | @10 | span @1 | @3 | @5 | @10 |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for kind, tool in dict.fromkeys((row["kind"], row["tool"]) for row in results):
        rows = [row for row in results if (row["kind"], row["tool"]) == (kind, tool)]
        cells = []
        for key in keys:
            values = [value for row in rows for value in row["each"].get(key, ())]
            cells.append(f"{statistics.mean(values):.3f}" if values else "")
        total = sum(row["questions"] for row in rows)
        lines.append(f"| {total} {kind} | {tool} | " + " | ".join(cells) + " |")
    return lines


def overall(results: Sequence[dict[str, Any]]) -> list[str]:
    """Means over all questions of a kind, with how far they would stray by the luck of the draw."""
    lines = [
        "Means over all questions of a kind, with their standard errors.",
        "",
        "| questions | tool | file NDCG@10 | span NDCG@10 | recall 2K | recall 8K |",
        "|---|---|---|---|---|---|",
    ]
    for kind, tool in dict.fromkeys((row["kind"], row["tool"]) for row in results):
        rows = [row for row in results if (row["kind"], row["tool"]) == (kind, tool)]
        cells = []
        for key in QUALITY:
            values = [value for row in rows for value in row["each"][key]]
            error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
            cells.append(f"{statistics.mean(values):.3f} ± {error:.3f}")
        total = sum(row["questions"] for row in rows)
        lines.append(f"| {total} {kind} | {tool} | " + " | ".join(cells) + " |")
    return lines
