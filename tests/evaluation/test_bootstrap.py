"""The paired bootstrap: its draws, its laws, and what it says of differences that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.evaluation import RESAMPLES, Comparison, paired_bootstrap

values = st.lists(st.integers(0, 8).map(lambda eighth: eighth / 8), min_size=1, max_size=40)
FEW = 200


def splitmix_rows(seed: int, resample: int, size: int) -> list[int]:
    """The draws of one resample, by arithmetic on Python's integers."""
    mask = 2**64 - 1
    step = 0x9E3779B97F4A7C15
    rows = []
    for at in range(1, size + 1):
        value = (seed + (resample * size + at) * step) & mask
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        value ^= value >> 31
        rows.append(((value >> 32) * size) >> 32)
    return rows


def naive(base: np.ndarray, treatment: np.ndarray, resamples: int, seed: int) -> Comparison:
    difference = treatment - base
    means = np.array(
        [
            difference[splitmix_rows(seed, resample, len(base))].mean()
            for resample in range(resamples)
        ]
    )
    observed = difference.mean()
    extreme = int((np.abs(means - observed) >= abs(observed) - 1e-9).sum())
    low, high = np.percentile(means, [2.5, 97.5])
    return Comparison(observed, (low, high), max(extreme, 1) / resamples, resamples, len(base))


@given(values, st.integers(0, 2**63 - 1), st.integers(1, 6), st.integers(0, 2**32))
@settings(max_examples=40)
def test_it_is_what_the_definition_gives(
    base: list[float], seed: int, columns: int, other: int
) -> None:
    first = np.array(base)
    generator = np.random.default_rng(other)
    treatments = [generator.integers(0, 9, len(base)) / 8 for _ in range(columns)]
    found = paired_bootstrap(first, treatments, resamples=30, seed=seed)
    for comparison, treatment in zip(found, treatments, strict=True):
        expected = naive(first, treatment, 30, seed)
        assert comparison.delta == pytest.approx(expected.delta, abs=1e-12)
        assert comparison.ci95 == pytest.approx(expected.ci95, abs=1e-12)
        assert comparison.p == expected.p


def test_draws_are_spread_evenly_over_the_rows() -> None:
    from qidf.native.resampling import draw

    counts = np.zeros(97)
    rows = np.empty(97, np.int32)
    for resample in range(2_000):
        draw(1, resample, rows, len(rows))
        counts += np.bincount(rows, minlength=97)
    expected = 2_000
    # Chi-squared with 96 degrees of freedom exceeds 160 less than once in 10,000 seeds.
    assert ((counts - expected) ** 2 / expected).sum() < 160


@given(values, st.integers(0, 2**32))
def test_swapping_the_sides_turns_the_sign(base: list[float], other: int) -> None:
    first = np.array(base)
    second = np.random.default_rng(other).integers(0, 9, len(base)) / 8
    (there,) = paired_bootstrap(first, [second], resamples=FEW)
    (back,) = paired_bootstrap(second, [first], resamples=FEW)
    assert back.delta == pytest.approx(-there.delta, abs=1e-12)
    assert back.ci95 == pytest.approx((-there.ci95[1], -there.ci95[0]), abs=1e-12)
    assert back.p == there.p


@given(values, st.floats(-1, 1))
def test_a_constant_difference_is_certain(base: list[float], shift: float) -> None:
    first = np.array(base)
    (found,) = paired_bootstrap(first, [first + shift], resamples=FEW)
    assert found.ci95 == pytest.approx((shift, shift), abs=1e-9)
    assert found.p == (1.0 if abs(shift) < 1e-12 else 1 / FEW) or abs(shift) < 1e-9


@given(values, st.integers(0, 2**32), st.floats(-5, 5))
def test_it_depends_on_differences_alone(base: list[float], other: int, shift: float) -> None:
    first = np.array(base)
    second = np.random.default_rng(other).integers(0, 9, len(base)) / 8
    (found,) = paired_bootstrap(first, [second], resamples=FEW)
    (moved,) = paired_bootstrap(first + shift, [second + shift], resamples=FEW)
    assert moved.delta == pytest.approx(found.delta, abs=1e-9)
    assert moved.ci95 == pytest.approx(found.ci95, abs=1e-9)


