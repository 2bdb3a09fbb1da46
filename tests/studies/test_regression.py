from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.studies.regression import average_ranks, fit_below_one, ols_slope, spearman

stats = pytest.importorskip("scipy.stats")
# Few different values, so that ties are common.
pairs = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=3, max_size=40)


@given(pairs)
def test_slope_and_rho_are_scipys(values: list[tuple[int, int]]) -> None:
    x, y = (np.array(column, float) for column in zip(*values, strict=True))
    slope, rho = ols_slope(x, y), spearman(x, y)
    if len(set(x)) == 1:
        assert slope is None
        assert rho is None
        return
    assert slope == pytest.approx(stats.linregress(x, y).slope, abs=1e-9)
    if len(set(y)) == 1:
        assert rho is None
    else:
        assert rho == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_equal_values_share_their_mean_rank(values: list[int]) -> None:
    assert average_ranks(np.array(values)).tolist() == stats.rankdata(values).tolist()


@given(st.lists(st.tuples(st.floats(0.01, 0.2), st.floats(0.05, 1)), min_size=1, max_size=18))
def test_one_coefficient_is_the_closed_form(points: list[tuple[float, float]]) -> None:
    feature, best = (np.array(column) for column in zip(*points, strict=True))
    [coefficient] = fit_below_one(feature[:, None], best)
    assert coefficient == pytest.approx(feature @ (1 - best) / (feature @ feature), rel=1e-9)


def test_two_coefficients_are_where_no_neighbour_is_better() -> None:
    draw = np.random.default_rng(3)
    rows, best = draw.random((9, 2)), draw.random(9)
    fit = fit_below_one(rows, best)

    def error(coefficients: np.ndarray) -> float:
        return float(((best - (1 - rows @ coefficients)) ** 2).sum())

    for step in ([1e-3, 0], [-1e-3, 0], [0, 1e-3], [0, -1e-3]):
        assert error(fit) < error(fit + step)


def test_too_few_corpora_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="2 coefficients can't be fit to 1 corpora"):
        fit_below_one(np.ones((1, 2)), np.ones(1))
    with pytest.raises(InvalidArgumentError, match="two lists of one length"):
        ols_slope(np.ones(2), np.ones(3))
