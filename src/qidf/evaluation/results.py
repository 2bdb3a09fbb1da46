"""What an evaluation is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.evaluation.bootstrap import RESAMPLES, SEED, Comparison
from qidf.evaluation.collection import DEFAULT_TIES, Ties
from qidf.evaluation.measures import Measure

DEFAULT_K = 10
RECALL_DEPTH = 100


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """How a dataset is indexed and what is measured; the defaults are the paper's."""

    k: int = DEFAULT_K
    analyzer: str = "generic"
    ties: Ties = DEFAULT_TIES
    keep_identical: bool = False
    resamples: int = RESAMPLES
    seed: int = SEED

    def __post_init__(self) -> None:
        """Check k; the rest is checked where it is used."""
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise InvalidArgumentError(f"k must be a whole number of at least 1, not {self.k!r}")

    @property
    def measures(self) -> tuple[Measure, ...]:
        """NDCG and reciprocal rank at k, recall at 100; the first is the one compared."""
        return Measure("ndcg", self.k), Measure("mrr", self.k), Measure("recall", RECALL_DEPTH)

    @property
    def depth(self) -> int:
        """How far a ranking has to go."""
        return max(measure.cutoff for measure in self.measures)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One system: per-query values (nan where it failed), their means, its lead over BM25.

    `q` is a number for q-log systems, the mean over collections where there are several.
    """

    name: str
    q: float | None
    values: Mapping[str, np.ndarray]
    comparison: Comparison
    failed: int
    found_nothing: int

    def mean(self, measure: Measure | str) -> float:
        """A measure's mean over the queries that were answered."""
        return float(np.nanmean(self.values[str(measure)]))

    def to_dict(self) -> dict[str, object]:
        """Return what a script needs, in JSON's types."""
        return {
            **({} if self.q is None else {"q": self.q}),
            "name": self.name,
            **{name: self.mean(name) for name in self.values},
            "delta": self.comparison.delta,
            "ci95": list(self.comparison.ci95),
            "p": self.comparison.p,
            "p_text": self.comparison.p_text,
            "failed": self.failed,
            "found_nothing": self.found_nothing,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What came of it: the baseline, and a row for each system in the order given."""

    dataset: str
    provenance: str
    settings: Settings
    num_docs: int
    num_queries: int
    num_hidden: int
    htok: float
    q_pred: float
    query_ids: Sequence[str]
    baseline: Row
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return what a script needs, in JSON's types: q-log rows apart from other systems."""
        settings = self.settings
        return {
            "dataset": self.dataset,
            "provenance": self.provenance,
            "num_docs": self.num_docs,
            "num_queries": self.num_queries,
            "htok": self.htok,
            "q_pred": self.q_pred,
            "analyzer": settings.analyzer,
            "k": settings.k,
            "ties": settings.ties,
            "identical_ids": "kept" if settings.keep_identical else "dropped",
            "identical_dropped": self.num_hidden,
            "bootstrap": {"resamples": settings.resamples, "seed": settings.seed},
            "baseline": self.baseline.to_dict(),
            "rows": [row.to_dict() for row in self.rows if row.q is not None],
            "baselines": [row.to_dict() for row in self.rows if row.q is None],
            "failed": sum(row.failed for row in self.rows),
            "notes": list(self.notes),
        }
