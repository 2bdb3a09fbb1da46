"""Straight lines, rank correlations, fits of q to corpus features, and logistic regression."""

from __future__ import annotations

import numpy as np

from qidf.errors import InvalidArgumentError

# Newton's method doubles the digits at each step; this many reach the last one.
_NEWTON_STEPS = 50
_CLOSE = 1e-9


def ols_slope(x: np.ndarray, y: np.ndarray) -> float | None:
    """The slope of the least-squares line of y over x; None where x doesn't vary."""
    _check(x, y)
    centred = np.asarray(x, np.float64) - np.mean(x)
    spread = float(centred @ centred)
    return float(centred @ np.asarray(y, np.float64)) / spread if spread > 0 else None


def spearman(x: np.ndarray, y: np.ndarray) -> float | None:
    """Spearman's rho, equal values sharing the mean of their ranks; None where one side is flat."""
    _check(x, y)
    first, second = average_ranks(x), average_ranks(y)
    first -= first.mean()
    second -= second.mean()
    spread = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / spread if spread > 0 else None


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means = last - (counts - 1) / 2
    ranks: np.ndarray = means[which].astype(np.float64)
    return ranks


def fit_below_one(features: np.ndarray, best_q: np.ndarray) -> np.ndarray:
    """The c of q = 1 - features @ c with the least squared error; one row for each corpus."""
    rows = np.asarray(features, np.float64)
    if rows.ndim != 2 or len(rows) != len(best_q):
        raise InvalidArgumentError(
            f"a fit needs a row of features for each q, but there are shapes {rows.shape} and"
            f" {np.shape(best_q)}"
        )
    if len(rows) < rows.shape[1]:
        raise InvalidArgumentError(
            f"{rows.shape[1]} coefficients can't be fit to {len(rows)} corpora; give more"
        )
    coefficients: np.ndarray = np.linalg.lstsq(rows, 1.0 - np.asarray(best_q), rcond=None)[0]
    return coefficients


def fit_log_odds(features: np.ndarray, happened: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's method: the c whose odds exp(features @ c) fit best.

    Each row counts as often as `counts` says. A ridge of one row keeps c finite where a feature
    alone decides.
    """
    rows = np.asarray(features, np.float64)
    found = np.zeros(rows.shape[1])
    for _ in range(_NEWTON_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (counts * (happened - chances)) - found
        curve = (rows * (counts * chances * (1 - chances))[:, None]).T @ rows
        step = np.linalg.solve(curve + np.eye(len(found)), slope)
        found = found + step
        if np.abs(step).max() < _CLOSE:
            break
    return found


def _check(x: np.ndarray, y: np.ndarray) -> None:
    if np.shape(x) != np.shape(y) or np.ndim(x) != 1 or not np.size(x):
        raise InvalidArgumentError(
            f"a correlation needs two lists of one length, but their shapes are {np.shape(x)} and"
            f" {np.shape(y)}"
        )
