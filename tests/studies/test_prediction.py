from __future__ import annotations

import math

import numpy as np
import pytest

from qidf.statistics import CorpusStats
from qidf.studies.prediction import FORMS, Point, half_splits, left_out, rmse, trials


def point(language: str, htok: float, best_q: float, zipf: float | None = 1.7) -> Point:
    stats = CorpusStats(1_000, 10_000, 2_000, htok, share_df_le_5=0.5 + htok)
    return Point(language, 0, stats, zipf, best_q)


POINTS = [
    point(language, htok, 1 - 7 * htok)
    for language, htok in (("go", 0.06), ("java", 0.02), ("ruby", 0.03), ("php", 0.01))
]


def test_six_languages_have_twenty_half_splits() -> None:
    splits = half_splits(["go", "java", "ruby", "python", "php", "javascript"])
    assert len(set(splits)) == 20
    assert {len(split) for split in splits} == {3}
    assert left_out(["go", "java"]) == [("java",), ("go",)]


def test_a_law_that_holds_is_found_whatever_is_left_out() -> None:
    found = list(trials(FORMS[0], POINTS, left_out(["go", "java", "ruby", "php"])))
    assert len(found) == 4
    for trial in found:
        assert trial.coefficients == pytest.approx([7.0])
        [(tested, q)] = trial.predictions
        assert tested.language not in trial.train
        assert q == pytest.approx(tested.best_q)


def test_features_are_what_the_formulas_say() -> None:
    one = POINTS[0]
    expected = {
        "A": [0.06],
        "B": [0.56],
        "C": [1 / 1.7],
        "D": [0.06, 1 / math.log(10_000)],
        "E": [0.56, 1 / math.log(10_000)],
    }
    for form in FORMS:
        assert list(form.features(one)) == pytest.approx(expected[form.name])
        assert len(form.features(one)) == form.num_coefficients


def test_predictions_are_clipped_as_the_papers() -> None:
    assert FORMS[0].predict(np.array([100.0]), POINTS[0]) == 0.01
    assert FORMS[0].predict(np.array([-5.0]), POINTS[0]) == 1.0


def test_a_form_without_its_features_or_points_is_left_out() -> None:
    without = [point("go", 0.06, 0.5, None), point("java", 0.02, 0.9, None)]
    assert list(trials(FORMS[2], without, [("go",)])) == []
    assert FORMS[3].fit(without[:1]) is None


def test_rmse_is_the_root_of_the_mean_square() -> None:
    assert rmse([(0.0, 3.0), (0.0, 4.0)]) == pytest.approx(math.sqrt(12.5))
