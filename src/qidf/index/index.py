"""The index a caller holds: build, open, search, change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from threading import Lock, get_ident
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from qidf.analysis import Analyzer, parse_analyzer
from qidf.errors import InvalidArgumentError, UnknownIdError
from qidf.index import directory as storage
from qidf.index.build import build_segment
from qidf.index.directory import Snapshot
from qidf.index.documents import DocId, DocumentLike
from qidf.index.explain import Explanation, contributions, explain
from qidf.index.filters import Filter
from qidf.index.groups import Groups
from qidf.index.lock import write_lock
from qidf.index.maintenance import delete_positions, settle, with_segment
from qidf.index.queries import PreparedQueries
from qidf.index.ranker import Ranker
from qidf.index.results import Hit, Ranking, checked_k
from qidf.index.scoring import DEFAULT_B, DEFAULT_K1, Scoring, ScoringOptions
from qidf.index.tokens import TokenScores, group_scores, token_scores
from qidf.index.totals import frequencies
from qidf.statistics import CorpusStats
from qidf.weighting import Decision, Kind, Parts, checked_kind, wanted

if TYPE_CHECKING:
    from typing_extensions import Unpack

Q = float | str


class Index:
    """An exact BM25 index whose weighting, k1 and b are chosen at query time.

    An index made by `build` lives in memory until `save`; from then on, and after `open`, every
    `add`, `delete` and `compact` is a commit on disk. Readers keep the state they opened until
    they `refresh`.
    """

    __slots__ = ("_changer", "_changing", "_path", "_ranker", "_snapshot", "_stats")
    # The thread that is changing the index just now.
    _changer: int | None
    _path: Path | None
    _ranker: Ranker
    _snapshot: Snapshot
    # With the state they were asked of: another thread may adopt a new one meanwhile.
    _stats: tuple[Snapshot, CorpusStats] | None

    def __init__(self, snapshot: Snapshot, path: Path | None = None) -> None:
        """Use `build` or `open`."""
        self._path = path
        self._changing = Lock()
        self._changer = None
        self._stats = None
        self._adopt(snapshot)

    @classmethod
    def build(
        cls,
        documents: Iterable[DocumentLike],
        *,
        analyzer: str | Analyzer = "generic",
        threads: int | None = None,
    ) -> Index:
        """Index documents in memory: strings, mappings with a `text`, or `Document`s.

        On every processor, unless `threads` or the variable QIDF_THREADS says how many.
        """
        if not isinstance(analyzer, str | Analyzer):
            raise InvalidArgumentError(
                f"an analyzer can't be a {type(analyzer).__name__}; "
                "use a name such as 'generic' or a qidf.Analyzer"
            )
        chosen = parse_analyzer(analyzer)
        segment = build_segment(documents, chosen, 0, threads)
        return cls(with_segment(Snapshot(str(chosen)), segment))

    @classmethod
    def open(cls, path: str | Path) -> Index:
        """Map a stored index; nothing is read until it is needed."""
        directory = Path(path)
        return cls(storage.read_snapshot(directory), directory)

    def save(self, path: str | Path) -> None:
        """Store the index at `path`, replacing an index there; later changes are commits to it."""
        directory = Path(path)
        storage.prepare(directory)
        with write_lock(directory):
            self._adopt(storage.commit(directory, self._snapshot))
        self._path = directory

    def search(
        self,
        text: str,
        k: int = 10,
        q: Q | None = None,
        filter: Filter | None = None,
        *,
        contributions: bool = False,
        **options: Unpack[ScoringOptions],
    ) -> list[Hit]:
        """The k best documents for a text.

        `weighting` says what the query's tokens weigh: "auto", which chooses by corpus and query
        (see `decide`), "bm25", "paper" or a `Weighting`; `q`, `k3` and `formula` set one part of
        it, and q = 1 alone is Lucene-variant BM25 bit for bit. `k1` and `b` are BM25's. `filter`
        takes metadata values to match, a collection of ids, a predicate over metadata or a boolean
        array. With `contributions`, each hit says what every query token added to it.
        """
        if not isinstance(text, str):
            raise InvalidArgumentError(
                f"a query can't be a {type(text).__name__}; "
                "use a string, or search_batch for several"
            )
        return self.search_batch([text], k, q, filter, contributions=contributions, **options)[0]

    def search_batch(
        self,
        texts: Sequence[str],
        k: int = 10,
        q: Q | None = None,
        filter: Filter | None = None,
        *,
        contributions: bool = False,
        threads: int | None = None,
        **options: Unpack[ScoringOptions],
    ) -> list[list[Hit]]:
        """The k best documents for each text; see `search`.

        Every processor takes part unless `threads`, or QIDF_THREADS, says how many.
        """
        if isinstance(texts, str):
            raise InvalidArgumentError("search_batch takes a list of texts; use search for one")
        texts = _checked_texts(texts)
        scoring = self.scoring(q, **options)
        # One state for ranks, ids and metadata, whatever another thread adopts meanwhile.
        ranker = self._ranker
        ranking = ranker.rank(texts, _clipped(k, ranker), scoring, filter, threads=threads)
        return [
            _hits(ranker, positions, scores, (text, scoring) if contributions else None)
            for positions, scores, text in zip(*ranking, texts, strict=True)
        ]

    def rank(
        self,
        queries: PreparedQueries | Sequence[str] | Sequence[Sequence[str]],
        k: int = 10,
        q: Q | None = None,
        filter: Filter | None = None,
        *,
        kind: Kind | None = None,
        threads: int | None = None,
        **options: Unpack[ScoringOptions],
    ) -> Ranking:
        """Top k of many queries, texts or token lists, as arrays of positions and scores.

        Positions count stored documents from 0; `ids` turns them into the caller's ids. Queries
        ranked several times, at several q for instance, are looked up only once if `prepare`d.
        Token lists don't show whether they were code: `kind` says it, of all of them. `threads` is
        that of `search_batch`.
        """
        scoring, ranker = self.scoring(q, **options), self._ranker
        if not isinstance(queries, PreparedQueries):
            queries = _checked_queries(queries)
        kind = checked_kind(kind)
        return ranker.rank(queries, _clipped(k, ranker), scoring, filter, kind, threads)

    def prepare(
        self, queries: Sequence[str] | Sequence[Sequence[str]], *, kind: Kind | None = None
    ) -> PreparedQueries:
        """Look up the terms of queries once, to `rank` them many times, weighed in any way."""
        return self._ranker.prepare(_checked_queries(queries), kind)

    def scores(
        self,
        query: str | Sequence[str],
        q: Q | None = None,
        *,
        kind: Kind | None = None,
        **options: Unpack[ScoringOptions],
    ) -> np.ndarray:
        """Every stored document's score for a text or token list, by exhaustive scoring."""
        scoring, ranker = self.scoring(q, **options), self._ranker
        tokens, decision = _asked(ranker, query, scoring, kind)
        return ranker.scores(tokens, decision.weighting, scoring)

    def token_scores(
        self,
        query: str | Sequence[str],
        q: Q | None = None,
        *,
        groups: Groups | None = None,
        kind: Kind | None = None,
        **options: Unpack[ScoringOptions],
    ) -> list[TokenScores]:
        """What each distinct token adds to every live document it is in, as arrays.

        With `groups`, documents that belong together are scored as if they were one.
        """
        scoring, ranker = self.scoring(q, **options), self._ranker
        tokens, decision = _asked(ranker, query, scoring, kind)
        scored = token_scores(ranker, tokens, decision.weighting, scoring)
        if groups is None:
            return scored
        return group_scores(scored, groups, decision.weighting, scoring)

    def explain(
        self, text: str, doc_id: DocId, q: Q | None = None, **options: Unpack[ScoringOptions]
    ) -> Explanation:
        """Why a document has its score, and how its rank differs from plain BM25's."""
        _checked_texts([text])
        scoring, ranker = self.scoring(q, **options), self._ranker
        tokens, decision = _asked(ranker, text, scoring, None)
        return explain(ranker, tokens, _position(ranker, doc_id), doc_id, decision, scoring)

    def decide(
        self,
        query: str | None = None,
        q: Q | None = None,
        *,
        kind: Kind | None = None,
        **parts: Unpack[Parts],
    ) -> Decision:
        """What a query is weighed with here, and why; without a query, what any text is."""
        return self._ranker.decide(wanted(q=q, **parts), query, kind)

    def add(self, documents: Iterable[DocumentLike], *, replace: bool = False) -> int:
        """Add documents as one commit and say how many; `replace` deletes those with their ids."""
        added = 0

        def change(snapshot: Snapshot) -> Snapshot:
            nonlocal added
            segment = build_segment(documents, self.analyzer, snapshot.next_position)
            added = segment.size
            return settle(with_segment(snapshot, segment, replace=replace))

        self._change(change)
        return added

    def delete(self, ids: DocId | Iterable[DocId]) -> int:
        """Delete documents as one commit and say how many; an unknown id deletes nothing."""
        if isinstance(ids, str | int | np.integer):
            ids = [ids]
        elif not isinstance(ids, Iterable):
            raise InvalidArgumentError(f"{ids!r} is not an id; use a string or an integer")
        wanted = list(dict.fromkeys(ids))

        def change(snapshot: Snapshot) -> Snapshot:
            positions = [self.position(identifier) for identifier in wanted]
            return settle(delete_positions(snapshot, np.array(positions, np.int64)))

        if wanted:
            self._change(change)
        return len(wanted)

    def compact(self) -> None:
        """Merge all segments into one and drop deleted documents, as one commit."""
        self._change(lambda snapshot: settle(snapshot, everything=True))

    def refresh(self) -> bool:
        """Take up the last commit if another process has made one since; say whether it had."""
        if self._path is None:
            return False
        if storage.is_current(self._path, self._snapshot):
            return False
        self._adopt(storage.read_snapshot(self._path))
        return True

    @property
    def stats(self) -> CorpusStats:
        """Exact corpus statistics of the live documents."""
        snapshot, known = self._snapshot, self._stats
        if known is None or known[0] is not snapshot:
            counted = frequencies([stored.segment for stored in snapshot.segments])
            stats = CorpusStats.from_frequencies(snapshot.totals.num_docs, *counted)
            known = self._stats = (snapshot, stats)
        return known[1]

    @property
    def ranker(self) -> Ranker:
        """The search over the state that the index is in."""
        return self._ranker

    @property
    def analyzer(self) -> Analyzer:
        """The analyzer that documents went through and queries go through."""
        return self._ranker.analyzer

    @property
    def path(self) -> Path | None:
        """Where the index is stored; None while it is only in memory."""
        return self._path

    def __len__(self) -> int:
        """How many documents there are, deleted ones left out."""
        return self._snapshot.totals.num_docs

    def __contains__(self, doc_id: DocId) -> bool:
        """Whether a document has this id."""
        return _find(self._ranker, doc_id) >= 0

    def __repr__(self) -> str:
        """Say what it holds and where."""
        where = "in memory" if self._path is None else f"at {self._path}"
        return f"<Index of {len(self):,} documents, analyzer {self.analyzer}, {where}>"

    def ids(self, positions: Iterable[int] | np.ndarray) -> list[DocId]:
        """The ids of documents given by position."""
        ranker = self._ranker
        return [_locate(ranker, int(position))[0] for position in positions]

    def position(self, doc_id: DocId) -> int:
        """The position of the document with this id."""
        return _position(self._ranker, doc_id)

    def hits(self, positions: np.ndarray, scores: np.ndarray) -> list[Hit]:
        """Documents given by position as hits with these scores, ranked as they come."""
        return _hits(self._ranker, positions, scores)

    def mentioning(self, positions: np.ndarray, text: str) -> np.ndarray:
        """Those of some documents whose metadata may hold a text in some case, not decoded."""
        if not text.isascii():
            return positions
        ranker, wanted = self._ranker, text.lower().encode()
        numbers = np.searchsorted(ranker.bases, positions, side="right") - 1
        docs = positions - ranker.bases[numbers]
        held = [
            wanted in ranker.segments[number].metadata.encoded(doc).lower()
            for number, doc in zip(numbers.tolist(), docs.tolist(), strict=True)
        ]
        kept: np.ndarray = positions[np.array(held, bool)]
        return kept

    def doc_freqs(self, tokens: Sequence[str]) -> np.ndarray:
        """In how many documents each token occurs, deleted ones left out."""
        names, ranker = _checked_tokens(tokens), self._ranker
        ids = [segment.terms.lookup(names) for segment in ranker.segments]
        return ranker.doc_freqs(ids, len(names))

    def metadata(self, doc_id: DocId) -> dict[str, object]:
        """The metadata a document came with."""
        ranker = self._ranker
        _, number, doc = _locate(ranker, _position(ranker, doc_id))
        return dict(ranker.segments[number].metadata[doc])

    def scoring(
        self,
        q: Q | None = None,
        *,
        k1: float = DEFAULT_K1,
        b: float = DEFAULT_B,
        **parts: Unpack[Parts],
    ) -> Scoring:
        """What a search with these arguments scores with; open parts wait for the query."""
        try:
            return _scoring(q, k1, b, **parts)  # type: ignore[arg-type]
        except TypeError:
            # What can't be remembered, such as a list, is refused by name.
            return Scoring(wanted(q=q, **parts), k1, b)

    def _adopt(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        segments = tuple(stored.segment for stored in snapshot.segments)
        self._ranker = Ranker(segments, snapshot.totals, parse_analyzer(snapshot.analyzer))

    def _change(self, change: Callable[[Snapshot], Snapshot]) -> None:
        """Apply a change to the last commit, in memory or under the write lock.

        Threads that hold this index wait for each other; for others the write lock speaks.
        """
        if self._changer == get_ident():
            raise InvalidArgumentError(
                "an index can't be changed while it is being changed; collect the documents first"
            )
        with self._changing:
            self._changer = get_ident()
            try:
                if self._path is None:
                    self._adopt(change(self._snapshot))
                    return
                with write_lock(self._path):
                    self.refresh()
                    self._adopt(storage.commit(self._path, change(self._snapshot)))
            finally:
                self._changer = None


@lru_cache(maxsize=64, typed=True)
def _scoring(q: Q | None, k1: float, b: float, **parts: Unpack[Parts]) -> Scoring:
    """What is asked for in the same words again and again."""
    return Scoring(wanted(q=q, **parts), k1, b)


def _checked_texts(texts: Sequence[str]) -> list[str]:
    """Queries, each of them a string."""
    return _strings(texts, "queries", "a list of strings", "a query")


def _checked_tokens(query: Sequence[str]) -> list[str]:
    """The tokens of a query, each of them a string."""
    return _strings(query, "a query", "a text or a list of tokens", "a query's token")


def _checked_queries(
    queries: Sequence[str] | Sequence[Sequence[str]],
) -> list[str] | list[list[str]]:
    """Queries that are all texts or all lists of tokens."""
    if isinstance(queries, str) or not isinstance(queries, Sequence):
        raise InvalidArgumentError(
            "rank takes a list of texts or of token lists; put a single query in a list"
        )
    texts = [query for query in queries if isinstance(query, str)]
    if len(texts) == len(queries):
        return texts
    if texts:
        raise InvalidArgumentError("queries mix texts and token lists; use one or the other")
    return _checked_token_lists(queries)


def _checked_token_lists(queries: Sequence[Sequence[str]]) -> list[list[str]]:
    """Queries of tokens; one look at the types of all tokens tells whether to look closer."""
    if all(type(query) is list for query in queries):
        lists = [query for query in queries if isinstance(query, list)]
        if set(map(type, chain.from_iterable(lists))) <= {str}:
            return lists
    return [_checked_tokens(query) for query in queries]


def _strings(items: Sequence[str], whole: str, wanted: str, one: str) -> list[str]:
    if not isinstance(items, Iterable):
        raise InvalidArgumentError(f"{whole} can't be a {type(items).__name__}; use {wanted}")
    strings = list(items)
    for kind in set(map(type, strings)):
        if not issubclass(kind, str):
            raise InvalidArgumentError(f"{one} can't be a {kind.__name__}; use a string")
    return strings


def _clipped(k: int, ranker: Ranker) -> int:
    """Check k; no more hits can be found than documents are stored."""
    return min(checked_k(k), int(ranker.bases[-1]))


def _find(ranker: Ranker, doc_id: DocId) -> int:
    """The position of the document with this id, or -1."""
    for base, segment in zip(ranker.bases.tolist(), ranker.segments, strict=False):
        doc = segment.ids.find(doc_id)
        if doc >= 0 and (segment.deletions is None or not segment.deletions.deleted[doc]):
            return int(base) + doc
    return -1


def _position(ranker: Ranker, doc_id: DocId) -> int:
    found = _find(ranker, doc_id)
    if found < 0:
        raise UnknownIdError(f"no document has the id {doc_id!r}; check its spelling and type")
    return found


def _locate(ranker: Ranker, position: int) -> tuple[DocId, int, int]:
    """A document's id, the number of its segment, and its place in that."""
    number = bisect_right(ranker.bases, position) - 1
    doc = position - int(ranker.bases[number])
    return ranker.segments[number].ids[doc], number, doc


def _hits(
    ranker: Ranker,
    positions: np.ndarray,
    scores: np.ndarray,
    asked: tuple[str, Scoring] | None = None,
) -> list[Hit]:
    """Hits in the order of positions, with contributions if told what was asked and scored how."""
    hits = []
    # Plain numbers: comparing with an array's takes longer than all else here.
    bases, segments = ranker.bases.tolist(), ranker.segments
    for rank, (position, score) in enumerate(
        zip(positions.tolist(), scores.tolist(), strict=True), 1
    ):
        if position < 0:
            break
        number = bisect_right(bases, position) - 1
        segment, doc = segments[number], position - bases[number]
        metadata = MappingProxyType(segment.metadata[doc])
        added = None if asked is None else _contributions(ranker, *asked, number, doc)
        hits.append(Hit(segment.ids[doc], score, rank, metadata, added))
    return hits


def _contributions(
    ranker: Ranker, text: str, scoring: Scoring, number: int, doc: int
) -> dict[str, float]:
    """What each query token found in a document added to its score."""
    tokens, decision = _asked(ranker, text, scoring, None)
    added = contributions(ranker, tokens, decision.weighting, number, doc, scoring)
    return {token: value for token, value in added.items() if value}


def _asked(
    ranker: Ranker, query: str | Sequence[str], scoring: Scoring, kind: Kind | None
) -> tuple[Sequence[str], Decision]:
    """A query's tokens, and what they are weighed with."""
    if isinstance(query, str):
        return ranker.analyzer.tokens(query), ranker.decide(scoring.weighting, query, kind)
    return _checked_tokens(query), ranker.decide(scoring.weighting, None, kind)
