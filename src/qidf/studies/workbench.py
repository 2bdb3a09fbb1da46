"""What a study works with: datasets, settings, measurements that are made once, and progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from qidf.datasets import Dataset
from qidf.errors import InputError
from qidf.evaluation import (
    BASELINE,
    Collection,
    Comparison,
    QlogSystem,
    Settings,
    System,
    outcomes,
    paired_bootstrap,
)
from qidf.statistics import CorpusStats, predict_q, zipf_alpha
from qidf.studies.ladder import subset
from qidf.studies.sources import Source, Subject, check_names, subjects
from qidf.studies.store import Store, measuring_version, studies_version

# What is being done, how many steps are done, and of how many.
Progress = Callable[[str, int, int], None]
T = TypeVar("T")
AnySystem = TypeVar("AnySystem", bound=System)

# Studies go from dataset to dataset; two forms of one language are the most that alternate.
_OPEN_AT_ONCE = 2


def silent(what: str, done: int, total: int) -> None:
    """Show nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Systems on one subject at one size: per-query values, and what was counted in the corpus."""

    subject: Subject
    settings: Settings
    stats: CorpusStats
    query_ids: Sequence[str]
    values: Mapping[System, Mapping[str, np.ndarray]]

    @property
    def num_docs(self) -> int:
        """How many documents there are."""
        return self.stats.num_docs

    @property
    def num_queries(self) -> int:
        """How many queries there are."""
        return len(self.query_ids)

    @property
    def q_pred(self) -> float:
        """The q that the paper's formula predicts."""
        return predict_q(self.stats)

    def per_query(self, system: System, measure: str | None = None) -> np.ndarray:
        """A measure's value for each query, NDCG unless another is named."""
        return self.values[system][measure or str(self.settings.measures[0])]

    def mean(self, system: System, measure: str | None = None) -> float:
        """A measure's mean."""
        return float(self.per_query(system, measure).mean())

    def best(self, systems: Sequence[AnySystem]) -> AnySystem:
        """The system of the highest mean; of equal ones the last, which on a grid is nearest 1."""
        return max(reversed(systems), key=self.mean)

    def compare(self, systems: Sequence[System], baseline: System = BASELINE) -> list[Comparison]:
        """Each system against another, by paired bootstrap."""
        return paired_bootstrap(
            self.per_query(baseline),
            [self.per_query(system) for system in systems],
            resamples=self.settings.resamples,
            seed=self.settings.seed,
        )


class Workbench:
    """Datasets to study, with a memory for what has been measured on them."""

    def __init__(
        self,
        sources: Sequence[Source],
        settings: Settings | None = None,
        *,
        store: Store | None = None,
        progress: Progress = silent,
    ) -> None:
        """Take datasets, which are read when a study first needs them."""
        if not sources:
            raise InputError("there is no dataset to study; name at least one (--dataset)")
        check_names(sources)
        self.sources = tuple(sources)
        self.settings = Settings() if settings is None else settings
        self.store = Store(None) if store is None else store
        self.progress = progress
        self._opened: dict[Subject, Dataset] = {}
        self._collection: tuple[Any, Collection] | None = None

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """Each source's content in a few digits."""
        return {source.name: source.digest() for source in self.sources}

    def subjects(self, *, text: bool = True, all_forms: bool = False) -> list[Subject]:
        """Single collections to measure on; without `text`, only those that aren't text sets."""
        return subjects(
            [source for source in self.sources if text or not source.is_text], all_forms=all_forms
        )

    def code(self) -> list[Subject]:
        """The subjects that aren't text sets."""
        return self.subjects(text=False)

    def track(self, items: Sequence[T], name: Callable[[T], str] = str) -> Iterator[T]:
        """The items one by one, with progress."""
        for done, item in enumerate(items):
            self.progress(name(item), done, len(items))
            yield item
        self.progress("", len(items), len(items))

    def dataset(self, subject: Subject, size: int | None = None) -> Dataset:
        """A subject's dataset, or its version of a size (ladder.py)."""
        if subject not in self._opened:
            while len(self._opened) >= _OPEN_AT_ONCE:
                del self._opened[next(iter(self._opened))]
            self._opened[subject] = subject.open()
        return subset(self._opened[subject], size)

    def collection(
        self, subject: Subject, size: int | None = None, analyzer: str | None = None
    ) -> Collection:
        """A subject indexed; the last one is kept."""
        chosen = analyzer or self.settings.analyzer
        key = (subject, size, chosen)
        if self._collection is None or self._collection[0] != key:
            self._collection = None
            built = Collection.build(
                self.dataset(subject, size),
                analyzer=chosen,
                ties=self.settings.ties,
                keep_identical=self.settings.keep_identical,
            )
            self._collection = (key, built)
        return self._collection[1]

    def num_docs(self, subject: Subject) -> int:
        """How many documents a subject has in all."""
        return self.measure(subject, []).num_docs

    def measure(
        self,
        subject: Subject,
        systems: Sequence[System],
        *,
        size: int | None = None,
        analyzer: str | None = None,
    ) -> Measured:
        """Measure BM25 and these systems, or remember what they did."""
        key = self._key(subject, size, analyzer)
        facts = self.store.json({**key, "facts": True})
        if facts is None:
            collection = self.collection(subject, size, analyzer)
            facts = {
                "stats": asdict(collection.index.stats),
                "query_ids": list(collection.dataset.queries.ids),
            }
            self.store.put_json({**key, "facts": True}, facts)
        asked = list(dict.fromkeys([BASELINE, *systems]))
        found = {system: self.store.arrays({**key, "system": repr(system)}) for system in asked}
        missing = [system for system, values in found.items() if values is None]
        if missing:
            collection = self.collection(subject, size, analyzer)
            for system, outcome in zip(
                missing, outcomes(collection, missing, self.settings.depth), strict=True
            ):
                values = {
                    str(measure): measure.per_query(collection.relevance, outcome.ranks)
                    for measure in self.settings.measures
                }
                self.store.put_arrays({**key, "system": repr(system)}, values)
                found[system] = values
        return Measured(
            subject,
            self.settings,
            CorpusStats(**facts["stats"]),
            facts["query_ids"],
            {system: values for system, values in found.items() if values is not None},
        )

    def zipf(self, subject: Subject, size: int | None = None) -> float:
        """The Zipf exponent of a corpus, which takes long enough to be remembered."""
        key = {**self._key(subject, size, None), "zipf": True}
        alpha = self.store.json(key)
        if alpha is None:
            alpha = zipf_alpha(self.collection(subject, size).segment.collection_freqs)
            self.store.put_json(key, alpha)
        return float(alpha)

    def key(self, study: str) -> dict[str, Any]:
        """Everything that a study's findings depend on."""
        return {
            "study": study,
            "data": {source.name: self.digests[source.name] for source in self.sources},
            "topics": {source.name: source.topic for source in self.sources},
            "settings": asdict(self.settings),
            "code": measuring_version(),
            "studies": studies_version(),
        }

    def _key(self, subject: Subject, size: int | None, analyzer: str | None) -> dict[str, Any]:
        settings = self.settings
        return {
            "data": self.digests[subject.source.name],
            "form": subject.form,
            "size": size,
            "analyzer": analyzer or settings.analyzer,
            "k": settings.k,
            "ties": settings.ties,
            "keep_identical": settings.keep_identical,
            "code": measuring_version(),
        }


def qlog(qs: Sequence[float]) -> list[QlogSystem]:
    """A system for each q."""
    return [QlogSystem(q) for q in qs]
