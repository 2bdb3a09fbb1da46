"""A contender that answers something else isn't a contender: checks that stop a run."""

from __future__ import annotations

import numpy as np


class WrongResultError(Exception):
    """Two contenders that must agree don't, so their times mean nothing."""


def check_equal(what: str, ours: np.ndarray, theirs: np.ndarray) -> dict[str, object]:
    """Scores must be the same bits, rank by rank."""
    if not np.array_equal(ours, theirs):
        worst = float(np.abs(ours - theirs).max())
        raise WrongResultError(f"{what}: scores differ by up to {worst:g} where they must be equal")
    return {"check": what, "largest_difference": 0.0, "queries": len(ours)}


def check_close(
    what: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-5
) -> dict[str, object]:
    """Scores must agree rank by rank, relative to the query's best.

    Every weight was rounded to float32 on its way into the other's matrix, so a score that two
    large terms of opposite sign leave small can't be held to its own size.
    """
    scale = np.maximum(theirs[:, :1], 1e-30)
    difference = float((np.abs(ours - np.maximum(theirs, 0.0)) / scale).max())
    if not difference <= tolerance:
        raise WrongResultError(f"{what}: scores differ by {difference:g}, more than {tolerance:g}")
    return {"check": what, "largest_difference": difference, "queries": len(ours)}


def check_mostly_close(
    what: str, ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-4
) -> dict[str, object]:
    """Most scores must agree, where an engine rounds the lengths of long documents.

    The regular expressions of Rust and Python take a few characters such as ² and combining marks
    differently, which moves the mean length, and with it every score, in the fifth digit.
    """
    found = (ours > 0) | (theirs > 0)
    difference = np.abs(ours - theirs)[found] / np.maximum(ours, theirs)[found]
    middle = float(np.median(difference)) if difference.size else 0.0
    if not middle <= tolerance:
        raise WrongResultError(f"{what}: half of the scores differ by {middle:g} or more")
    return {"check": what, "median_difference": middle, "queries": len(ours)}
