"""Choosing q, and perhaps the analyzer, on a few labelled queries; or saying that they are too few.

The paper's fallback where htok can't be had (sec. limitations): a grid of fewer than ten q.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from qidf.datasets import Dataset
from qidf.errors import InvalidArgumentError
from qidf.evaluation.bootstrap import Comparison, paired_bootstrap
from qidf.evaluation.choice import Choice, choose
from qidf.evaluation.experiment import evaluate
from qidf.evaluation.results import Evaluation, Row, Settings
from qidf.evaluation.systems import QlogSystem
from qidf.weighting import AUTO, Weighting

# Sec. limitations.
FALLBACK_GRID = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
# Each further value is one more chance for luck to win; neighbours on a finer grid hardly differ.
MAX_GRID = 10


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """One analyzer's grid: a row for each q, the predicted q's row, and what the queries say."""

    evaluation: Evaluation
    rows: tuple[Row, ...]
    predicted: Row
    against_predicted: tuple[Comparison, ...]
    choice: Choice

    @property
    def analyzer(self) -> str:
        """The analyzer's name."""
        return self.evaluation.settings.analyzer

    @property
    def best(self) -> Row:
        """The row with the highest mean."""
        return self.rows[self.choice.best]

    @property
    def q_auto(self) -> float:
        """The q of the predicted row: what the formula gives, 1 where identifiers are split."""
        return self.evaluation.q_pred if self.predicted.q is None else self.predicted.q

    @property
    def q(self) -> float | None:
        """The q to use; None if the queries can't tell."""
        return {
            "tuned": self.best.q,
            "predicted": self.q_auto,
            "bm25": 1.0,
            "no-difference": self.q_auto,
            "too-small": None,
        }[self.choice.verdict]

    def to_dict(self) -> dict[str, object]:
        """Return what a script needs, in JSON's types."""
        rows = []
        for row, comparison in zip(self.rows, self.against_predicted, strict=True):
            beside = {"delta": comparison.delta, "ci95": list(comparison.ci95), "p": comparison.p}
            rows.append({**row.to_dict(), "against_predicted": beside})
        return {
            "analyzer": self.analyzer,
            "htok": self.evaluation.htok,
            "q_pred": self.evaluation.q_pred,
            "q_auto": self.q_auto,
            "verdict": self.choice.verdict,
            "q": self.q,
            "best_q": self.best.q,
            "rows": rows,
            "predicted": self.predicted.to_dict(),
            "held_out": _held_out(self.choice),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Tuning:
    """What came of it for every analyzer, and across them where there are several.

    `across` picks among all analyzers and q; its BM25 and its predicted q are the first analyzer's.
    """

    dataset: str
    provenance: str
    tuned: tuple[Tuned, ...]
    across: Choice | None
    notes: tuple[str, ...]

    @property
    def first(self) -> Tuned:
        """The analyzer that the others are compared with."""
        return self.tuned[0]

    @property
    def winner(self) -> tuple[Tuned, Row]:
        """The analyzer and row with the highest mean of all."""
        if self.across is None:
            return self.first, self.first.best
        return _candidates(self.tuned)[self.across.best]

    def to_dict(self) -> dict[str, object]:
        """Return what a script needs, in JSON's types."""
        first, (winner, row) = self.first, self.winner
        found: dict[str, object] = {
            "dataset": self.dataset,
            "provenance": self.provenance,
            "num_docs": first.evaluation.num_docs,
            "num_queries": first.evaluation.num_queries,
            "verdict": first.choice.verdict,
            "q": first.q,
            "q_pred": first.evaluation.q_pred,
            "q_auto": first.q_auto,
            "analyzers": [tuned.to_dict() for tuned in self.tuned],
        }
        if self.across is not None:
            found["across"] = {
                "verdict": self.across.verdict,
                "analyzer": winner.analyzer,
                "q": row.q,
                "held_out": _held_out(self.across),
            }
        return {**found, "notes": list(self.notes)}


def tune(
    datasets: Dataset | Iterable[Dataset],
    qs: Sequence[float] = FALLBACK_GRID,
    settings: Settings | None = None,
    *,
    analyzers: Sequence[str] = (),
    name: str | None = None,
    weighting: Weighting = AUTO,
) -> Tuning:
    """Find the q that suits these queries, for one analyzer or several.

    Without `analyzers` it is the settings' one. What is "predicted" is what the weighting does with
    nothing set, and every q is tried in its place.
    """
    grid = _grid(qs)
    chosen = Settings() if settings is None else settings
    names = list(dict.fromkeys(analyzers)) or [chosen.analyzer]
    tuned = tuple(
        _tune(datasets, grid, replace(chosen, analyzer=analyzer), name, weighting)
        for analyzer in names
    )
    evaluation = tuned[0].evaluation
    return Tuning(
        evaluation.dataset,
        evaluation.provenance,
        tuned,
        None if len(tuned) == 1 else _across(tuned, chosen),
        evaluation.notes,
    )


def _grid(qs: Sequence[float]) -> list[float]:
    grid = sorted(set(map(float, qs)))
    if not grid:
        raise InvalidArgumentError("there is no q to try; give at least one")
    if not np.isfinite(grid).all():
        raise InvalidArgumentError(f"{grid} holds a q that is no finite number; leave it out")
    if len(grid) > MAX_GRID:
        raise InvalidArgumentError(
            f"{len(grid)} values of q are more than a small set can choose from; give at most"
            f" {MAX_GRID}"
        )
    return grid


def _tune(
    datasets: Dataset | Iterable[Dataset],
    grid: list[float],
    settings: Settings,
    name: str | None,
    weighting: Weighting,
) -> Tuned:
    systems = [QlogSystem(q, weighting) for q in grid]
    default = QlogSystem("auto", weighting)
    evaluation = evaluate(datasets, [*systems, default], settings, name=name)
    *rows, predicted = evaluation.rows
    measure = str(settings.measures[0])
    values = [row.values[measure] for row in rows]
    reference = predicted.values[measure]
    return Tuned(
        evaluation,
        tuple(rows),
        predicted,
        tuple(
            paired_bootstrap(reference, values, resamples=settings.resamples, seed=settings.seed)
        ),
        choose(
            np.array(values),
            evaluation.baseline.values[measure],
            reference,
            resamples=settings.resamples,
            seed=settings.seed,
        ),
    )


def _across(tuned: Sequence[Tuned], settings: Settings) -> Choice:
    measure = str(settings.measures[0])
    return choose(
        np.array([row.values[measure] for _, row in _candidates(tuned)]),
        tuned[0].evaluation.baseline.values[measure],
        tuned[0].predicted.values[measure],
        resamples=settings.resamples,
        seed=settings.seed,
    )


def _candidates(tuned: Sequence[Tuned]) -> list[tuple[Tuned, Row]]:
    """Every analyzer's rows; the first analyzer's last, since of equals the last is taken."""
    return [(each, row) for each in reversed(tuned) for row in each.rows]


def _held_out(choice: Choice) -> dict[str, object]:
    return {
        "mean": float(choice.held_out.mean()),
        "against_bm25": choice.against_bm25.to_dict(),
        "against_predicted": choice.against_predicted.to_dict(),
        "predicted_against_bm25": choice.predicted_against_bm25.to_dict(),
    }