@given(values, st.integers(0, 2**32))
def test_the_interval_and_p_are_in_range(base: list[float], other: int) -> None:
    first = np.array(base)
    second = np.random.default_rng(other).integers(0, 9, len(base)) / 8
    (found,) = paired_bootstrap(first, [second], resamples=FEW)
    difference = second - first
    assert difference.min() - 1e-9 <= found.ci95[0] <= found.ci95[1] <= difference.max() + 1e-9
    assert 1 / FEW <= found.p <= 1.0


def test_a_seed_always_gives_the_same_and_another_one_something_else() -> None:
    first, second = np.random.default_rng(0).random((2, 100))
    assert paired_bootstrap(first, [second]) == paired_bootstrap(first, [second])
    (one,), (two,) = (paired_bootstrap(first, [second], seed=seed) for seed in (1, 2))
    assert one.ci95 != two.ci95
    assert one.delta == two.delta


def test_one_system_among_several_is_compared_as_if_it_were_alone() -> None:
    first, *others = np.random.default_rng(0).random((6, 60))
    together = paired_bootstrap(first, others, resamples=FEW)
    apart = [paired_bootstrap(first, [other], resamples=FEW)[0] for other in others]
    assert together == apart


def test_the_interval_is_as_wide_as_the_normal_one() -> None:
    first = np.zeros(2_000)
    second = np.random.default_rng(3).normal(0.1, 1.0, 2_000)
    (found,) = paired_bootstrap(first, [second])
    half = 1.96 * second.std() / np.sqrt(len(second))
    assert found.ci95 == pytest.approx((second.mean() - half, second.mean() + half), abs=0.002)


def test_p_is_that_of_the_normal_test_where_that_holds() -> None:
    first = np.zeros(500)
    second = np.random.default_rng(5).normal(0.0, 1.0, 500)
    second += 0.08 - second.mean()
    (found,) = paired_bootstrap(first, [second])
    # z = 0.08 / (s / sqrt(500)) is about 1.8, and p about 0.07.
    assert 0.04 < found.p < 0.11


def test_p_is_reported_at_its_resolution_when_nothing_is_as_extreme() -> None:
    first = np.zeros(100)
    (found,) = paired_bootstrap(first, [first + 1])
    assert found.p == 1 / RESAMPLES
    assert found.p_text == "p <= 1e-4"
    (few,) = paired_bootstrap(first, [first + 1], resamples=250)
    assert few.p_text == "p <= 4e-3"


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0002, "p = 0.0002"), (0.031, "p = 0.031"), (0.5, "p = 0.50"), (1, "p = 1.00")],
)
def test_other_p_values_are_written_out(p: float, text: str) -> None:
    assert Comparison(0.1, (0.0, 0.2), p, RESAMPLES, 10).p_text == text


def test_a_system_compared_with_itself_shows_no_difference() -> None:
    first = np.random.default_rng(1).random(50)
    (found,) = paired_bootstrap(first, [first])
    assert (found.delta, found.ci95, found.p) == (0.0, (0.0, 0.0), 1.0)


@pytest.mark.parametrize(
    ("base", "treatment", "sentence"),
    [
        ([], [], "no queries"),
        ([1.0], [1.0, 2.0], "one value for each query"),
        ([1.0, np.nan], [1.0, 2.0], "failed query"),
        ([1.0, 1.0], [np.nan, 2.0], "failed query"),
    ],
)
def test_values_that_do_not_pair_are_refused(
    base: list[float], treatment: list[float], sentence: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=sentence):
        paired_bootstrap(np.array(base), [np.array(treatment)])


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_have_a_range(seed: int) -> None:
    with pytest.raises(InvalidArgumentError, match="a seed is a number"):
        paired_bootstrap(np.ones(2), [np.ones(2)], seed=seed)


def test_there_is_at_least_one_resample() -> None:
    with pytest.raises(InvalidArgumentError, match="resamples must be 1 or more"):
        paired_bootstrap(np.ones(2), [np.ones(2)], resamples=0)
