"""A bm25s index behind the contract of engines: weighted at query time, never rescaled.

`rescale` changes the retriever once for one q; this reads its columns as they are and weighs them
anew with each query. A retriever that was rescaled is read at its original scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidf.analysis import Analyzer, parse_analyzer
from qidf.corpora import open_corpus
from qidf.engines.bm25s_index.baked import BAKED_IDF, baked_idf
from qidf.engines.bm25s_index.counts import check_plain, corpus_stats
from qidf.engines.bm25s_index.folder import load
from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.engines.bm25s_index.original import original_of
from qidf.engines.boosts import BoostPlan
from qidf.engines.contract import Capabilities, EngineStats, Note, TermStatistics
from qidf.engines.frozen import FrozenEngine
from qidf.engines.targets import Target
from qidf.errors import InputError, InvalidArgumentError, UnknownIdError
from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.statistics import CorpusStats

CAPABILITIES = Capabilities(
    exact_statistics=True,
    enumerates_vocabulary=True,
    max_clauses=None,
    takes_negative_weights=True,
    # Depends on the index's method; its default, lucene, drops the factor.
    keeps_k1_plus_1=False,
    quantises_length=False,
    counts_deleted=False,
    duplicate_terms="add up",
    float32_weights=False,
)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnQuery:
    """Columns of the score matrix and what each is multiplied with; documents that may be found."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    # The retriever's own search, where nothing was rescaled or filtered.
    own_tokens: tuple[str, ...] | None = None
    allowed: NDArray[np.bool_] | None = None


def open_target(target: Target, **options: Any) -> Bm25sEngine:
    """Load the index in a folder, memory-mapped; ids come from the corpus saved beside it."""
    folder = Path(target.location)
    engine = wrap(load(folder, mmap=True), **options)
    engine.folder = folder
    return engine


def wrap(
    retriever: Retriever,
    analyzer: str | Analyzer | None = None,
    tokenize: Callable[[str], Sequence[str]] | None = None,
    ids: Sequence[DocId] | None = None,
) -> Bm25sEngine:
    """Search the caller's own `bm25s.BM25`."""
    if analyzer is not None and tokenize is not None:
        raise InvalidArgumentError("give an analyzer or a tokenize function, not both.")
    if tokenize is None:
        tokenize = parse_analyzer(analyzer or "generic").tokens
    if not callable(tokenize):
        raise InvalidArgumentError(
            f"tokenize is a function from a text to tokens, not a {type(tokenize).__name__}."
        )
    return Bm25sEngine(retriever, tokenize, ids)


