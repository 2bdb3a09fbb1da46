"""Searching one state of an index: from query tokens to positions and scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from threading import Lock

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
    said_tokens,
    weigh,
)

# Above this many terms a vectorised pass over distinct document frequencies beats remembering them.
MANY_TERMS = 4096
# Fewer queries are searched before a second thread has begun.
QUERIES_TO_A_THREAD = 32


class Ranker:
    """Ranks documents of fixed segments; keeps what repeated queries can share."""

    __slots__ = (
        "_filters",
        "_idfs",
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
        self._idfs: tuple[Weighting | None, dict[int, float]] = (None, {})
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
        num_queries = len(weighted.offsets) - 1
        batch = Batch(
            weighted.offsets,
            weighted.weights,
            scoring,
            self.totals.avg_doc_length,
            np.full((num_queries, k), -1, np.int64),
            np.zeros((num_queries, k), np.float32),
            int((weighted.offsets[1:] - weighted.offsets[:-1]).max(initial=0)),
        )
        layouts, bases = self.layouts(), self.bases.tolist()
        terms = [found[weighted.names] for found in queries.segment_terms]
        for segment, found in zip(self.segments, queries.segment_terms, strict=True):
            segment.verify_postings(found[found >= 0])

        def work(first: int, last: int) -> None:
            for number, layout in enumerate(layouts):
                layout.search(batch, terms[number], excluded[number], bases[number], first, last)

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
        tokens = QueryTokens(stream.term_ids, stream.doc_offsets, code)
        doc_freqs = self.doc_freqs(ids, len(spelling))
        return PreparedQueries(queries, kind, tokens, spelling, ids, doc_freqs, self)

    def decide(
        self, asked: Weighting, query: str | None = None, kind: Kind | None = None
    ) -> Decision:
        """What a query is weighed with here, and why."""
        return decide(asked, self.stats, self.analyzer, query=query, kind=kind)

    def weigh(self, queries: PreparedQueries, asked: Weighting) -> WeightedQueries:
        """A weight for every position of the queries."""
        text, code = (self.decide(asked, kind=kind).weighting for kind in KINDS)
        doc_freqs, spelling = queries.doc_freqs, queries.spelling
        return weigh(
            queries.tokens,
            text,
            code,
            lambda each: self.idfs(doc_freqs, each),
            lambda: LEARNT.of_tokens(spelling.tokens(), doc_freqs, self.totals.num_docs),
        )

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
        if len(doc_freqs) > MANY_TERMS:
            return weighting.idfs(doc_freqs, self.totals.num_docs)
        # One assignment hands weighting and idfs over together, whichever thread made them.
        before, known = self._idfs
        if before is None or (before.formula, before.q) != (weighting.formula, weighting.q):
            known = {}
            self._idfs = (weighting, known)
        wanted = doc_freqs.tolist()
        missing = [doc_freq for doc_freq in set(wanted) if doc_freq not in known]
        if missing:
            found = weighting.idfs(np.array(missing, np.int64), self.totals.num_docs)
            known.update(zip(missing, found.tolist(), strict=True))
        return np.array([known[doc_freq] for doc_freq in wanted], np.float64)

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
            known = found >= 0
            total[known] += segment.doc_freqs_of(found[known])
        return total

    def _segment_scores(
        self, number: int, ids: np.ndarray, weights: np.ndarray, scoring: Scoring
    ) -> np.ndarray:
        segment = self.segments[number]
        segment.verify_postings(ids[ids >= 0])
        return exhaustive_scores(
            segment, ids.tolist(), list(weights), scoring, self.totals.avg_doc_length
        )


def _kind(query: str | Sequence[str], kind: Kind | None) -> Kind | None:
    """What a query is: as told, or by its text."""
    return kind_of(query) if kind is None and isinstance(query, str) else kind
