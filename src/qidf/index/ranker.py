"""Searching one state of an index: from query tokens to positions and scores.

Two ways give the same bits. The plain one scores everything in numpy and needs no compiled code;
it serves the first queries of a process, when loading numba would cost more than it saves. The
compiled one prunes (kernels/topk.py) and serves everything after that.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from qidf.analysis import Analyzer, TermTable, TokenStream, analyze_batch
from qidf.index.filters import Filter, FilterCache
from qidf.index.pruning import Workspace
from qidf.index.queries import PreparedQueries
from qidf.index.results import Ranking
from qidf.index.scoring import Scoring, best, exhaustive_scores
from qidf.index.segment import Segment
from qidf.index.totals import Totals
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

# Loading numba and the cached kernels takes about as long as this many plain queries.
PLAIN_QUERIES = 16
_plain_queries_left = PLAIN_QUERIES
_NEVER_USED_UP = 2**62
# Above this many terms a vectorised pass over distinct document frequencies beats remembering them.
MANY_TERMS = 4096
# With more hits wanted than this, hardly anything can be pruned, and sorting all scores is faster
# than keeping the best in order.
MOST_PRUNED_HITS = 2048


def stay_plain() -> None:
    """Rank the plain way in this process for good, whatever comes.

    For servers: on a new installation compiling takes many seconds in the middle of a
    conversation, to save milliseconds of every question after it.
    """
    global _plain_queries_left
    _plain_queries_left = _NEVER_USED_UP


class Ranker:
    """Ranks documents of fixed segments; keeps what repeated queries can share."""

    __slots__ = (
        "_filters",
        "_idfs",
        "_workspaces",
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
        self._workspaces = [Workspace(segment) for segment in segments]
        self._idfs: tuple[Weighting | None, dict[int, float]] = (None, {})
        self.stats = totals.as_stats()

    def rank(
        self,
        queries: PreparedQueries | Sequence[str] | Sequence[Sequence[str]],
        k: int,
        scoring: Scoring,
        filter: Filter | None = None,
        kind: Kind | None = None,
    ) -> Ranking:
        """Top k of each query, a text or a list of tokens; a kind holds for all of them."""
        global _plain_queries_left
        excluded = self._filters.excluded(filter)
        prepared = queries if isinstance(queries, PreparedQueries) else None
        given = queries.queries if isinstance(queries, PreparedQueries) else queries
        if prepared is not None:
            kind = kind or prepared.kind
        few = len(given) <= _plain_queries_left
        if few or k > MOST_PRUNED_HITS:
            _plain_queries_left -= len(given) if few else 0
            return self._rank_plain(given, k, scoring, excluded, kind)
        if prepared is None or prepared.owner is not self or prepared.kind != kind:
            prepared = self.prepare(given, kind)
        weighted = self.weigh(prepared, scoring.weighting)
        average = self.totals.avg_doc_length
        for space in self._workspaces:
            if not space.can_rank(weighted.weights, scoring, average):
                return self._rank_plain(given, k, scoring, excluded, kind)
        return self._rank_compiled(weighted, prepared.segment_terms, k, scoring, excluded)

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

    def _rank_plain(
        self,
        queries: Sequence[str] | Sequence[Sequence[str]],
        k: int,
        scoring: Scoring,
        excluded: Sequence[np.ndarray | None],
        kind: Kind | None,
    ) -> Ranking:
        positions = np.full((len(queries), k), -1, np.int64)
        scores = np.zeros((len(queries), k), np.float32)
        for row, query in enumerate(queries):
            decision = self.decide(scoring.weighting, kind=_kind(query, kind))
            _, ids, weights = self.resolve(self._tokens(query), decision.weighting)
            found: list[np.ndarray] = []
            values: list[np.ndarray] = []
            for number, mask in enumerate(excluded):
                all_scores = self._segment_scores(number, ids[number], weights, scoring)
                docs = best(all_scores, k, mask)
                found.append(docs + self.bases[number])
                values.append(all_scores[docs])
            if found:
                merged, merged_scores = np.concatenate(found), np.concatenate(values)
                order = np.argsort(-merged_scores, kind="stable")[:k]
                positions[row, : len(order)] = merged[order]
                scores[row, : len(order)] = merged_scores[order]
        return Ranking(positions, scores)

    def _rank_compiled(
        self,
        queries: WeightedQueries,
        segment_terms: Sequence[np.ndarray],
        k: int,
        scoring: Scoring,
        excluded: Sequence[np.ndarray | None],
    ) -> Ranking:
        num_queries = len(queries.offsets) - 1
        positions = np.full((num_queries, k), -1, np.int64)
        scores = np.zeros((num_queries, k), np.float32)
        for number, segment in enumerate(self.segments):
            terms = segment_terms[number]
            segment.verify_postings(terms[terms >= 0])
            self._workspaces[number].rank(
                queries,
                terms,
                scoring,
                self.totals.avg_doc_length,
                excluded[number],
                int(self.bases[number]),
                positions,
                scores,
            )
        return Ranking(positions, scores)


def _kind(query: str | Sequence[str], kind: Kind | None) -> Kind | None:
    """What a query is: as told, or by its text."""
    return kind_of(query) if kind is None and isinstance(query, str) else kind
