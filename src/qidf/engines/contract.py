"""What every engine offers, whatever holds the index: the records it returns and the protocol.

An engine is read-only: nothing here writes to the user's index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.records import dataclass
from qidf.statistics import CorpusStats
from qidf.weighting import Decision, Parts

if TYPE_CHECKING:
    from typing_extensions import Unpack

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
    """The hits of one query, best first, what they were weighed with and why, and notes."""

    hits: tuple[Hit, ...]
    decision: Decision
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
    decision: Decision
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class TermContribution:
    """One distinct query term: its counts, its weight in the engine and here, what it adds.

    `factor` is what its idf is multiplied by for being said `count` times, `evidence` what the two
    are for its look.
    """

    token: str
    count: int
    factor: float
    evidence: float
    doc_freq: int
    engine_idf: float
    idf: float
    weight: float
    contribution: float
    engine_contribution: float


@dataclass(frozen=True, slots=True)
class EngineExplanation:
    """A document's score by the weighting and by the engine's own BM25, term by term."""

    id: DocId
    decision: Decision
    score: float
    engine_score: float
    terms: tuple[TermContribution, ...]
    notes: tuple[Note, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What a script needs, in JSON's types; see `Decision.to_dict` for the weighting."""
        fields = asdict(self)
        del fields["decision"]
        notes = [str(note) for note in self.notes]
        return {**fields, **self.decision.to_dict(), "notes": notes}

    def __str__(self) -> str:
        """Lay it out for a terminal."""
        from qidf.index.explain import align

        header = ("token", "said", "counts", "look", "df", "idf engine", "idf", "weight",
                  "contribution", "(engine)")  # fmt: skip
        rows = [
            (
                term.token,
                f"{term.count:,}",
                f"{term.factor:,.3g}",
                f"{term.evidence:,.3g}",
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
            f"  score {self.score:,.3f} by {self.decision.weighting}",
            f"  score {self.engine_score:,.3f} by the engine's own BM25",
            f"  {self.decision.reason}",
        ]
        return "\n".join([*summary, "", *align(header, rows), *map(str, self.notes)])


@runtime_checkable
class Engine(Protocol):
    """An index someone already runs, searched with a weighting and never written to."""

    @property
    def name(self) -> str:
        """The engine's name and, where known, version: for people."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    def decide(
        self, query: str | None = None, q: Q | None = None, **parts: Unpack[Parts]
    ) -> Decision:
        """What a query is weighed with, and why; the corpus is counted once, if it has a say."""
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
        self,
        text: str,
        k: int = 10,
        q: Q | None = None,
        filter: Any | None = None,
        **parts: Unpack[Parts],
    ) -> EngineResult:
        """The k best documents; q = 1, or bm25, is the engine's own ranking, untouched.

        The parts of a weighting are those of `Index.search`. `filter` is whatever the engine
        filters with.
        """
        ...

    def rewrite(self, text: str, q: Q | None = None, **parts: Unpack[Parts]) -> Rewritten:
        """The same query in the engine's own form."""
        ...

    def explain(
        self, text: str, doc_id: DocId, q: Q | None = None, **parts: Unpack[Parts]
    ) -> EngineExplanation:
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
