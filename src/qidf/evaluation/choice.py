"""Which of several rankings to trust, judged on queries that didn't take part in picking it.

The best of a grid looks better than it is on the queries it was picked on. So the picking is
repeated: on nine tenths of the queries, measured on the last tenth, ten times over. What that
gains is what picking is worth, and the paired bootstrap says whether it is more than luck.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.evaluation.bootstrap import RESAMPLES, SEED, Comparison, paired_bootstrap

Verdict = Literal["tuned", "predicted", "bm25", "no-difference", "too-small"]

FOLDS = 10
# Differences in NDCG that nobody would act on; runs of one system on two samples differ by more.
MEANINGFUL = 0.01
# Fewer queries that differ can't reach p < .05 even if all favour one side: 2^(1-5) = .0625.
MIN_DIFFERING = 6
# A mean lies outside a 95% interval around zero four times out of five if it is this many standard
# errors away: normal quantiles of .975 and .8.
_POWER = 1.959964 + 0.841621


@dataclass(frozen=True, slots=True)
class Contrast:
    """One side against another: the comparison, and how many queries would settle it."""

    comparison: Comparison
    needed: int
    differing: int

    @property
    def effect(self) -> float:
        """The difference that `needed` queries would show."""
        return max(abs(self.comparison.delta), MEANINGFUL)

    @property
    def settled(self) -> bool:
        """Whether the first side is better, and not by luck."""
        return self.comparison.ci95[0] > 0 and self.differing >= MIN_DIFFERING

    @property
    def negligible(self) -> bool:
        """Whether the set is large enough to see that the sides hardly differ."""
        low, high = self.comparison.ci95
        return self.comparison.num_queries >= self.needed and max(-low, high) <= MEANINGFUL

    def to_dict(self) -> dict[str, object]:
        """Return it in JSON's types."""
        return {
            "delta": self.comparison.delta,
            "ci95": list(self.comparison.ci95),
            "p": self.comparison.p,
            "p_text": self.comparison.p_text,
            "queries_needed": self.needed,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What a set of queries says: the verdict, and what it rests on.

    `best` is the candidate with the highest mean; the contrasts are of what was picked by other
    queries (`held_out`, one value for each query) against BM25 and against the predicted q, and of
    the predicted q against BM25.
    """

    verdict: Verdict
    best: int
    held_out: np.ndarray
    against_bm25: Contrast
    against_predicted: Contrast
    predicted_against_bm25: Contrast


def choose(
    candidates: np.ndarray,
    bm25: np.ndarray,
    predicted: np.ndarray,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Choice:
    """Judge candidates, a row of per-query values each, against BM25 and the predicted q.

    Of equal means the last candidate is taken. Verdicts, the first that holds: `tuned` if picking
    beats the predicted q; `predicted` or `bm25` if one of the two beats the other; `tuned` if
    picking beats BM25; `no-difference` if all are within 0.01; `too-small` otherwise.
    """
    values = np.asarray(candidates, np.float64)
    if values.ndim != 2 or not len(values):
        raise InvalidArgumentError("there is nothing to choose from; give at least one candidate")
    held_out = _held_out(values, seed)
    to_bm25, predicted_to_bm25 = _contrasts(bm25, [held_out, predicted], resamples, seed)
    to_predicted, bm25_to_predicted = _contrasts(predicted, [held_out, bm25], resamples, seed)
    verdict: Verdict = "too-small"
    if to_predicted.settled:
        verdict = "tuned"
    elif predicted_to_bm25.settled:
        verdict = "predicted"
    elif bm25_to_predicted.settled:
        verdict = "bm25"
    elif to_bm25.settled:
        verdict = "tuned"
    elif all(each.negligible for each in (to_bm25, to_predicted, predicted_to_bm25)):
        verdict = "no-difference"
    best = _last_best(values.mean(axis=1))
    return Choice(verdict, best, held_out, to_bm25, to_predicted, predicted_to_bm25)


def queries_needed(differences: np.ndarray) -> int:
    """How many queries of this spread would show the mean seen, or 0.01 if that is more.

    The usual sample size of a paired test: 95% intervals that exclude zero four times out of five.
    """
    if len(differences) < 2:
        return MIN_DIFFERING
    effect = max(abs(float(differences.mean())), MEANINGFUL)
    spread = float(differences.std(ddof=1))
    return max(math.ceil((_POWER * spread / effect) ** 2), MIN_DIFFERING)


def _contrasts(
    baseline: np.ndarray, sides: list[np.ndarray], resamples: int, seed: int
) -> list[Contrast]:
    compared = paired_bootstrap(baseline, sides, resamples=resamples, seed=seed)
    return [
        Contrast(
            comparison, queries_needed(side - baseline), int(np.count_nonzero(side != baseline))
        )
        for side, comparison in zip(sides, compared, strict=True)
    ]


def _held_out(values: np.ndarray, seed: int) -> np.ndarray:
    """Each query's value under the candidate that the other folds pick."""
    num_queries = values.shape[1]
    held_out = np.empty(num_queries)
    order = np.random.default_rng(seed).permutation(num_queries)
    totals = values.sum(axis=1)
    for fold in np.array_split(order, min(FOLDS, num_queries)):
        # Alone, a query is picked for by nobody, and has to do with the last candidate.
        others = totals - values[:, fold].sum(axis=1)
        held_out[fold] = values[_last_best(others), fold]
    return held_out


def _last_best(scores: np.ndarray) -> int:
    # Sums in another order differ by roundings, which mustn't decide between equals.
    return int(np.flatnonzero(scores >= scores.max() - 1e-9)[-1])
