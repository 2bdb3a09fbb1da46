"""The q-logarithm against the closed form, arbitrary precision and its own algebra."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.weights import Q_ONE_TOLERANCE, qlog

# The odds of a corpus of 10^9 documents run from df = N to df = 1.
LOWEST_ODDS = 0.5 / (1e9 + 0.5)
HIGHEST_ODDS = (1e9 - 0.5) / 1.5
odds = st.floats(min_value=LOWEST_ODDS, max_value=HIGHEST_ODDS)


def test_it_is_the_textbook_closed_form_away_from_q_1() -> None:
    for q in (-1.0, 0.05, 0.3, 0.5, 0.9, 1.1, 1.5, 3.0):
        for x in (0.01, 0.5, 2.0, 99.0, 121626.0):
            assert qlog(x, q) == pytest.approx((x ** (1 - q) - 1) / (1 - q), rel=1e-12)


def test_well_known_values() -> None:
    assert qlog(1.0, 0.3) == 0.0
    assert qlog(9.0, 0.0) == pytest.approx(8.0, rel=1e-15)
    assert qlog(9.0, 0.5) == pytest.approx(4.0, rel=1e-15)
    assert qlog(4.0, 2.0) == pytest.approx(0.75, rel=1e-15)
    assert qlog(math.e, 1.0) == math.log(math.e)


@given(x=odds, q=st.floats(min_value=1 - 1e-4, max_value=1 + 1e-4))
def test_no_digits_cancel_near_q_1(x: float, q: float) -> None:
    # Taylor: ln_q(x) = L + (1-q) L^2 / 2 + (1-q)^2 L^3 / 6 + ..., L = ln x.
    log, exponent = math.log(x), 1 - q
    if abs(exponent) < Q_ONE_TOLERANCE:
        assert qlog(x, q) == log
        return
    series = sum(exponent**n * log ** (n + 1) / math.factorial(n + 1) for n in range(8))
    assert qlog(x, q) == pytest.approx(series, rel=1e-13, abs=1e-300)


@given(x=odds, q=st.floats(min_value=-5, max_value=7))
def test_swapping_the_odds_mirrors_q_about_1(x: float, q: float) -> None:
    # ln_q(1/x) = -ln_{2-q}(x)
    assert qlog(1 / x, q) == pytest.approx(-qlog(x, 2 - q), rel=1e-9, abs=1e-12)


@given(x=odds, q=st.floats(min_value=-5, max_value=7))
def test_arrays_agree_with_numbers(x: float, q: float) -> None:
    values = qlog(np.array([x, 1.0]), q)
    assert values.dtype == np.float64
    assert values.tolist() == pytest.approx([qlog(x, q), 0.0], rel=1e-14)


@given(q=st.floats(min_value=-32, max_value=34))
def test_the_odds_of_a_billion_documents_stay_finite_without_a_warning(q: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (LOWEST_ODDS, 1.0, HIGHEST_ODDS):
            assert math.isfinite(qlog(x, q))
        assert np.isfinite(qlog(np.array([LOWEST_ODDS, 1.0, HIGHEST_ODDS]), q)).all()


def test_beyond_float64_the_value_is_a_silent_infinity_of_the_right_sign() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert qlog(1e9, -100) == math.inf
        assert qlog(1e-9, 100) == -math.inf
        assert qlog(np.array([1e9, 1e-9]), -100.0).tolist() == [math.inf, -1 / 101]
        assert qlog(np.array([1e9, 1e-9]), 100.0).tolist() == [1 / 99, -math.inf]


def test_integers_and_small_floats_are_read_as_float64() -> None:
    assert qlog(np.array([1, 4, 9]), 0.5).tolist() == pytest.approx([0.0, 2.0, 4.0])
    assert qlog(np.array([4], dtype=np.float32), 0.5).dtype == np.float64
    assert isinstance(qlog(np.float32(4.0), 0.5), float)


@pytest.mark.parametrize("x", [0.0, -1.0, math.nan])
def test_numbers_without_a_logarithm_are_refused(x: float) -> None:
    with pytest.raises(InvalidArgumentError, match="positive"):
        qlog(x, 0.5)
    with pytest.raises(InvalidArgumentError, match="positive"):
        qlog(np.array([1.0, x]), 0.5)


@pytest.mark.parametrize("q", [math.nan, math.inf])
def test_a_q_that_is_no_number_is_refused(q: float) -> None:
    with pytest.raises(InvalidArgumentError, match="finite"):
        qlog(2.0, q)
