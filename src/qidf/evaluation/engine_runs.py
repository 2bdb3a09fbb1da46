"""An engine's own BM25 against other weightings of it, on an index that someone else made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from qidf.datasets import Dataset
from qidf.engines import Engine, Note
from qidf.errors import EngineError, InputError, InvalidArgumentError
from qidf.evaluation.bootstrap import paired_bootstrap
from qidf.evaluation.collection import Ties
from qidf.evaluation.experiment import BASELINE, mean_q
from qidf.evaluation.relevance import Relevance
from qidf.evaluation.results import Evaluation, Row, Settings
from qidf.evaluation.runs import Run, run_search
from qidf.evaluation.systems import QlogSystem, WeightingSystem
from qidf.weighting import BM25, Weighting

# Called with how many queries have been asked, of how many.
Asked = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class EngineEvaluation:
    """The evaluation, and the rankings it was made of by the names of their rows."""

    evaluation: Evaluation
    runs: Mapping[str, Run]


def evaluate_engine(
    dataset: Dataset,
    engine: Engine,
    systems: Sequence[QlogSystem | WeightingSystem],
    settings: Settings,
    *,
    asked: Asked | None = None,
) -> EngineEvaluation:
    """Ask an engine every query as BM25 and with each weighting, and compare.

    What is open in a weighting is decided for each query, as in a search.

    The engine's ids have to be the dataset's. Equal scores fall as `settings.ties` says among the
    documents that were returned; "index" and "hash" leave them in the engine's order. A query that
    breaks has failed and has no value.
    """
    if not systems:
        raise InvalidArgumentError("there is nothing to evaluate; give at least one weighting")
    stats = engine.corpus_stats()
    weightings = dict.fromkeys([BM25, *(system.weighting for system in systems)])
    search = _Asking(engine, dataset, settings, asked, len(weightings))
    runs = {weighting: search.run(weighting) for weighting in weightings}
    search.check(runs.values())
    positions = {doc_id: at for at, doc_id in enumerate(dataset.documents.ids)}
    relevance = Relevance.from_judgements(dataset.judgements, dataset.queries.ids, positions)
    values: dict[Weighting, dict[str, np.ndarray]] = {}
    for weighting, run in runs.items():
        known = np.array([positions.get(each, -1) for each in run.doc_ids] + [-1], np.int64)
        ranks = relevance.ranks_in(known[run.positions])
        failed = np.array([query_id in run.failed for query_id in run.query_ids], bool)
        values[weighting] = {}
        for measure in settings.measures:
            column = measure.per_query(relevance, ranks)
            column[failed] = np.nan
            values[weighting][str(measure)] = column
    main = str(settings.measures[0])
    own = values[BM25][main]
    rows = {}
    for weighting, run in runs.items():
        both = np.isfinite(own) & np.isfinite(values[weighting][main])
        (comparison,) = paired_bootstrap(
            own[both],
            [values[weighting][main][both]],
            resamples=settings.resamples,
            seed=settings.seed,
        )
        nothing = int(((run.positions >= 0).sum(axis=1) == 0).sum()) - len(run.failed)
        rows[weighting] = Row(
            run.tag,
            mean_q(search.qs[weighting]),
            values[weighting],
            comparison,
            len(run.failed),
            max(nothing, 0),
        )
    evaluation = Evaluation(
        dataset.name,
        f"{dataset.provenance}; searched with {engine.name}",
        settings,
        stats.num_docs,
        dataset.num_queries,
        search.num_hidden,
        stats.htok,
        float(engine.decide(weighting="paper").weighting.q or 1.0),
        tuple(dataset.queries.ids),
        replace(rows[BM25], name=BASELINE.name),
        tuple(replace(rows[system.weighting], name=system.name) for system in systems),
        (*dataset.notes, *search.notes(stats.num_docs)),
    )
    named = {system.name: system.weighting for system in (BASELINE, *systems)}
    tagged = {
        name: replace(runs[weighting], tag=name.replace(" ", ""))
        for name, weighting in named.items()
    }
    return EngineEvaluation(evaluation, tagged)


class _Asking:
    """Asks all queries, one weighting after the other, and remembers what there is to say.

    `qs` are those that each weighting had for its queries.
    """

    def __init__(
        self, engine: Engine, dataset: Dataset, settings: Settings, asked: Asked | None, rounds: int
    ) -> None:
        self._engine, self._dataset, self._settings = engine, dataset, settings
        self._asked = asked
        self._done, self._total = 0, rounds * dataset.num_queries
        self.qs: dict[Weighting, list[float]] = {}
        self._kinds: dict[str, int] = {}
        ids = set(dataset.documents.ids)
        self._hidden = set() if settings.keep_identical else ids.intersection(dataset.queries.ids)
        self.num_hidden = len(self._hidden)

    def run(self, weighting: Weighting) -> Run:
        """Rank every query with a weighting."""
        self.qs[weighting] = []
        # Texts are asked one by one in the order of the ids.
        ids = iter(self._dataset.queries.ids)
        return run_search(
            lambda text: self._ranked(next(ids), text, weighting),
            self._dataset,
            self._settings.depth,
            tag=repr(weighting).replace(" ", ""),
        )

    def check(self, runs: Iterable[Run]) -> None:
        """Refuse an engine that answers nothing, or with documents of something else."""
        known = set(self._dataset.documents.ids)
        for run in runs:
            if len(run.failed) == len(run.query_ids):
                raise EngineError(
                    f"{self._engine.name} failed on every query: {next(iter(run.failed.values()))}"
                )
            if run.doc_ids and known.isdisjoint(run.doc_ids):
                raise InputError(
                    f"{self._engine.name} calls a document {run.doc_ids[0]!r}, which isn't in"
                    f" {self._dataset.name}; name the field that holds the dataset's ids with id="
                )

    def notes(self, num_docs: int) -> list[str]:
        """What a reader of the numbers should know."""
        notes = [
            f"{count:,} of {self._total:,} searches had terms {kind}."
            for kind, count in self._kinds.items()
        ]
        if num_docs != self._dataset.num_docs:
            notes.append(
                f"The engine's index has {num_docs:,} documents and the dataset"
                f" {self._dataset.num_docs:,}."
            )
        return notes

    def _ranked(self, query_id: str, text: str, weighting: Weighting) -> list[tuple[str, float]]:
        self._done += 1
        if self._asked is not None:
            self._asked(self._done, self._total)
        hidden = query_id in self._hidden
        depth = self._settings.depth + hidden
        result = self._engine.search(text, depth, weighting=weighting)
        q = result.decision.weighting.q
        self.qs[weighting] += [q] if isinstance(q, float) else []
        for note in result.notes:
            self._count(note)
        pairs = [
            (str(hit.id), hit.score) for hit in result if not (hidden and str(hit.id) == query_id)
        ]
        return _ordered(pairs, self._settings.ties)

    def _count(self, note: Note) -> None:
        self._kinds[note.kind] = self._kinds.get(note.kind, 0) + 1


def _ordered(pairs: list[tuple[str, float]], ties: Ties) -> list[tuple[str, float]]:
    if ties in ("trec", "id"):
        pairs.sort(key=lambda pair: pair[0], reverse=ties == "trec")
        pairs.sort(key=lambda pair: pair[1], reverse=True)
    return pairs
