import copy
import json
import random
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from benchmarks.speed import report
from benchmarks.speed.goals import GOALS, Outcome, rows
from benchmarks.speed.sections import SECTIONS

ROOT = Path(__file__).resolve().parents[2]
NUM_DOCS, NUM_QUERIES = 300, 30


def write_corpus(folder: Path) -> Path:
    rng = random.Random(3)
    words = [f"word{number}" for number in range(200)]
    # No word in half of the documents: its weight would be negative, which tantivy can't have.
    weights = [1 / (number + 10) for number in range(200)]
    texts = [
        " ".join(rng.choices(words, weights, k=rng.randint(4, 20))) + f" name{number}"
        for number in range(NUM_DOCS)
    ]
    folder.mkdir()
    for name, chosen in (("corpus", texts), ("queries", texts[: NUM_QUERIES * 7 : 7])):
        lines = [json.dumps({"_id": str(n), "text": text}) for n, text in enumerate(chosen)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def harness(corpus: Path, output: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.speed", "--quick", "--bm25s-backend", "numpy"]
    return subprocess.run(
        [*command, "--corpus", str(corpus), "-o", str(output), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def run_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("bm25s")
    folder = tmp_path_factory.mktemp("speed")
    done = harness(write_corpus(folder / "tiny"), folder / "runs")
    assert done.returncode == 0, done.stderr
    (path,) = (folder / "runs").glob("speed-*.json")
    return path


@pytest.fixture(scope="module")
def run(run_path: Path) -> dict[str, Any]:
    return json.loads(run_path.read_text(encoding="utf-8"))


def test_a_run_says_when_where_and_with_what_it_was_made(run: dict[str, Any]) -> None:
    assert run["schema"] == 1
    assert run["quick"] is True
    assert run["started"] <= run["finished"]
    assert set(run["commit"]) == {"id", "dirty"}
    assert {"cpu", "cores", "memory_kb", "system"} == set(run["machine"])
    assert {"python", "numpy", "numba", "bm25s", "qidf"} <= set(run["versions"])
    assert {"load_before", "load_after"} <= set(run)
    assert (run["corpus"]["num_docs"], run["corpus"]["num_queries"]) == (NUM_DOCS, NUM_QUERIES)
    assert all(len(digest) == 64 for digest in run["corpus"]["sha256"].values())


def test_every_section_runs_and_keeps_every_repeat(run: dict[str, Any]) -> None:
    assert tuple(run["sections"]) == SECTIONS
    for name, section in run["sections"].items():
        assert "error" not in section, name
        for contender, samples in section.get("samples", {}).items():
            assert len(samples["wall"]) == 2, contender
            assert len(samples.get("cpu", samples["wall"])) == 2, contender
            assert all(seconds > 0 for seconds in samples["wall"]), contender


def test_every_row_of_the_goal_is_measured(run: dict[str, Any]) -> None:
    found = rows(run)
    assert len(found) == len(GOALS) == 20
    for goal, outcome in found:
        if isinstance(outcome, str):
            assert ("tantivy" in goal.against and "tantivy" in outcome) or "numba" in outcome
        else:
            assert outcome.low <= outcome.high


def test_results_were_checked_against_the_peers(run: dict[str, Any]) -> None:
    checks = {check["check"]: check for check in run["sections"]["search"]["checks"]}
    assert checks["qidf = bm25s, top-10, q = 1, ids"]["largest_difference"] == 0.0
    assert sum(name.startswith("qidf = bm25s") for name in checks) >= 4
    assert run["sections"]["add"]["checks"][0]["largest_difference"] == 0.0


def test_ratios_are_computed_from_the_raw_numbers(run: dict[str, Any]) -> None:
    changed = copy.deepcopy(run)
    build = changed["sections"]["build"]["samples"]
    for name in build:
        build[name] = {"wall": [9.0, 11.0], "cpu": [10.0, 10.0]}
    build["qidf build"] = {"wall": [1.0, 3.0], "cpu": [4.0, 4.0]}
    build["bm25s tokenize, class"] = {"wall": [2.0, 4.0], "cpu": [6.0, 6.0]}
    build["bm25s index, scipy csc"] = {"wall": [5.0, 7.0], "cpu": [6.0, 6.0]}
    goal, first = rows(changed)[0]
    assert isinstance(first, Outcome)
    # (3 + 6) / 2 by medians; 7 / 1 and 11 / 3 within the repeats.
    assert (first.value, first.low, first.high) == (4.5, 11 / 3, 7.0)
    assert first.cpu == 3.0
    assert not goal.met(first.value)
    sizes = changed["sections"]["memory"]["values"]["bytes_on_disk"]
    sizes.update(qidf=3, bm25s=4)
    disk = next(row for goal, row in rows(changed) if goal.work == "index size on disk")
    assert isinstance(disk, Outcome)
    assert disk.value == 0.75


def test_growth_is_the_ratio_of_median_p50s(run: dict[str, Any]) -> None:
    sizes = run["sections"]["growth"]["values"]["sizes"]
    assert [size["num_docs"] for size in sizes] == [NUM_DOCS // 10, NUM_DOCS, NUM_DOCS * 10]
    p50 = [median(size["latency"]["p50"]) for size in sizes]
    outcomes = [row for goal, row in rows(run) if goal.work.startswith("p50")]
    assert [row.value for row in outcomes if isinstance(row, Outcome)] == [
        p50[1] / p50[0],
        p50[2] / p50[1],
    ]


def test_a_section_that_was_left_out_or_failed_is_not_a_number(run: dict[str, Any]) -> None:
    changed = copy.deepcopy(run)
    del changed["sections"]["cold"]
    changed["sections"]["large"] = {"error": "MemoryError: out of it", "seconds": 1.0}
    reasons = [outcome for _, outcome in rows(changed) if isinstance(outcome, str)]
    assert "section cold was not run" in reasons
    assert "MemoryError: out of it" in reasons
    assert "MemoryError: out of it" in report.page(changed)


def test_the_page_beside_a_run_is_generated_from_it(run_path: Path, run: dict[str, Any]) -> None:
    assert run_path.with_suffix(".md").read_text(encoding="utf-8") == report.page(run)


def test_an_unknown_section_is_refused(tmp_path: Path) -> None:
    done = harness(write_corpus(tmp_path / "tiny"), tmp_path / "runs", "--only", "speed")
    assert done.returncode == 2
    assert "no section speed" in done.stderr
