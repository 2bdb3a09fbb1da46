"""Searching one state of an index: from query tokens to positions and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from threading import Lock
from typing import TypeVar

import numpy as np

from qidf.analysis import Analyzer, TermTable, TokenStream, analyze_batch
from qidf.index.filters import Filter, FilterCache
from qidf.index.layout import Batch, Layout
from qidf.index.queries import PreparedQueries
from qidf.index.results import Ranking
from qidf.index.scoring import Scoring, exhaustive_scores
from qidf.index.segment import Segment
from qidf.index.totals import Totals
from qidf.native.threads import num_threads, run
from qidf.statistics import CorpusStats
from qidf.weighting import (
    KINDS,
    LEARNT,
    Decision,
    Kind,
    QueryTokens,
    WeightedQueries,
    Weighting,
    checked_kind,
    decide,
    kind_of,
    looks_of_terms,
    said_tokens,
    weigh,
)

# Above this many terms a vectorised pass over distinct document frequencies beats remembering them.
MANY_TERMS = 4096
# So many weightings' decisions and idfs are remembered.
MANY_WEIGHTINGS = 16
# Fewer queries are searched before a second thread has begun.
QUERIES_TO_A_THREAD = 32

Key = TypeVar("Key")
Value = TypeVar("Value")


class Ranker:
    """Ranks documents of fixed segments; keeps what repeated queries can share."""

    __slots__ = (
        "_common",
        "_decided",
        "_filters",
        "_known",
        "_layouts",
        "_lock",
        "analyzer",
        "bases",
        "segments",
        "stats",
        "totals",
    )
    # What a decision needs to know of the corpus.
    stats: CorpusStats

    def __init__(self, segments: tuple[Segment, ...], totals: Totals, analyzer: Analyzer) -> None:
        """Serve these segments, scoring with these totals."""
        self.segments, self.totals, self.analyzer = segments, totals, analyzer
        self.bases = np.cumsum([0, *(segment.size for segment in segments)])
        self._filters = FilterCache(segments)
        self._layouts: list[Layout] = []
        self._lock = Lock()
        self._decided: dict[Weighting, tuple[Weighting, Weighting]] = {}
        # By document frequency: idfs at a formula's q, and the evidence of tokens.
        self._known: dict[tuple[str, object], dict[int, float]] = {}
        self._common: dict[int, float] = {}
        self.stats = totals.as_stats()

    def rank(
        self,
        queries: PreparedQueries | Sequence[str] | Sequence[Sequence[str]],
        k: int,
        scoring: Scoring,
        filter: Filter | None = None,
        kind: Kind | None = None,
        threads: int | None = None,
    ) -> Ranking:
        """Top k of each query, a text or a list of tokens; a kind holds for all of them."""
        excluded = self._filters.excluded(filter)
        if isinstance(queries, PreparedQueries):
            kind = kind or queries.kind
            if queries.owner is not self or queries.kind != kind:
                queries = self.prepare(queries.queries, kind)
        else:
            queries = self.prepare(queries, kind)
        weighted = self.weigh(queries, scoring.weighting)
        return self.search(weighted, queries.segment_terms, k, scoring, excluded, threads=threads)

    def search(
        self,
        queries: WeightedQueries,
        segment_terms: Sequence[np.ndarray],
        k: int,
        scoring: Scoring,
        excluded: Sequence[np.ndarray | None],
        *,
        wanted: tuple[np.ndarray, np.ndarray] | None = None,
        threads: int | None = None,
    ) -> Ranking:
        """Top k of each query, given each of their tokens' number in every segment.

        With `wanted`, documents of an index of one segment, only what scores as high as one of a
        query's is found, which takes less.
        """
        offsets = queries.offsets
        num_queries = len(offsets) - 1
        batch = Batch(
            offsets,
            queries.weights,
            scoring,
            self.totals.avg_doc_length,
            np.full((num_queries, k), -1, np.int64),
            np.zeros((num_queries, k), np.float32),
            _longest(offsets),
            wanted,
        )
        layouts, bases = self.layouts(), self.bases.tolist()
        terms = [found[queries.names] for found in segment_terms]
        for segment, found in zip(self.segments, segment_terms, strict=True):
            segment.verify_postings(found)

        def work(first: int, last: int) -> None:
            for number, layout in enumerate(layouts):
                layout.search(batch, terms[number], excluded[number], bases[number], first, last)

        if threads is None and num_queries < 2 * QUERIES_TO_A_THREAD:
            threads = 1
        if k:
            run(work, num_queries, QUERIES_TO_A_THREAD, num_threads(threads))
        return Ranking(batch.positions, batch.scores)

    def layouts(self) -> list[Layout]:
        """The segments as they are searched, made by the first query."""
        if len(self._layouts) < len(self.segments):
            with self._lock:
                for segment in self.segments[len(self._layouts) :]:
                    self._layouts.append(Layout(segment))
        return self._layouts

    def prepare(
        self, queries: Sequence[str] | Sequence[Sequence[str]], kind: Kind | None = None
    ) -> PreparedQueries:
        """Look up the terms of queries, texts or lists of tokens."""
        stream, spelling = self._numbered(queries)
        ids = tuple(part.terms.lookup_table(spelling) for part in self.segments)
        kind = checked_kind(kind)
        code = np.array([_kind(query, kind) == "code" for query in queries], bool)
        tokens = QueryTokens(stream.term_ids, stream.doc_offsets, code, len(spelling))
        doc_freqs = self.doc_freqs(ids, len(spelling))
        return PreparedQueries(queries, kind, tokens, spelling, ids, doc_freqs, self)

    def decide(
        self, asked: Weighting, query: str | None = None, kind: Kind | None = None
    ) -> Decision:
        """What a query is weighed with here, and why."""
        return decide(asked, self.stats, self.analyzer, query=query, kind=kind)

    def weigh(self, queries: PreparedQueries, asked: Weighting) -> WeightedQueries:
        """A weight for every position of the queries."""
        text, code = self._weightings(asked)
        return weigh(
            queries.tokens,
            text,
            code,
            lambda each: self.idfs(queries.doc_freqs, each),
            lambda: self._evidence(queries),
        )

    def _weightings(self, asked: Weighting) -> tuple[Weighting, Weighting]:
        """What text and what code is weighed with."""
        if not asked.is_open:
            return asked, asked
        # A formula of the caller's own may be one that can't be looked up.
        named = isinstance(asked.formula, str)
        known = self._decided.get(asked) if named else None
        if known is None:
            text, code = (self.decide(asked, kind=kind).weighting for kind in KINDS)
            known = text, code
            if named:
                _remember(self._decided, asked, known)
        return known

    def _tokens(self, query: str | Sequence[str]) -> Sequence[str]:
        return self.analyzer.tokens(query) if isinstance(query, str) else query

    def _numbered(
        self, queries: Sequence[str] | Sequence[Sequence[str]]
    ) -> tuple[TokenStream, TermTable]:
        """The queries' tokens as numbers of distinct ones."""
        terms = TermTable.empty()
        texts = [query for query in queries if isinstance(query, str)]
        if len(texts) == len(queries):
            stream = analyze_batch(self.analyzer, texts, terms)
        else:
            tokens = list(map(self._tokens, queries))
            offsets = np.zeros(len(tokens) + 1, np.int64)
            np.cumsum([len(query) for query in tokens], out=offsets[1:])
            stream = TokenStream(terms.intern(list(chain.from_iterable(tokens))), offsets)
        return stream, terms

    def idfs(self, doc_freqs: np.ndarray, weighting: Weighting) -> np.ndarray:
        """The idf of terms by document frequency, each computed once for a weighting."""
        if len(doc_freqs) > MANY_TERMS or not isinstance(weighting.formula, str):
            return weighting.idfs(doc_freqs, self.totals.num_docs)
        known = self._known.get((weighting.formula, weighting.q))
        if known is None:
            known = {}
            _remember(self._known, (weighting.formula, weighting.q), known)
        return _by_value(doc_freqs, known, lambda some: weighting.idfs(some, self.totals.num_docs))

    def _evidence(self, queries: PreparedQueries) -> np.ndarray:
        """What is known of the queries' tokens before one says where."""
        num_docs, doc_freqs = self.totals.num_docs, queries.doc_freqs
        if len(doc_freqs) > MANY_TERMS:
            common = LEARNT.of_doc_freqs(doc_freqs, num_docs)
        else:
            common = _by_value(
                doc_freqs, self._common, lambda some: LEARNT.of_doc_freqs(some, num_docs)
            )
        return LEARNT.of_looks(common, *looks_of_terms(queries.spelling))

    def scores(self, tokens: Sequence[str], weighting: Weighting, scoring: Scoring) -> np.ndarray:
        """Every stored document's score for one query, deleted documents included."""
        _, ids, weights = self.resolve(tokens, weighting)
        return np.concatenate(
            [
                self._segment_scores(number, ids[number], weights, scoring)
                for number in range(len(self.segments))
            ]
            or [np.empty(0, np.float32)]
        )

    def resolve(
        self, tokens: Sequence[str], weighting: Weighting
    ) -> tuple[Sequence[str], list[np.ndarray], np.ndarray]:
        """The tokens that a decided weighting leaves, each one's id in each segment, its weight."""
        if not weighting.is_distinct:
            ids = [segment.terms.lookup(tokens) for segment in self.segments]
            weights = self.idfs(self.doc_freqs(ids, len(tokens)), weighting)
            return tokens, ids, weighting.single(weights)
        distinct, counts, firsts = said_tokens(tokens)
        ids = [segment.terms.lookup(distinct) for segment in self.segments]
        doc_freqs = self.doc_freqs(ids, len(distinct))
        weights = weighting.of_tokens(distinct, counts, firsts, doc_freqs, self.totals.num_docs)
        return distinct, ids, weighting.single(weights)

    def doc_freqs(self, ids: Sequence[np.ndarray], size: int) -> np.ndarray:
        """Live documents of terms given by their ids in each segment."""
        total = np.zeros(size, np.int64)
        for segment, found in zip(self.segments, ids, strict=True):
            if len(segment.terms):
                # Whatever the last term has is nothing for a token that isn't there.
                total += segment.doc_freqs_of(found) * (found >= 0)
        return total

    def _segment_scores(
        self, number: int, ids: np.ndarray, weights: np.ndarray, scoring: Scoring
    ) -> np.ndarray:
        segment = self.segments[number]
        segment.verify_postings(ids)
        return exhaustive_scores(
            segment, ids.tolist(), list(weights), scoring, self.totals.avg_doc_length
        )


def _kind(query: str | Sequence[str], kind: Kind | None) -> Kind | None:
    """What a query is: as told, or by its text."""
    return kind_of(query) if kind is None and isinstance(query, str) else kind


def _remember(known: dict[Key, Value], key: Key, value: Value) -> None:
    """Keep a value, and no more of them than MANY_WEIGHTINGS."""
    if len(known) >= MANY_WEIGHTINGS:
        known.clear()
    known[key] = value


def _by_value(
    numbers: np.ndarray, known: dict[int, float], compute: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """What is computed of numbers, each of them once."""
    wanted = numbers.tolist()
    try:
        return np.array([known[number] for number in wanted], np.float64)
    except KeyError:
        missing = [number for number in set(wanted) if number not in known]
        found = compute(np.array(missing, np.int64))
        known.update(zip(missing, found.tolist(), strict=True))
    return np.array([known[number] for number in wanted], np.float64)


def _longest(offsets: np.ndarray) -> int:
    """How many positions the query with the most has."""
    if len(offsets) == 2:
        return int(offsets[1])
    return int((offsets[1:] - offsets[:-1]).max(initial=0))
