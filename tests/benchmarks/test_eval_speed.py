"""The loop over bm25s, what it is compared with, and the page of a run."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

measure = pytest.importorskip(
    "benchmarks.eval_speed.measure",
    reason="benchmarks are importable from the repository's root only",
)

from benchmarks.eval_speed import report  # noqa: E402
from benchmarks.eval_speed.bm25s_loop import measures, ratios  # noqa: E402

RUNS = Path(report.__file__).parents[1] / "runs"


def test_a_rescaled_column_has_the_weight_of_the_formula() -> None:
    from qidf.weighting import Weighting

    doc_freqs = [1, 2, 5, 40, 60, 99]
    for q in (0.05, 0.5, 0.9, 1.0):
        built, wanted = (
            [Weighting("qlog", each).idf.weight(doc_freq, 100) for doc_freq in doc_freqs]
            for each in (1.0, q)
        )
        np.testing.assert_allclose(ratios(np.array(doc_freqs), 100, q) * built, wanted, rtol=1e-9)
    assert ratios(np.array([0]), 100, 0.5) == 1


def test_measures_of_one_relevant_document() -> None:
    found = np.array([[4, 7, 1], [2, 3, 5]])
    assert measures(found, np.array([7, 9])) == {
        "ndcg@10": pytest.approx(1 / np.log2(3) / 2),
        "mrr@10": 0.25,
        "recall": 0.5,
    }
    deep = np.arange(20)[None, :]
    assert measures(deep, np.array([10])) == {"ndcg@10": 0.0, "mrr@10": 0.0, "recall": 1.0}


def test_the_cost_of_a_process_is_that_of_the_process() -> None:
    program = "import json; held = bytearray(200_000_000); print(json.dumps({'size': len(held)}))"
    printed, cost = measure.run([sys.executable, "-c", program], {})
    assert printed == {"size": 200_000_000}
    assert cost.peak_rss_kb * 1024 > 200_000_000
    assert cost.wall > 0
    assert cost.cpu > 0


def test_a_process_that_fails_is_an_error_and_not_a_time() -> None:
    with pytest.raises(RuntimeError, match="ended with 3"):
        measure.run([sys.executable, "-c", "raise SystemExit(3)"], {})


def rows(*values: float) -> dict[str, Any]:
    return {"rows": [{"q": 0.1 * at, "ndcg@10": value} for at, value in enumerate(values)]}


def test_programs_that_measure_different_things_are_not_compared() -> None:
    assert measure.check(rows(0.5, 0.6), rows(0.5, 0.601)) == pytest.approx(0.001)
    with pytest.raises(measure.DisagreementError):
        measure.check(rows(0.5, 0.6), rows(0.5, 0.7))


def tiny(folder: Path) -> Path:
    """As many documents as bm25s's deepest retrieval asks for, gzipped, and three queries."""
    (folder / "qrels").mkdir(parents=True)
    documents = [
        {"_id": f"d{at}", "text": f"shared word{at % 7} rare{at} other{at % 11}"}
        for at in range(120)
    ]
    queries = [{"_id": f"q{at}", "text": f"shared rare{at} word{at % 7}"} for at in range(3)]
    for name, lines in (("corpus", documents), ("queries", queries)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    judged = "".join(f"q{at}\td{at}\t1\n" for at in range(3))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged)
    return folder


def test_both_programs_find_the_same_on_a_tiny_folder(tmp_path: Path) -> None:
    pytest.importorskip("bm25s", reason="bm25s isn't installed")
    folder = measure.plain_copy(tiny(tmp_path / "packed"), tmp_path / "plain")
    contenders = measure.commands(folder)
    ours, _ = measure.run(contenders["qidf"], {})
    # Compiling bm25s takes half a minute on a busy machine; its numpy backend gives the same.
    script = Path(report.__file__).with_name("bm25s_loop.py").read_text(encoding="utf-8")
    plain = tmp_path / "loop.py"
    plain.write_text(script.replace('backend="numba"', 'backend="numpy"'), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(plain), *contenders["bm25s, top 100"][2:]],
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(done.stdout)
    assert measure.check(ours, theirs) < 1e-9
    assert [row["q"] for row in theirs["rows"]] == list(measure.QS)
    assert set(theirs["seconds"]) == {"wall", "cpu"}


def made_up(wall: float, peak: int) -> dict[str, Any]:
    parts = {"import": 1.0, "read": 1.0, "compile": 9.0, "retrieve": 8.0}
    return {
        "started": "2026-01-01T00:00:00",
        "commit": {"id": "abcdef0123"},
        "machine": {"cores": 2},
        "corpus": {"name": "tiny", "num_docs": 120, "num_queries": 3},
        "load_before": [0.5, 0.5, 0.5],
        "load_after": [0.6, 0.5, 0.5],
        "first_use": {"wall": 20.0, "cpu": 18.0, "peak_rss_kb": peak},
        "costs": {
            "qidf": [{"wall": wall, "cpu": wall, "peak_rss_kb": peak}],
            "bm25s, top 100": [{"wall": 20.0, "cpu": 19.0, "peak_rss_kb": 500_000}],
        },
        "rows": {"qidf": rows(0.5)["rows"], "bm25s, top 100": rows(0.5)["rows"]},
        "seconds": {"bm25s, top 100": [{"wall": parts, "cpu": parts}]},
    }


def test_a_goal_is_met_only_by_both_clocks_and_missed_in_bold() -> None:
    page = report.page(made_up(2.0, 300_000))
    assert "| 10.0x by wall clock, 9.5x by CPU time | met | 5.5x, 5.0x |" in page
    assert "| 307 MB | met |" in page
    page = report.page(made_up(3.9, 2_100_000))
    assert "| 5.1x by wall clock, 4.9x by CPU time | **missed** |" in page
    assert "| 2,150 MB | **missed** |" in page


@pytest.mark.parametrize("path", sorted(RUNS.glob("eval-speed-*.json")), ids=lambda path: path.stem)
def test_every_committed_page_of_an_evaluation_is_that_of_its_run(path: Path) -> None:
    page = report.page(json.loads(path.read_text(encoding="utf-8")))
    assert path.with_suffix(".md").read_text(encoding="utf-8") == page
