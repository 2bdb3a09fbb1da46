"""The transcribed figures against each other: a slip of the pen breaks what the paper keeps."""

from __future__ import annotations

import numpy as np
import pytest

from qidf.statistics import predict_q
from qidf.studies import STUDIES, paper
from qidf.studies.occlusion import BINS, bin_name
from qidf.studies.prediction import rmse

# A difference of two values rounded to three digits is off by up to this.
ROUNDED = 0.0015


@pytest.mark.parametrize("topic", paper.MAIN)
def test_a_delta_is_the_difference_of_its_row(topic: str) -> None:
    row = paper.MAIN[topic]
    assert row.qlog - row.bm25 == pytest.approx(row.delta, abs=ROUNDED)
    if row.ci95 is not None:
        assert row.ci95[0] <= row.delta <= row.ci95[1]


@pytest.mark.parametrize("topic", [each for each in paper.MAIN if paper.MAIN[each].htok])
def test_the_predicted_q_follows_from_htok(topic: str) -> None:
    htok = paper.MAIN[topic].htok
    assert htok is not None
    assert predict_q(htok) == pytest.approx(paper.DEPLOYABLE[topic].q_pred, abs=0.005)
    assert predict_q(htok) == pytest.approx(paper.CALIBRATION[topic][-1][0], abs=0.001)


@pytest.mark.parametrize("topic", ["go", "ruby"])
def test_recovery_follows_from_the_three_values_of_its_row(topic: str) -> None:
    main, row = paper.MAIN[topic], paper.DEPLOYABLE[topic]
    assert row.ndcg_pred is not None
    assert (row.ndcg_pred - main.bm25) / main.delta == pytest.approx(row.recovery, abs=0.06)


@pytest.mark.parametrize("row", paper.SCALING, ids=lambda row: f"{row.num_docs}")
def test_scaling_rows_add_up(row: paper.ScalingRow) -> None:
    assert row.qlog - row.bm25 == pytest.approx(row.delta, abs=ROUNDED)
    assert row.ci95[0] <= row.delta <= row.ci95[1]


def test_the_sweep_meets_the_scaling_table() -> None:
    by_size = {row.num_docs: row for row in paper.SCALING}
    for size, curve in ((50_000, paper.SWEEP_GO_50K), (182_440, paper.SWEEP_GO_FULL)):
        assert curve[0.10] == pytest.approx(by_size[size].qlog, abs=0.0006)
        assert curve[1.00] == pytest.approx(by_size[size].bm25, abs=0.0006)
    assert tuple(paper.SWEEP_GO_50K) == paper.SWEEP_GRID


def test_the_tokenizer_panels_begin_with_known_values() -> None:
    assert paper.TOKENIZERS["go"][0] == (paper.SWEEP_GO_50K[1.0], paper.SWEEP_GO_50K[0.10])
    assert paper.TOKENIZERS["ruby"][0][0] == pytest.approx(paper.MAIN["ruby"].bm25, abs=0.0006)
    assert paper.TOKENIZERS["python"][0][0] == paper.ADAPTIVE[-2].bm25


def test_families_and_main_results_agree() -> None:
    for topic, row in paper.FAMILIES.items():
        assert row.bm25 == pytest.approx(paper.MAIN[topic].bm25, abs=0.0006)
        assert row.qlog == pytest.approx(paper.MAIN[topic].qlog, abs=0.0006)


def test_the_printed_rmse_and_sigma_are_those_of_the_printed_points() -> None:
    calibration = [pair for points in paper.CALIBRATION.values() for pair in points]
    assert len(calibration) == 18
    assert rmse(calibration) == pytest.approx(paper.CALIBRATION_RMSE, abs=0.005)
    residuals = [q - best for points in paper.LEFT_OUT.values() for q, best in points]
    assert np.std(residuals) == pytest.approx(paper.LEFT_OUT_SIGMA, abs=0.005)
    for topic, points in paper.LEFT_OUT.items():
        assert [best for _, best in points] == [best for _, best in paper.CALIBRATION[topic]]


def test_boxes_are_in_order() -> None:
    for box in paper.FORM_BOXES.values():
        values = [box.low, box.lower_quartile, box.median, box.upper_quartile, box.high]
        assert values == sorted(values)


def test_occlusion_names_bins_that_exist() -> None:
    names = {bin_name(*each) for each in BINS}
    for losses in paper.OCCLUSION.values():
        assert set(losses) <= names


def test_remarks_are_on_studies_that_exist() -> None:
    assert set(paper.REMARKS) <= set(STUDIES)
