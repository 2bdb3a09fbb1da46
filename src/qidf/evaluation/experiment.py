"""Systems against BM25 on a dataset: means, differences, intervals, p-values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from qidf.datasets import Dataset
from qidf.errors import InputError, InvalidArgumentError
from qidf.evaluation.bootstrap import Comparison, paired_bootstrap
from qidf.evaluation.collection import Collection
from qidf.evaluation.placement import Placement
from qidf.evaluation.results import Evaluation, Row, Settings
from qidf.evaluation.systems import Outcome, QlogSystem, System, WeightingSystem
from qidf.index import DEFAULT_B, DEFAULT_K1
from qidf.statistics import predict_q
from qidf.weighting import KINDS, Weighting, kind_of

BASELINE = QlogSystem(1.0)


def evaluate(
    datasets: Dataset | Iterable[Dataset],
    systems: Sequence[System],
    settings: Settings | None = None,
    *,
    name: str | None = None,
    on_collection: Callable[[Collection], None] | None = None,
) -> Evaluation:
    """Measure systems on a dataset, or on many small ones as if they were one, called `name`.

    Of many, each is indexed by itself and chooses its own q, and queries are pooled. Every system
    is compared with BM25 over the queries both have answered. `on_collection` is handed each
    collection once it has been measured.
    """
    chosen = Settings() if settings is None else settings
    if not systems:
        raise InvalidArgumentError("there is nothing to evaluate; give at least one system")
    # BM25 is measured whether it is asked for or not, and nothing is measured twice.
    tally = _Tally({system: _Pool() for system in [BASELINE, *systems]})
    for dataset in [datasets] if isinstance(datasets, Dataset) else datasets:
        collection = Collection.build(
            dataset,
            analyzer=chosen.analyzer,
            ties=chosen.ties,
            keep_identical=chosen.keep_identical,
        )
        tally.add(collection, chosen)
        if on_collection is not None:
            on_collection(collection)
    if not tally.num_collections:
        raise InputError("there is no collection to evaluate on; check the dataset")
    rows = tally.rows(chosen)
    return Evaluation(
        tally.name if name is None else name,
        tally.provenance,
        chosen,
        tally.num_docs,
        len(tally.query_ids),
        tally.num_hidden,
        float(np.mean(tally.htok)),
        float(np.mean(tally.q_pred)),
        tuple(tally.query_ids),
        rows[BASELINE],
        tuple(rows[system] for system in systems),
        tuple(
            note if count == 1 else f"In {count:,} collections: {note}"
            for note, count in tally.notes.items()
        ),
    )


@dataclass(slots=True, eq=False)
class _Pool:
    """What one system did, collection by collection."""

    values: dict[str, list[np.ndarray]] = field(default_factory=dict)
    answered: list[np.ndarray] = field(default_factory=list)
    q: list[float] = field(default_factory=list)
    found_nothing: int = 0


@dataclass(slots=True, eq=False)
class _Tally:
    """Collections measured so far; none of them is kept."""

    pools: dict[System, _Pool]
    name: str = ""
    provenance: str = ""
    num_collections: int = 0
    num_docs: int = 0
    num_hidden: int = 0
    query_ids: list[str] = field(default_factory=list)
    htok: list[float] = field(default_factory=list)
    q_pred: list[float] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def add(self, collection: Collection, settings: Settings) -> None:
        """Measure every system on one more collection."""
        dataset = collection.dataset
        for system, outcome in zip(
            self.pools, outcomes(collection, list(self.pools), settings.depth), strict=True
        ):
            pool = self.pools[system]
            for measure in settings.measures:
                values = measure.per_query(collection.relevance, outcome.ranks)
                values[~outcome.answered] = np.nan
                pool.values.setdefault(str(measure), []).append(values)
            pool.answered.append(outcome.answered)
            pool.found_nothing += outcome.found_nothing
            if isinstance(system, QlogSystem | WeightingSystem):
                pool.q += _chosen_qs(collection, system.weighting)
        if not self.num_collections:
            self.name, self.provenance = dataset.name, dataset.provenance
        self.num_collections += 1
        self.num_docs += dataset.num_docs
        self.num_hidden += collection.num_hidden
        self.query_ids += dataset.queries.ids
        self.htok += [collection.htok] * dataset.num_queries
        self.q_pred += [predict_q(collection.htok)] * dataset.num_queries
        self.notes.update(dataset.notes)

    def rows(self, settings: Settings) -> dict[System, Row]:
        """Compare every system with the baseline."""
        main = str(settings.measures[0])
        values = {system: _joined(pool.values) for system, pool in self.pools.items()}
        compared = _compare(
            values[BASELINE][main], [each[main] for each in values.values()], settings
        )
        return {
            system: Row(
                system.name,
                mean_q(pool.q),
                values[system],
                comparison,
                int((~np.concatenate(pool.answered)).sum()),
                pool.found_nothing,
            )
            for (system, pool), comparison in zip(self.pools.items(), compared, strict=True)
        }


def _chosen_qs(collection: Collection, weighting: Weighting) -> list[float]:
    """The q of each query, which may differ between code and text."""
    by_kind = {
        kind: collection.index.decide(weighting=weighting, kind=kind).weighting.q for kind in KINDS
    }
    found = [by_kind[kind_of(text)] for text in collection.dataset.queries.texts]
    return [float(q) for q in found if q is not None]


def mean_q(qs: list[float]) -> float | None:
    """The q that queries were weighed with, on average; None where there was none."""
    if not qs:
        return None
    # The mean of equal values is that value, which a sum of thousands may miss by a rounding.
    return qs[0] if min(qs) == max(qs) else float(np.mean(qs))


def _joined(values: dict[str, list[np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate(parts) for name, parts in values.items()}


def outcomes(
    collection: Collection,
    systems: Sequence[System],
    depth: int,
    placement: Placement | None = None,
) -> list[Outcome]:
    """Each system's outcome; a placement that is there already saves preparing one."""
    if placement is None:
        placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
    return [system.outcome(placement, depth) for system in systems]


def _compare(
    baseline: np.ndarray, treatments: Sequence[np.ndarray], settings: Settings
) -> list[Comparison]:
    """Compare over queries that both sides have answered; all that answered the same at once."""
    comparisons: list[Comparison | None] = [None] * len(treatments)
    groups: dict[bytes, list[int]] = {}
    for at, values in enumerate(treatments):
        both = np.isfinite(baseline) & np.isfinite(values)
        groups.setdefault(both.tobytes(), []).append(at)
    for members in groups.values():
        both = np.isfinite(baseline) & np.isfinite(treatments[members[0]])
        if not both.any():
            raise InputError(
                "a run answers none of the dataset's queries; check that it belongs to the dataset"
            )
        found = paired_bootstrap(
            baseline[both],
            [treatments[at][both] for at in members],
            resamples=settings.resamples,
            seed=settings.seed,
        )
        for at, comparison in zip(members, found, strict=True):
            comparisons[at] = comparison
    return [comparison for comparison in comparisons if comparison is not None]
