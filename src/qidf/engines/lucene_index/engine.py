"""A Lucene index behind the contract of engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from qidf.engines.boosts import BoostPlan, lucene_idf, own_terms
from qidf.engines.contract import Capabilities, EngineStats, Note, TermStatistics
from qidf.engines.frozen import FrozenEngine
from qidf.engines.lucene_index.worker import Worker
from qidf.engines.targets import Target
from qidf.errors import (
    EngineRejectedError,
    IndexNotFoundError,
    InvalidArgumentError,
    UnknownIdError,
)
from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.statistics import CorpusStats

# IndexSearcher's default.
MAX_CLAUSES = 1024
CAPABILITIES = Capabilities(
    exact_statistics=True,
    enumerates_vocabulary=True,
    max_clauses=MAX_CLAUSES,
    takes_negative_weights=False,
    keeps_k1_plus_1=False,
    quantises_length=True,
    counts_deleted=True,
    duplicate_terms="add up",
    float32_weights=True,
)
ID_FIELDS = ("_id", "id")


@dataclass(frozen=True, slots=True)
class LuceneQuery:
    """A disjunction of term queries, boosted or not; its text is in Lucene's own syntax."""

    field: str
    terms: tuple[tuple[str, float | None], ...]
    filter: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __str__(self) -> str:
        """What the classic query parser reads, given an analyzer that leaves terms alone."""
        return " ".join(
            f"{self.field}:{_escaped(term)}" + ("" if boost is None else f"^{boost!r}")
            for term, boost in self.terms
        )


def open_target(target: Target, **options: Any) -> LuceneEngine:
    """Start a JVM and open the index at a path, for reading only."""
    return LuceneEngine(Path(target.location), **options)


def wrap(index: object, **options: Any) -> LuceneEngine:
    """Refuse: no object of Python holds a Lucene index."""
    raise InvalidArgumentError("a Lucene index is opened by its path; write lucene:PATH.")


