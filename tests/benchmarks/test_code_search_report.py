"""The tables that a run of code search writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.code_search.halves import Half
from benchmarks.code_search.report import QUALITY, table, write


def row(repository: str, values: list[float]) -> dict[str, Any]:
    return {
        "repository": repository,
        "kind": "changes",
        "files": 1_234,
        "tool": "some tool",
        "note": "whole files",
        "questions": len(values),
        "index_seconds": None,
        "warm_p50": 0.002,
        "warm_cpu_p50": 0.001,
        "load": 1.0,
        "each": dict.fromkeys(QUALITY, values),
        **dict.fromkeys(QUALITY, sum(values) / len(values)),
    }


def test_overall_means_are_over_questions_and_not_over_repositories() -> None:
    lines = table([row("one", [1.0]), row("two", [0.0, 0.0, 0.0])], "a run")
    overall = next(line for line in lines if line.startswith("| 4 changes | some tool |"))
    assert overall.count("0.250 ± 0.250") == len(QUALITY)


def test_every_row_has_as_many_cells_as_its_head() -> None:
    rows = [line for line in table([row("one", [1.0])], "a run") if line.startswith("|")]
    assert {line.count("|") for line in rows[:3]} == {14}
    assert {line.count("|") for line in rows[3:6]} == {7}
    assert {line.count("|") for line in rows[6:]} == {11}


def test_a_run_keeps_the_raw_values_and_its_half(tmp_path: Path) -> None:
    write([row("one", [1.0, 0.0])], {"seed": 7}, Half.CHOOSING, tmp_path / "run-1.2")
    raw = json.loads((tmp_path / "run-1.2.json").read_text())
    assert raw["half"] == "choosing"
    assert raw["results"][0]["each"]["span_ndcg10"] == [1.0, 0.0]
    assert (tmp_path / "run-1.2.md").read_text().startswith("# run-1.2\n")
