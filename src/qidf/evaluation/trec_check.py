"""The same numbers from ir_measures, which asks trec_eval: a second opinion on every value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qidf.datasets import Judgements
from qidf.errors import MissingExtraError
from qidf.evaluation.collection import Collection
from qidf.evaluation.measures import Measure
from qidf.evaluation.results import Evaluation, Settings
from qidf.evaluation.runs import Run
from qidf.evaluation.systems import System

# The reciprocal of a rank within the cutoff, times the cutoff, is 1 or more but for a rounding.
_BEYOND = 1 - 1e-9


def ir_measures_values(
    run: Run, judgements: Judgements, measures: Sequence[Measure], *, trec_ties: bool = True
) -> dict[str, np.ndarray]:
    """Each measure's value for each of the run's queries, nan for failed ones, by ir_measures.

    With `trec_ties` equal scores are left for trec_eval to order; otherwise the run's own order is
    passed on as scores.
    """
    try:
        import ir_measures
    except ImportError:
        raise MissingExtraError("ir_measures", "eval") from None
    theirs: dict[Any, list[Measure]] = {}
    for measure in measures:
        theirs.setdefault(ir_measures.parse_measure(_their_name(measure)), []).append(measure)
    rows = {query_id: row for row, query_id in enumerate(run.query_ids)}
    values = {str(measure): np.zeros(len(rows)) for measure in measures}
    asked = [query_id for query_id in run.query_ids if query_id not in run.failed]
    qrels = {query_id: dict(judgements[query_id]) for query_id in asked}
    for metric in ir_measures.iter_calc(list(theirs), qrels, _as_dict(run, trec_ties)):
        for measure in theirs[metric.measure]:
            beyond = measure.kind == "mrr" and metric.value * measure.cutoff < _BEYOND
            values[str(measure)][rows[metric.query_id]] = 0.0 if beyond else metric.value
    for query_id in run.failed:
        for column in values.values():
            column[rows[query_id]] = np.nan
    return values


def _their_name(measure: Measure) -> str:
    """Ask for what trec_eval itself computes; it has no cutoff for the reciprocal rank."""
    if measure.kind == "mrr":
        return "RR"
    return f"{'nDCG' if measure.kind == 'ndcg' else 'R'}@{measure.cutoff}"


class TrecCheck:
    """Ranks everything in full and has ir_measures compute every value of an evaluation anew."""

    __slots__ = ("_settings", "_systems", "_values")

    def __init__(self, systems: Sequence[System], settings: Settings) -> None:
        """Check these systems; hand `add` to `evaluate` as its `on_collection`."""
        self._systems, self._settings = list(systems), settings
        names = [str(measure) for measure in settings.measures]
        self._values: list[dict[str, list[np.ndarray]]] = [
            {name: [] for name in names} for _ in systems
        ]

    def add(self, collection: Collection) -> None:
        """Rank one collection's queries by every system."""
        settings = self._settings
        for system, pooled in zip(self._systems, self._values, strict=True):
            run = system.run(collection, settings.depth).for_queries(collection)
            values = ir_measures_values(
                run,
                collection.dataset.judgements,
                settings.measures,
                trec_ties=settings.ties == "trec",
            )
            for name, column in values.items():
                pooled[name].append(column)

    def largest_difference(self, evaluation: Evaluation) -> float:
        """The most that any query's value differs from ir_measures' one."""
        return max(
            float(np.nanmax(np.abs(row.values[name] - np.concatenate(columns)), initial=0.0))
            for row, pooled in zip(evaluation.rows, self._values, strict=True)
            for name, columns in pooled.items()
        )


def _as_dict(run: Run, trec_ties: bool) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for query_id, positions, scores in zip(run.query_ids, run.positions, run.scores, strict=True):
        size = int((positions >= 0).sum())
        values = scores[:size].astype(float) if trec_ties else np.arange(size, 0, -1.0)
        found[query_id] = {
            run.doc_ids[at]: value
            for at, value in zip(positions[:size].tolist(), values.tolist(), strict=True)
        }
    return found
