"""What q-log costs: every engine is built and asked in a process of its own."""

from __future__ import annotations

import pytest
from study_data import MakeBench

from qidf.errors import InputError
from qidf.studies import find_study, paper_proxies, run_study
from qidf.studies.experiments import overhead
from qidf.studies.stopwatch import measure_apart

pytest.importorskip("bm25s")


def test_every_measure_of_the_paper_has_a_row(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_proxies, "OVERHEAD_TRIALS", 1)
    monkeypatch.setattr(paper_proxies, "OVERHEAD_QUERIES", 5)
    monkeypatch.setattr(paper_proxies, "OVERHEAD_K", 10)
    monkeypatch.setattr(overhead, "BUILD_TRIALS", 1)
    findings = run_study(find_study("overhead"), make_bench("java", "go"))
    [main] = findings.tables
    assert main.title.startswith("go")
    names = [column.name for column in main.columns]
    rows = {str(row[0]): dict(zip(names, row, strict=True)) for row in main.rows}
    assert len(rows) == len(paper_proxies.OVERHEAD)
    for title, row in rows.items():
        assert row["paper_rescaled"] is not None
        if title == "peak memory at query" and row["qidf"] is None:
            continue
        assert row["rescaled"] is not None
        if title != "rescale":
            assert row["bm25s"] is not None
            assert row["qidf"] is not None
    assert rows["size on disk"]["rescaled"] > rows["size on disk"]["bm25s"]
    assert rows["rescale"]["bm25s"] is None


def test_a_process_that_fails_is_an_error_and_no_measurement(tmp_path: object) -> None:
    job = {"work": "query", "engine": "qidf", "queries": "/no/such/file", "folder": str(tmp_path)}
    with pytest.raises(InputError, match="measuring qidf failed"):
        measure_apart({**job, "q": 1.0, "k": 1, "trials": 1})