class LuceneEngine(FrozenEngine):
    """One field of a Lucene index.

    A Lucene index doesn't say how it was analyzed: `analyzer` is standard, whitespace, simple,
    keyword, english or the name of a class in the jars. `filter` maps fields to the terms that a
    document must have one of.
    """

    def __init__(
        self,
        path: Path,
        field: str | None = None,
        id: str | None = None,
        analyzer: str = "standard",
        jars: str | None = None,
    ) -> None:
        """Ids are the values of a stored field, `_id` or `id` where there is one, else numbers."""
        super().__init__()
        if not path.is_dir():
            raise IndexNotFoundError(f"there is no Lucene index at {path}; check the path")
        self._worker = Worker(path, analyzer, jars)
        try:
            words = self._worker.ask("fields")
            kinds = dict(zip(words[::2], words[1::2], strict=True))
            self.field = _scored_field(kinds, field)
            self.id_field = _id_field(kinds, id)
        except BaseException:
            self._worker.close()
            raise

    @property
    def name(self) -> str:
        """Lucene's version."""
        return f"lucene {self._worker.version}"

    @property
    def capabilities(self) -> Capabilities:
        """What Lucene can do."""
        return CAPABILITIES

    def analyze(self, text: str) -> list[str]:
        """The tokens of the analyzer that was named."""
        return self._worker.ask("analyze", self.field, text)

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Counts as BM25Similarity has them: of all documents not merged away yet."""
        num_docs, *counts = map(int, self._worker.ask("count", self.field, *terms))
        return TermStatistics(num_docs, dict(zip(terms, counts, strict=True)))

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """Exact counts of documents not merged away yet; `sample` makes no difference."""
        num_docs, *pairs = self._worker.ask("vocabulary", self.field)
        counts = np.array([pair.split(" ") for pair in pairs], np.int64).reshape(-1, 2)
        stats = CorpusStats.from_frequencies(int(num_docs), counts[:, 0], counts[:, 1])
        return EngineStats(**{name: getattr(stats, name) for name in CorpusStats.__slots__})

    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """Lucene's idf."""
        return lucene_idf(doc_freq, num_docs)

    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[LuceneQuery, tuple[Note, ...]]:
        """Any of the terms, each scored by Lucene; within its limit the rarest ones.

        A term said twice is boosted by 2, which is what Lucene makes of two equal clauses.
        """
        notes: tuple[Note, ...] = ()
        if len(set(tokens)) > MAX_CLAUSES:
            counts = self.statistics(list(dict.fromkeys(tokens)))
            tokens, notes = own_terms(tokens, counts, self.engine_idf, MAX_CLAUSES)
        terms = tuple(
            (term, None if count == 1 else float(count)) for term, count in Counter(tokens).items()
        )
        return LuceneQuery(self.field, terms, _terms_of(filter)), notes

    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> LuceneQuery:
        """Any of the terms, boosted."""
        boosts = tuple((boost.term, boost.weight) for boost in plan.boosts)
        return LuceneQuery(self.field, boosts, _terms_of(filter))

    def run(self, query: LuceneQuery, k: int) -> list[Hit]:
        """Search, and fetch the stored fields of the hits."""
        words = ["search", query.field, str(k), str(len(query.filter))]
        for name, values in query.filter:
            words += [name, str(len(values)), *values]
        for term, boost in query.terms:
            words += [term, "-" if boost is None else repr(float(boost))]
        hits = []
        for rank, found in enumerate(self._worker.ask(*words), 1):
            number, score, stored = found.split(" ", 2)
            fields = dict(parse_qsl(stored, keep_blank_values=True))
            hits.append(Hit(self._id(int(number), fields), float(score), rank, _shown(fields)))
        return hits

    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """What Lucene's own explanation says of each term."""
        number = self._number(doc_id)
        known, *scores = self._worker.ask("scores", self.field, str(number), *terms)
        if known != "true":
            raise UnknownIdError(f"no document has the number {doc_id!r}; check its spelling")
        return dict(zip(terms, map(float, scores), strict=True))

    def close(self) -> None:
        """Stop the JVM."""
        self._worker.close()

    def _id(self, number: int, fields: Mapping[str, str]) -> DocId:
        if self.id_field is None:
            return number
        if self.id_field not in fields:
            raise EngineRejectedError(
                f"a document stores nothing in the field {self.id_field!r} that was named as its"
                " id; name another."
            )
        return fields[self.id_field]

    def _number(self, doc_id: DocId) -> int:
        if self.id_field is None:
            return int(doc_id) if str(doc_id).isdigit() else -1
        (number,) = self._worker.ask("find", self.id_field, str(doc_id))
        if number == "-1":
            raise UnknownIdError(f"no document has the id {doc_id!r}; check its spelling")
        return int(number)


def _shown(fields: Mapping[str, str]) -> Mapping[str, Any]:
    return MappingProxyType(dict(fields))


def _scored_field(kinds: Mapping[str, str], wanted: str | None) -> str:
    scored = [name for name, kind in kinds.items() if kind == "scored"]
    names = ", ".join(scored) or "none"
    if wanted is None:
        if len(scored) == 1:
            return scored[0]
        raise InvalidArgumentError(
            f"the index has {len(scored)} fields that BM25 can score; name one with field=:"
            f" {names}."
        )
    if wanted not in kinds:
        raise InvalidArgumentError(
            f"the index has no field {wanted!r}; its text fields are {names}."
        )
    if wanted not in scored:
        raise InvalidArgumentError(
            f"the field {wanted!r} keeps no term frequencies and lengths, so BM25 can't score it;"
            f" its text fields are {names}."
        )
    return wanted


def _id_field(kinds: Mapping[str, str], wanted: str | None) -> str | None:
    if wanted is None:
        return next((name for name in ID_FIELDS if name in kinds), None)
    if wanted not in kinds:
        raise InvalidArgumentError(
            f"the index has no field {wanted!r} to take ids from; it has {', '.join(kinds)}."
        )
    return wanted


def _terms_of(filter: Any | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if filter is None:
        return ()
    if not isinstance(filter, Mapping):
        raise InvalidArgumentError(
            f"Lucene filters by a mapping of fields to terms, not a {type(filter).__name__}."
        )
    return tuple(
        (str(name), (values,) if isinstance(values, str) else tuple(map(str, values)))
        for name, values in filter.items()
    )


def _escaped(term: str) -> str:
    return "".join(f"\\{c}" if not (c.isalnum() or c == "_") else c for c in term)
