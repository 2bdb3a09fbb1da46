"""Forms of a predictor of q, fit to labelled corpora and tried on others (sec. predictor)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from qidf.statistics import Q_MAX, Q_MIN, CorpusStats
from qidf.studies.regression import fit_below_one


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A labelled corpus: one language at one size, what is counted in it, and its best q."""

    language: str
    place: int
    stats: CorpusStats
    zipf: float | None
    best_q: float


@dataclass(frozen=True, slots=True)
class Form:
    """A candidate: q = 1 - c . features, the features taken from a point."""

    name: str
    formula: str
    features: Callable[[Point], tuple[float, ...]]
    num_coefficients: int

    def usable(self, points: Iterable[Point]) -> bool:
        """Whether every point has the features."""
        return all(np.isfinite(self.features(point)).all() for point in points)

    def fit(self, points: Sequence[Point]) -> np.ndarray | None:
        """The coefficients with the least squared error; None where the points are too few."""
        if len(points) < self.num_coefficients or not self.usable(points):
            return None
        rows = np.array([self.features(point) for point in points])
        return fit_below_one(rows, np.array([point.best_q for point in points]))

    def predict(self, coefficients: np.ndarray, point: Point) -> float:
        """The q it predicts, clipped as the paper's (eq. predictor)."""
        q = 1.0 - float(np.dot(self.features(point), coefficients))
        return min(max(q, Q_MIN), Q_MAX)


def _share(point: Point) -> float:
    share = point.stats.share_df_le_5
    return float("nan") if share is None else share


def _scale(point: Point) -> float:
    tokens = point.stats.num_tokens
    return 1.0 / float(np.log(tokens)) if tokens > 1 else float("nan")


def _zipf(point: Point) -> float:
    return float("nan") if point.zipf is None else 1.0 / point.zipf


# Fig. q-prediction-boxplot; T is the number of tokens.
FORMS = (
    Form("A", "1 - c htok", lambda point: (point.stats.htok,), 1),
    Form("B", "1 - c share(df <= 5)", lambda point: (_share(point),), 1),
    Form("C", "1 - c / alpha", lambda point: (_zipf(point),), 1),
    Form("D", "1 - c htok - d / ln T", lambda point: (point.stats.htok, _scale(point)), 2),
    Form("E", "1 - c share(df <= 5) - d / ln T", lambda point: (_share(point), _scale(point)), 2),
)


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A form fit on some languages and applied to the others: (point, predicted q)."""

    form: Form
    train: tuple[str, ...]
    coefficients: np.ndarray
    predictions: tuple[tuple[Point, float], ...]


def half_splits(languages: Sequence[str]) -> list[tuple[str, ...]]:
    """Every choice of half of the languages to train on: 20 of six."""
    return list(combinations(languages, len(languages) // 2))


def left_out(languages: Sequence[str]) -> list[tuple[str, ...]]:
    """Every choice of all languages but one."""
    return [tuple(each for each in languages if each != one) for one in languages]


def trials(
    form: Form, points: Sequence[Point], trainings: Iterable[tuple[str, ...]]
) -> Iterator[Trial]:
    """Fit on each choice of languages and predict the rest; leave out fits that can't be made."""
    for train in trainings:
        inside = [point for point in points if point.language in train]
        outside = [point for point in points if point.language not in train]
        coefficients = form.fit(inside)
        if coefficients is not None and form.usable(outside):
            yield Trial(
                form,
                train,
                coefficients,
                tuple((point, form.predict(coefficients, point)) for point in outside),
            )


def rmse(pairs: Iterable[tuple[float, float]]) -> float:
    """The root of the mean squared difference."""
    differences = np.array([first - second for first, second in pairs])
    return float(np.sqrt(np.mean(differences**2)))
