"""Choosing among rankings: held-out picking against a plain reference, verdicts, sample sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.evaluation import choose, queries_needed
from qidf.evaluation.choice import FOLDS, MEANINGFUL, MIN_DIFFERING

RESAMPLES = 400


def noisy(seed: int, size: int, mean: float, spread: float) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(0, spread, size)
    return drawn - drawn.mean() + mean


def pick_slowly(values: np.ndarray, seed: int) -> list[float]:
    """For each fold, average every candidate over all other queries, one query at a time."""
    size = values.shape[1]
    folds = np.array_split(np.random.default_rng(seed).permutation(size), min(FOLDS, size))
    result = [0.0] * size
    for fold in folds:
        held = set(fold.tolist())
        sums = [sum(row[at] for at in range(size) if at not in held) for row in values.tolist()]
        top = max(sums)
        winner = max(at for at, total in enumerate(sums) if total >= top - 1e-9)
        for at in held:
            result[at] = float(values[winner, at])
    return result


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 35), st.integers(1, 5))
def test_each_query_is_measured_by_the_pick_of_the_others(
    seed: int, size: int, candidates: int
) -> None:
    # Few levels make ties common.
    values = np.random.default_rng(seed).integers(0, 4, (candidates, size)) / 3
    choice = choose(values, values[-1], values[0], resamples=50, seed=seed)
    assert choice.held_out.tolist() == pick_slowly(values, seed)
    assert values.mean(axis=1)[choice.best] == pytest.approx(values.mean(axis=1).max())


def test_a_clear_winner_is_tuned() -> None:
    bm25 = noisy(1, 200, 0.3, 0.1)
    candidates = np.array([bm25 + noisy(2, 200, 0.2, 0.05), bm25 - 0.1, bm25])
    choice = choose(candidates, bm25, bm25 + noisy(3, 200, 0.1, 0.02), resamples=RESAMPLES)
    assert choice.verdict == "tuned"
    assert choice.best == 0
    assert choice.against_bm25.comparison.delta == pytest.approx(0.2)


def test_the_predicted_q_stays_where_picking_gains_nothing_over_it() -> None:
    bm25 = noisy(1, 200, 0.3, 0.1)
    predicted = bm25 + noisy(2, 200, 0.2, 0.05)
    choice = choose(np.array([predicted, bm25]), bm25, predicted, resamples=RESAMPLES)
    assert choice.verdict == "predicted"
    assert choice.against_predicted.comparison.delta == 0


def test_a_predicted_q_that_loses_makes_way_for_bm25() -> None:
    bm25 = noisy(1, 200, 0.3, 0.1)
    predicted = bm25 - noisy(2, 200, 0.2, 0.05)
    # Half of the folds would pick another that is as bad, so that picking itself isn't sure to win.
    choice = choose(np.array([predicted, predicted]), bm25, predicted, resamples=RESAMPLES)
    assert choice.verdict == "bm25"


def test_tuned_may_beat_bm25_where_the_predicted_q_lies_between() -> None:
    bm25 = noisy(1, 400, 0.3, 0.1)
    tuned = bm25 + noisy(2, 400, 0.04, 0.15)
    predicted = bm25 + noisy(4, 400, 0.03, 0.6)
    choice = choose(np.array([tuned]), bm25, predicted, resamples=RESAMPLES)
    assert not choice.predicted_against_bm25.settled
    assert not choice.against_predicted.settled
    assert choice.verdict == "tuned"


def test_a_large_set_can_show_that_q_hardly_matters() -> None:
    bm25 = noisy(1, 2000, 0.3, 0.1)
    predicted, other = bm25 + noisy(2, 2000, 0, 0.05), bm25 + noisy(3, 2000, 0, 0.05)
    choice = choose(np.array([other]), bm25, predicted, resamples=RESAMPLES)
    assert choice.verdict == "no-difference"


def test_a_small_set_is_refused_and_says_how_many_queries_it_takes() -> None:
    bm25 = noisy(1, 30, 0.3, 0.1)
    predicted, other = bm25 + noisy(2, 30, 0.02, 0.3), bm25 + noisy(3, 30, 0.05, 0.3)
    choice = choose(np.array([other]), bm25, predicted, resamples=RESAMPLES)
    assert choice.verdict == "too-small"
    assert choice.against_bm25.needed > 200
    assert choice.against_bm25.effect == pytest.approx(0.05)


@pytest.mark.parametrize("size", [1, 2, MIN_DIFFERING - 1])
def test_too_few_queries_settle_nothing_however_far_apart(size: int) -> None:
    bm25 = np.zeros(size)
    choice = choose(np.ones((2, size)), bm25, bm25, resamples=RESAMPLES)
    assert choice.verdict == "too-small"
    more = np.zeros(MIN_DIFFERING)
    assert choose(np.ones((2, MIN_DIFFERING)), more, more, resamples=RESAMPLES).verdict == "tuned"


def test_the_sample_size_shows_the_difference_four_times_out_of_five() -> None:
    rng = np.random.default_rng(5)
    pilot = noisy(4, 100_000, 0.05, 0.3)
    needed = queries_needed(pilot)
    assert needed == pytest.approx(((1.96 + 0.8416) * 0.3 / 0.05) ** 2, rel=0.02)
    means = rng.choice(pilot, (2000, needed)).mean(axis=1)
    shown = np.mean(means - 1.96 * pilot.std() / np.sqrt(needed) > 0)
    assert 0.77 < shown < 0.83


def test_a_difference_that_nobody_would_act_on_is_not_what_the_sample_is_sized_for() -> None:
    spread = noisy(4, 1000, MEANINGFUL / 100, 0.3)
    assert queries_needed(spread) == queries_needed(spread + MEANINGFUL / 2)
    assert queries_needed(np.zeros(50)) == queries_needed(np.zeros(1)) == MIN_DIFFERING


def test_of_equal_candidates_the_last_is_taken() -> None:
    bm25 = noisy(1, 20, 0.3, 0.1)
    assert choose(np.array([bm25, bm25, bm25 - 0.1]), bm25, bm25, resamples=50).best == 1


def test_nothing_to_choose_from_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="nothing to choose from"):
        choose(np.empty((0, 3)), np.zeros(3), np.zeros(3))
