"""A qidf index behind the same contract as any other, so that code can be written for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from qidf.engines.boosts import BoostPlan, lucene_idf
from qidf.engines.contract import (
    Capabilities,
    EngineStats,
    Note,
    Rewritten,
    TermStatistics,
)
from qidf.engines.frozen import FrozenEngine
from qidf.engines.targets import Target, number
from qidf.index import Index
from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.index.scoring import DEFAULT_B, DEFAULT_K1
from qidf.statistics import CorpusStats
from qidf.weighting import BM25, Decision, Weighting

CAPABILITIES = Capabilities(
    exact_statistics=True,
    enumerates_vocabulary=True,
    max_clauses=None,
    takes_negative_weights=True,
    keeps_k1_plus_1=False,
    quantises_length=False,
    counts_deleted=False,
    duplicate_terms="add up",
    float32_weights=True,
)


def open_target(target: Target, **options: Any) -> QidfEngine:
    """Open a stored index."""
    return wrap(Index.open(Path(target.location)), **options)


def wrap(index: Index, k1: object = DEFAULT_K1, b: object = DEFAULT_B) -> QidfEngine:
    """Search an index the caller has opened or built."""
    return QidfEngine(index, number("k1", k1), number("b", b))


class QidfEngine(FrozenEngine):
    """A `qidf.Index`, which weighs terms itself; a rewritten query is arguments of its `search`."""

    def __init__(self, index: Index, k1: float, b: float) -> None:
        """Score with these k1 and b."""
        super().__init__()
        self._index = index
        self.k1, self.b = k1, b
        # A wrong parameter is refused now rather than with the first query.
        index.scoring(1.0, k1=k1, b=b)

    @property
    def name(self) -> str:
        """The version of this package."""
        return f"qidf {version('qidf')}"

    @property
    def capabilities(self) -> Capabilities:
        """What a qidf index can do."""
        return CAPABILITIES

    def _decide(self, asked: Weighting, query: str | None) -> Decision:
        """What the index says, which knows its analyzer."""
        return self._index.decide(query, weighting=asked)

    def analyze(self, text: str) -> list[str]:
        """The tokens of the index's analyzer."""
        return self._index.analyzer.tokens(text)

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Counts of live documents."""
        counts = self._index.doc_freqs(terms).tolist()
        return TermStatistics(len(self._index), dict(zip(terms, counts, strict=True)))

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """Exact counts; `sample` makes no difference."""
        stats = self._index.stats
        return EngineStats(**{name: getattr(stats, name) for name in CorpusStats.__slots__})

    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """The idf at q = 1."""
        return lucene_idf(doc_freq, num_docs)

    def _rewrite(self, text: str, asked: Weighting, filter: Any | None) -> Rewritten:
        """The index weighs terms itself, so that there is nothing to plan."""
        decision = self._decide(asked, text)
        return Rewritten(self._arguments(text, decision.weighting, filter), decision)

    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[dict[str, Any], tuple[Note, ...]]:
        """The arguments of a search by BM25."""
        return self._arguments(text, BM25, filter), ()

    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> dict[str, Any]:
        """The arguments of a search with the plan's weighting."""
        return self._arguments(text, plan.weighting, filter)

    def run(self, query: Mapping[str, Any], k: int) -> list[Hit]:
        """Search."""
        return self._index.search(k=k, **query)

    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """What each term alone scores at q = 1."""
        position = self._index.position(doc_id)
        return {
            term: float(self._index.scores([term], 1.0, k1=self.k1, b=self.b)[position])
            for term in terms
        }

    def _arguments(self, text: str, weighting: Weighting, filter: Any | None) -> dict[str, Any]:
        return {
            "text": text,
            "weighting": weighting,
            "filter": filter,
            "k1": self.k1,
            "b": self.b,
        }
