"""What every engine offers, whatever holds the index: the records it returns and the protocol.

An engine is read-only: nothing here writes to the user's index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Protocol, runtime_checkable

from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.statistics import CorpusStats

Q = float | str

# A query that says a word twice: its weight doubles, grows but saturates, or stays.
DuplicateTerms = Literal["add up", "saturate", "count once"]
NoteKind = Literal["clamped", "dropped", "left alone", "estimated", "approximate"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can and can't do; the matrix in docs/engines.md is made of these.

    `exact_statistics`: num_docs and doc_freq are those the engine scores with.
    `max_clauses`: how many terms a query may have, None for any number.
    `counts_deleted`: deleted documents count in num_docs and doc_freq until they are merged away.
    """

    exact_statistics: bool
    enumerates_vocabulary: bool
    max_clauses: int | None
    takes_negative_weights: bool
    keeps_k1_plus_1: bool
    quantises_length: bool
    counts_deleted: bool
    duplicate_terms: DuplicateTerms
    float32_weights: bool


@dataclass(frozen=True, slots=True)
class Note:
    """Something a caller should know about how a query was answered, in one sentence."""

    kind: NoteKind
    message: str
    terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say the sentence."""
        return self.message


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How many documents there are and how many hold each term, as the engine scores with them.

    A term that is found nowhere has a doc_freq of 0. `requests` counts round trips to a server.
    """

    num_docs: int
    doc_freqs: Mapping[str, int]
    requests: int = 0


@dataclass(frozen=True, slots=True)
class EngineStats(CorpusStats):
    """Corpus statistics with what they cost: round trips, and documents or terms looked at.

    `sampled` is None when everything was counted; htok is then exact and `htok_ci95` None.
    """

    requests: int = 0
    sampled: int | None = None


@dataclass(frozen=True, slots=True)
class EngineResult(Sequence[Hit]):
    """The hits of one query, best first, the q they were scored with, and notes."""

    hits: tuple[Hit, ...]
    q: float
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        """How many there are."""
        return len(self.hits)

    def __getitem__(self, at: Any) -> Any:
        """A hit, or several."""
        return self.hits[at]

    def __iter__(self) -> Iterator[Hit]:
        """The hits, best first."""
        return iter(self.hits)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A query in the engine's own form, for the user's own client.

    `query` is what the client takes: a body, a query object, or SQL with its parameters.
    """

    query: Any
    q: float
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class TermContribution:
    """One distinct query term: its counts, its weight in the engine and at q, what it adds."""

    token: str
    count: int
    doc_freq: int
    engine_idf: float
    idf: float
    weight: float
    contribution: float
    engine_contribution: float


@dataclass(frozen=True, slots=True)
class EngineExplanation:
    """A document's score at q and by the engine's own BM25, term by term."""

    id: DocId
    q: float
    score: float
    engine_score: float
    terms: tuple[TermContribution, ...]
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        """Lay it out for a terminal."""
        from qidf.index.explain import align

        header = ("token", "df", "idf engine", "idf q", "weight", "contribution", "(engine)")
        rows = [
            (
                term.token if term.count == 1 else f"{term.token} ×{term.count}",
                f"{term.doc_freq:,}",
                f"{term.engine_idf:.3g}",
                f"{term.idf:,.3g}",
                f"{term.weight:,.3g}×",
                f"{term.contribution:,.3f}" if term.engine_contribution else "-",
                f"{term.engine_contribution:,.3f}" if term.engine_contribution else "-",
            )
            for term in sorted(self.terms, key=lambda term: -term.contribution)
        ]
        summary = [
            f"{self.id}",
            f"  score {self.score:,.3f} at q = {self.q:.3f}",
            f"  score {self.engine_score:,.3f} by the engine's own BM25",
        ]
        return "\n".join([*summary, "", *align(header, rows), *map(str, self.notes)])


@runtime_checkable
class Engine(Protocol):
    """An index someone already runs, searched with q-log and never written to."""

    @property
    def name(self) -> str:
        """The engine's name and, where known, version: for people."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    @property
    def q(self) -> float:
        """The q that "auto" stands for: predicted from the corpus once, then kept."""
        ...

    def analyze(self, text: str) -> list[str]:
        """The tokens that the index's own analysis makes of a text, in order."""
        ...

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Counts of these terms, in one round trip."""
        ...

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """The whole index's counts, exact where it can be enumerated and estimated elsewhere.

        `sample` asks for an estimate from that many documents or terms.
        """
        ...

    def search(
        self, text: str, k: int = 10, q: Q = "auto", filter: Any | None = None
    ) -> EngineResult:
        """The k best documents; q = 1 is the engine's own ranking, untouched.

        `filter` is whatever the engine filters with.
        """
        ...

    def rewrite(self, text: str, q: Q = "auto") -> Rewritten:
        """The same query in the engine's own form."""
        ...

    def explain(self, text: str, doc_id: DocId, q: Q = "auto") -> EngineExplanation:
        """What each term adds to a document's score."""
        ...

    def close(self) -> None:
        """Let go of what `connect` opened; what the caller passed in stays open."""
        ...

    def __enter__(self) -> Engine:
        """Use the engine in a with statement."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        ...