class Bm25sEngine(FrozenEngine):
    """A `bm25s.BM25`; `filter` is a boolean array or a collection of ids.

    bm25s keeps no analyzer, so queries are tokenized as its own `tokenize` does by default unless
    told otherwise. Ids are positions where neither the caller nor the folder gives others.
    """

    def __init__(
        self,
        retriever: Retriever,
        tokenize: Callable[[str], Sequence[str]],
        ids: Sequence[DocId] | None,
    ) -> None:
        """Take the retriever as it is."""
        super().__init__()
        self._retriever = retriever
        self._tokenize = tokenize
        self._matrix = _original_matrix(retriever)
        self._positions: dict[DocId, int] | None = None
        self._ids = ids
        self.folder: Path | None = None
        baked_idf(retriever, self._matrix)
        if original_of(retriever) is None:
            check_plain(retriever, self._matrix)
        if ids is not None and len(ids) != self._matrix.num_docs:
            raise InvalidArgumentError(
                f"there are {len(ids)} ids for {self._matrix.num_docs} documents."
            )

    @property
    def name(self) -> str:
        """The version of bm25s and the index's method."""
        return f"bm25s {version('bm25s')} ({self._retriever.method})"

    @property
    def capabilities(self) -> Capabilities:
        """What a bm25s index can do."""
        return CAPABILITIES

    def analyze(self, text: str) -> list[str]:
        """The tokens of the tokenizer that was chosen."""
        return [str(token) for token in self._tokenize(text)]

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Column lengths."""
        counts = {}
        for term in terms:
            column = self._column(term)
            start, stop = (0, 0) if column is None else self._bounds(column)
            counts[term] = stop - start
        return TermStatistics(self._matrix.num_docs, counts)

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """Exact counts read back from the scores; `sample` makes no difference."""
        stats = corpus_stats(self._retriever)
        return EngineStats(**{name: getattr(stats, name) for name in CorpusStats.__slots__})

    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """The idf in the scores, rounded as they are."""
        idf = BAKED_IDF[self._retriever.idf_method](doc_freq, num_docs)
        return float(np.asarray(idf, self._matrix.data.dtype))

    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[ColumnQuery | None, tuple[Note, ...]]:
        """The columns as they are."""
        known = [token for token in tokens if self._column(token) is not None]
        if not known:
            return None, ()
        columns = [column for token in known if (column := self._column(token)) is not None]
        untouched = filter is None and original_of(self._retriever) is None
        return ColumnQuery(
            tuple(columns),
            (1.0,) * len(columns),
            tuple(known) if untouched else None,
            self._allowed(filter),
        ), ()

    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> ColumnQuery:
        """The columns, weighted."""
        found = [(self._column(boost.term), boost.weight) for boost in plan.boosts]
        columns, weights = zip(*found, strict=True)
        return ColumnQuery(columns, weights, None, self._allowed(filter))

    def run(self, query: ColumnQuery, k: int) -> list[Hit]:
        """Add the columns up and take the best; equal scores in the order of the documents."""
        k = min(k, self._matrix.num_docs)
        if query.own_tokens is not None:
            found = self._retriever.retrieve(  # type: ignore[attr-defined]
                [list(query.own_tokens)],
                corpus=np.arange(self._matrix.num_docs),
                k=k,
                show_progress=False,
            )
            positions, scores = found.documents[0], found.scores[0]
            return self._hits(positions[scores > 0], scores[scores > 0])
        total, absent = self._scores(query)
        if query.allowed is not None:
            total[~query.allowed] = -np.inf
        # A document without any of the terms scores what all of them score.
        positions = np.flatnonzero(total > max(absent, 0.0))
        if len(positions) > k:
            worst = np.partition(total[positions], len(positions) - k)[len(positions) - k]
            positions = positions[total[positions] >= worst]
        order = np.lexsort((positions, -total[positions]))[:k]
        return self._hits(positions[order], total[positions[order]])

    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """What each column holds for one document."""
        position = self._position(doc_id)
        scores = dict.fromkeys(terms, 0.0)
        for term in terms:
            column = self._column(term)
            if column is not None:
                total, _ = self._scores(ColumnQuery((column,), (1.0,)))
                scores[term] = float(total[position])
        return scores

    def _scores(self, query: ColumnQuery) -> tuple[NDArray[np.float64], float]:
        total, absent = np.zeros(self._matrix.num_docs), 0.0
        original = original_of(self._retriever)
        nonoccurrence = (
            getattr(self._retriever, "nonoccurrence_array", None)
            if original is None
            else original.nonoccurrence
        )
        for column, weight in zip(query.columns, query.weights, strict=True):
            start, stop = self._bounds(column)
            rows = self._matrix.indices[start:stop]
            total[rows] += weight * self._matrix.data[start:stop].astype(np.float64)
            if nonoccurrence is not None:
                absent += weight * float(nonoccurrence[column])
        return total + absent, absent

    def _hits(self, positions: NDArray[Any], scores: NDArray[Any]) -> list[Hit]:
        return [
            Hit(self._id(int(position)), float(score), rank, _NOTHING)
            for rank, (position, score) in enumerate(zip(positions, scores, strict=True), 1)
        ]

    def _column(self, term: str) -> int | None:
        column = self._retriever.vocab_dict.get(term)
        # bm25s gives the empty token an id beyond the last column.
        return column if column is not None and column < len(self._matrix.indptr) - 1 else None

    def _bounds(self, column: int) -> tuple[int, int]:
        return int(self._matrix.indptr[column]), int(self._matrix.indptr[column + 1])

    def _id(self, position: int) -> DocId:
        ids = self._known_ids()
        return position if ids is None else ids[position]

    def _known_ids(self) -> Sequence[DocId] | None:
        if self._ids is None and self.folder is not None:
            folder, self.folder = self.folder, None
            try:
                ids = [document.id for document in open_corpus(folder)]
            except InputError:
                # No corpus was saved beside the index, or none with texts.
                return None
            if len(ids) == self._matrix.num_docs:
                self._ids = [at if each is None else each for at, each in enumerate(ids)]
        return self._ids

    def _position(self, doc_id: DocId) -> int:
        ids = self._known_ids()
        if ids is None:
            if isinstance(doc_id, int) and 0 <= doc_id < self._matrix.num_docs:
                return doc_id
            raise UnknownIdError(f"no document has the position {doc_id!r}; check its type")
        if self._positions is None:
            self._positions = {each: at for at, each in enumerate(ids)}
        if doc_id not in self._positions:
            raise UnknownIdError(f"no document has the id {doc_id!r}; check its spelling and type")
        return self._positions[doc_id]

    def _allowed(self, filter: Any | None) -> NDArray[np.bool_] | None:
        if filter is None:
            return None
        if isinstance(filter, np.ndarray) and filter.dtype == np.bool_:
            if filter.shape != (self._matrix.num_docs,):
                raise InvalidArgumentError(
                    f"a filter array must hold {self._matrix.num_docs} booleans, one for each"
                    f" document, not {filter.shape}"
                )
            return filter
        if not isinstance(filter, list | tuple | set | frozenset):
            raise InvalidArgumentError(
                "bm25s filters by a boolean array or a collection of ids, not a"
                f" {type(filter).__name__}."
            )
        allowed = np.zeros(self._matrix.num_docs, np.bool_)
        allowed[[self._position(doc_id) for doc_id in filter]] = True
        return allowed


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _original_matrix(retriever: Retriever) -> ScoreMatrix:
    matrix = ScoreMatrix.of(retriever)
    original = original_of(retriever)
    if original is None:
        return matrix
    return ScoreMatrix(original.verified().data, matrix.indices, matrix.indptr, matrix.num_docs)
