"""The steps every adapter takes in the same order: analyze, count, weigh, ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

from qidf.engines.boosts import BoostPlan, plan_boosts
from qidf.engines.contract import (
    Capabilities,
    EngineExplanation,
    EngineResult,
    EngineStats,
    Note,
    Q,
    Rewritten,
    TermContribution,
    TermStatistics,
)
from qidf.errors import InvalidArgumentError
from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.weighting import PAPER, decide
from qidf.weights import QlogRsj, is_one

Self = TypeVar("Self", bound="FrozenEngine")


class FrozenEngine(ABC):
    """An `Engine` made of what only the adapter can know; nothing here writes to the index.

    To write an adapter, give the abstract methods; what the index counts, how it is analyzed, how
    a query is put and what one term scores in one document are all there is to an engine.
    """

    def __init__(self) -> None:
        """Nothing is asked until it is needed."""
        self._q: float | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """The engine's name and, where known, version."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What it can do."""

    @abstractmethod
    def analyze(self, text: str) -> list[str]:
        """The tokens that the index's own analysis makes of a text, in order."""

    @abstractmethod
    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Counts of these terms, in one round trip."""

    @abstractmethod
    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """The whole index's counts."""

    @abstractmethod
    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """The idf that the engine itself scores with."""

    @abstractmethod
    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[Any, tuple[Note, ...]]:
        """The engine's own BM25 query for a text, which has these tokens."""

    @abstractmethod
    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> Any:
        """The engine's query for a plan, made of this text, with at least one boost."""

    @abstractmethod
    def run(self, query: Any, k: int) -> list[Hit]:
        """Send a query that `own_query` or `boosted_query` made."""

    @abstractmethod
    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """What the engine's own BM25 gives each term of a text alone in one document, or 0.

        An id that the index doesn't hold raises UnknownIdError.
        """

    def count_factor(self, count: int) -> float:
        """What the engine makes of a term that a query says `count` times; most add it up."""
        return float(count)

    def close(self) -> None:
        """Let go of what `connect` opened; adapters that opened nothing need nothing."""
        return

    @property
    def q(self) -> float:
        """The q that "auto" stands for: predicted from the corpus once, then kept."""
        if self._q is None:
            self._q = float(decide(PAPER, self.corpus_stats()).weighting.q or 1.0)
        return self._q

    def resolve_q(self, q: Q) -> float:
        """The number a q stands for."""
        if q == "auto":
            return self.q
        if isinstance(q, str):
            raise InvalidArgumentError(f"q must be 'auto' or a number, not {q!r}")
        return QlogRsj(q).q

    def search(
        self, text: str, k: int = 10, q: Q = "auto", filter: Any | None = None
    ) -> EngineResult:
        """The k best documents; q = 1 is the engine's own ranking, untouched."""
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InvalidArgumentError(f"k must be a whole number of at least 1, not {k!r}")
        rewritten = self._rewrite(text, q, filter)
        hits = [] if rewritten.query is None else self.run(rewritten.query, k)
        return EngineResult(tuple(hits), rewritten.q, rewritten.notes)

    def rewrite(self, text: str, q: Q = "auto") -> Rewritten:
        """The query in the engine's own form; None where no token of it can score."""
        return self._rewrite(text, q, None)

    def _rewrite(self, text: str, q: Q, filter: Any | None) -> Rewritten:
        check_text(text)
        number = self.resolve_q(q)
        tokens = self.analyze(text)
        if is_one(number):
            if not tokens:
                return Rewritten(None, 1.0)
            query, notes = self.own_query(text, tokens, filter)
            return Rewritten(query, 1.0, notes)
        plan = self.plan(tokens, number)
        query = self.boosted_query(text, plan, filter) if plan.boosts else None
        return Rewritten(query, number, plan.notes)

    def plan(self, tokens: Sequence[str], q: float) -> BoostPlan:
        """Weigh these tokens at q, in one round trip."""
        statistics = self.statistics(list(dict.fromkeys(tokens)))
        return plan_boosts(
            tokens,
            statistics,
            q,
            self.engine_idf,
            self.capabilities,
            count_factor=self.count_factor,
        )

    def explain(self, text: str, doc_id: DocId, q: Q = "auto") -> EngineExplanation:
        """What each term adds to a document's score, at q and by the engine's own BM25."""
        check_text(text)
        number = self.resolve_q(q)
        tokens = self.analyze(text)
        counts = {token: tokens.count(token) for token in dict.fromkeys(tokens)}
        scores = self.term_scores(text, list(counts), doc_id)
        statistics = self.statistics(list(counts))
        # At q = 1 nothing is boosted; the table then shows the engine's own weights twice.
        plan = None if is_one(number) else self.plan(tokens, number)
        planned = {} if plan is None else {boost.term: boost for boost in plan.boosts}
        left_out = {} if plan is None else {x.term: x for x in (*plan.clamped, *plan.dropped)}
        terms = []
        for token, count in counts.items():
            doc_freq = statistics.doc_freqs.get(token, 0)
            own = self.engine_idf(doc_freq, statistics.num_docs) if doc_freq else 0.0
            factor, score = self.count_factor(count), scores.get(token, 0.0)
            idf, weight = own, factor
            if plan is not None:
                boost = planned.get(token) or left_out.get(token)
                idf = 0.0 if boost is None else boost.idf
                weight = planned[token].weight if token in planned else 0.0
            terms.append(
                TermContribution(
                    token, count, doc_freq, own, idf, weight, weight * score, factor * score
                )
            )
        return EngineExplanation(
            doc_id,
            number,
            sum(term.contribution for term in terms),
            sum(term.engine_contribution for term in terms),
            tuple(terms),
            () if plan is None else plan.notes,
        )

    def __enter__(self: Self) -> Self:
        """Use the engine in a with statement."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<{type(self).__name__} {self.name}>"


def check_text(text: str) -> None:
    """Refuse a query that is no string."""
    if not isinstance(text, str):
        raise InvalidArgumentError(f"a query can't be a {type(text).__name__}; use a string")
