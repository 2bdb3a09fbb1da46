from __future__ import annotations

import numpy as np
import pytest
from study_data import MakeBench

from qidf.evaluation import QlogSystem, Settings, evaluate
from qidf.studies import find_study, run_study
from qidf.studies.paper import LABEL_GRID, MAIN


def test_the_table_says_what_an_evaluation_says(make_bench: MakeBench) -> None:
    bench = make_bench("java")
    findings = run_study(find_study("main"), bench)
    [row] = findings.tables[0].rows
    record = dict(zip([column.name for column in findings.tables[0].columns], row, strict=True))
    evaluation = evaluate(
        bench.dataset(bench.subjects()[0]),
        [QlogSystem(q) for q in LABEL_GRID],
        Settings(resamples=200),
    )
    means = [each.mean("ndcg@10") for each in evaluation.rows]
    best = max(range(len(means)), key=lambda at: (means[at], LABEL_GRID[at]))
    assert record["q"] == LABEL_GRID[best]
    assert record["qlog"] == pytest.approx(means[best], abs=1e-15)
    assert record["bm25"] == pytest.approx(evaluation.baseline.mean("ndcg@10"), abs=1e-15)
    assert record["delta"] == pytest.approx(evaluation.rows[best].comparison.delta, abs=1e-15)
    assert record["paper_bm25"] == MAIN["java"].bm25


def test_python_comes_in_both_forms_and_text_at_the_q_of_the_paper_too(
    make_bench: MakeBench,
) -> None:
    findings = run_study(find_study("main"), make_bench("python", "nfcorpus"))
    corpora = [row[0] for row in findings.tables[0].rows]
    assert corpora == ["python (stripped)", "python (published)", "nfcorpus", "nfcorpus"]
    assert findings.tables[0].rows[-1][6] == 1.1


def test_every_query_is_kept_for_those_who_want_to_check(make_bench: MakeBench) -> None:
    findings = run_study(find_study("main"), make_bench("ruby"))
    [queries] = [each for each in findings.tables if each.packed]
    bm25 = [row[1] for row in queries.rows]
    assert len(bm25) == 22
    assert np.mean(bm25) == pytest.approx(findings.tables[0].rows[0][8], abs=1e-6)
