from __future__ import annotations

import math

import numpy as np
import pytest
from study_data import MakeBench

from qidf.errors import InputError
from qidf.studies import Findings, find_study, run_study
from qidf.studies.experiments.learnt import EvidenceSystem
from qidf.studies.regression import fit_log_odds
from qidf.weighting import Weighting
from qidf.weighting.evidence import Evidence


def _records(findings: Findings, name: str) -> list[dict[str, object]]:
    [chosen] = [each for each in findings.tables if each.name == name]
    names = [column.name for column in chosen.columns]
    return [dict(zip(names, row, strict=True)) for row in chosen.rows]


def test_text_is_weighed_with_and_without_a_stop_list(make_bench: MakeBench) -> None:
    rows = _records(run_study(find_study("weighting"), make_bench("nfcorpus")), "weighting")
    assert [(row["corpus"], row["stop_words"]) for row in rows] == [
        ("nfcorpus", "dropped"),
        ("nfcorpus", "kept"),
    ]


def test_the_share_is_that_of_the_gain_that_labels_would_choose(make_bench: MakeBench) -> None:
    for row in _records(run_study(find_study("weighting"), make_bench("python")), "weighting"):
        gap = float(str(row["best_k3"])) - float(str(row["bm25"]))
        gained = float(str(row["auto"])) - float(str(row["bm25"]))
        assert row["share"] == (pytest.approx(gained / gap) if gap > 0 else None)
        assert float(str(row["each_full"])) >= float(str(row["best_full"]))


def test_a_language_has_no_part_in_the_fit_it_is_measured_with(make_bench: MakeBench) -> None:
    with_java = _records(
        run_study(find_study("learnt"), make_bench("go", "ruby", "java")), "numbers"
    )
    without = _records(run_study(find_study("learnt"), make_bench("go", "ruby")), "numbers")
    [left_out] = [row for row in with_java if row["left_out"] == "java"]
    [all_of_them] = [row for row in without if row["left_out"] == "none"]
    assert left_out | {"left_out": ""} == all_of_them | {"left_out": ""}


def test_one_language_is_too_few_to_leave_one_out(make_bench: MakeBench) -> None:
    with pytest.raises(InputError, match="at least two"):
        run_study(find_study("learnt"), make_bench("python"))


def test_evidence_for_rare_tokens_finds_more_than_for_common_ones(make_bench: MakeBench) -> None:
    bench = make_bench("go")
    [subject] = bench.subjects()
    saturated = Weighting("qlog1p", 1.0, 1.0)
    names = EvidenceSystem(saturated, Evidence(0, -9, 0, 0, 0))
    words = EvidenceSystem(saturated, Evidence(0, 9, 0, 0, 0))
    measured = bench.measure(subject, [names, words])
    assert measured.mean(names) > measured.mean(words)


def test_logistic_regression_finds_the_odds_of_a_coin() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    happened = np.array([1.0, 0.0, 1.0, 0.0])
    counts = np.array([3.0, 1.0, 1.0, 4.0]) * 1e6
    constant, slope = fit_log_odds(rows, happened, counts)
    assert constant == pytest.approx(math.log(3), abs=1e-4)
    assert constant + slope == pytest.approx(math.log(1 / 4), abs=1e-4)


def test_a_feature_that_alone_decides_has_a_finite_coefficient() -> None:
    rows = np.array([[1.0], [-1.0]])
    [found] = fit_log_odds(rows, np.array([1.0, 0.0]), np.ones(2))
    assert 0 < found < 10


def test_questions_are_asked_of_whole_identifiers_and_of_parts(make_bench: MakeBench) -> None:
    rows = _records(run_study(find_study("questions"), make_bench("go", "nfcorpus")), "questions")
    assert [(row["corpus"], row["analyzer"]) for row in rows] == [
        ("go (stripped)", "generic"),
        ("go (stripped)", "identifier"),
        ("nfcorpus", "generic"),
        ("nfcorpus", "identifier"),
    ]
