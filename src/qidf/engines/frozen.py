"""The steps every adapter takes in the same order: analyze, count, weigh, ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

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
from qidf.weighting import Decision, Parts, Weighting, decide, wanted

if TYPE_CHECKING:
    from typing_extensions import Unpack

Self = TypeVar("Self", bound="FrozenEngine")


class FrozenEngine(ABC):
    """An `Engine` made of what only the adapter can know; nothing here writes to the index.

    To write an adapter, give the abstract methods; what the index counts, how it is analyzed, how
    a query is put and what one term scores in one document are all there is to an engine.
    """

    def __init__(self) -> None:
        """Nothing is asked until it is needed."""
        self._stats: EngineStats | None = None

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

    def decide(
        self, query: str | None = None, q: Q | None = None, **parts: Unpack[Parts]
    ) -> Decision:
        """What a query is weighed with, and why; the corpus is counted once, if it has a say."""
        return self._decide(wanted(q=q, **parts), query)

    def _decide(self, asked: Weighting, query: str | None) -> Decision:
        if asked.q == "auto" and self._stats is None:
            self._stats = self.corpus_stats()
        return decide(asked, self._stats, query=query)

    def search(
        self,
        text: str,
        k: int = 10,
        q: Q | None = None,
        filter: Any | None = None,
        **parts: Unpack[Parts],
    ) -> EngineResult:
        """The k best documents; q = 1, or bm25, is the engine's own ranking, untouched."""
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InvalidArgumentError(f"k must be a whole number of at least 1, not {k!r}")
        check_text(text)
        rewritten = self._rewrite(text, wanted(q=q, **parts), filter)
        hits = [] if rewritten.query is None else self.run(rewritten.query, k)
        return EngineResult(tuple(hits), rewritten.decision, rewritten.notes)

    def rewrite(self, text: str, q: Q | None = None, **parts: Unpack[Parts]) -> Rewritten:
        """The query in the engine's own form; None where no token of it can score."""
        check_text(text)
        return self._rewrite(text, wanted(q=q, **parts), None)

    def _rewrite(self, text: str, asked: Weighting, filter: Any | None) -> Rewritten:
        decision = self._decide(asked, text)
        tokens = self.analyze(text)
        if decision.weighting.is_bm25:
            if not tokens:
                return Rewritten(None, decision)
            query, notes = self.own_query(text, tokens, filter)
            return Rewritten(query, decision, notes)
        plan = self.plan(tokens, decision.weighting)
        query = self.boosted_query(text, plan, filter) if plan.boosts else None
        return Rewritten(query, decision, plan.notes)

    def plan(self, tokens: Sequence[str], weighting: Weighting) -> BoostPlan:
        """Weigh these tokens, in one round trip."""
        statistics = self.statistics(list(dict.fromkeys(tokens)))
        return plan_boosts(
            tokens,
            statistics,
            weighting,
            self.engine_idf,
            self.capabilities,
            count_factor=self.count_factor,
        )

    def explain(
        self, text: str, doc_id: DocId, q: Q | None = None, **parts: Unpack[Parts]
    ) -> EngineExplanation:
        """What each term adds to a document's score, weighed and by the engine's own BM25."""
        check_text(text)
        decision = self._decide(wanted(q=q, **parts), text)
        tokens = self.analyze(text)
        counts = {token: tokens.count(token) for token in dict.fromkeys(tokens)}
        scores = self.term_scores(text, list(counts), doc_id)
        statistics = self.statistics(list(counts))
        # By BM25 nothing is boosted; the table then shows the engine's own weights twice.
        plan = None if decision.weighting.is_bm25 else self.plan(tokens, decision.weighting)
        planned = {} if plan is None else {boost.term: boost for boost in plan.boosts}
        left_out = {} if plan is None else {x.term: x for x in (*plan.clamped, *plan.dropped)}
        terms = []
        for token, count in counts.items():
            doc_freq = statistics.doc_freqs.get(token, 0)
            own = self.engine_idf(doc_freq, statistics.num_docs) if doc_freq else 0.0
            own_factor, score = self.count_factor(count), scores.get(token, 0.0)
            factor, look, idf, weight = own_factor, 1.0, own, own_factor
            if plan is not None:
                boost = planned.get(token) or left_out.get(token)
                idf = 0.0 if boost is None else boost.idf
                factor = own_factor if boost is None else boost.factor
                look = 1.0 if boost is None else boost.evidence
                weight = planned[token].weight if token in planned else 0.0
            terms.append(
                TermContribution(
                    token,
                    count,
                    factor,
                    look,
                    doc_freq,
                    own,
                    idf,
                    weight,
                    weight * score,
                    own_factor * score,
                )
            )
        return EngineExplanation(
            doc_id,
            decision,
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
