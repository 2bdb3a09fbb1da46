"""Why a span has the score and the rank it has, against plain BM25 over spans."""

from __future__ import annotations

from dataclasses import dataclass

from qidf.index import Explanation, Index, TermExplanation
from qidf.index.documents import DocId
from qidf.index.explain import TERM_COLUMNS, align, describe_rank
from qidf.repository.ranking import FILE_SHARE, NEIGHBOUR_SHARE, Parts, SpanScores

_ROLES = {"test": "a test", "prose": "prose", "data": "data"}


@dataclass(frozen=True, slots=True)
class SpanTerm(TermExplanation):
    """A token of the question: what it adds by being in the span, its file, its neighbour.

    `contribution` is what the span's own occurrences add, and `bm25_contribution` that by BM25.
    """

    file_contribution: float
    neighbour_contribution: float


@dataclass(frozen=True, slots=True)
class SpanExplanation(Explanation):
    """A span's score with its parts; `neighbour` is the id of the span next to it that counts.

    `bm25_score` and `bm25_rank` are those of spans by their own words alone, by BM25.
    """

    terms: tuple[SpanTerm, ...]
    role: str
    parts: Parts
    neighbour: str | None

    def __str__(self) -> str:
        """Lay the table out for a terminal."""
        header = (*TERM_COLUMNS, "idf", "ratio", "span", "file", "neighbour", "(BM25)")
        rows = [
            (
                *term.cells,
                f"{term.idf:,.2f}",
                f"{term.ratio:,.3g}×",
                _number(term.contribution),
                _number(term.file_contribution),
                _number(term.neighbour_contribution),
                _number(term.bm25_contribution),
            )
            for term in sorted(self.terms, key=_adds, reverse=True)
        ]
        parts = self.parts
        made_of = f"{parts.span:,.3f} its own + {parts.file:,.3f} its file's"
        if self.neighbour is not None:
            made_of += f" + {parts.neighbour:,.3f} of {self.neighbour}"
        if parts.weight != 1:
            made_of += f", times {parts.weight:g} since it is {_ROLES[self.role]}, not code"
        summary = [
            f"{self.id}",
            f"  {describe_rank(self.rank)} with score {self.score:,.3f} by {self.weighting}",
            f"    {made_of}",
            f"  {describe_rank(self.bm25_rank)} with score {self.bm25_score:,.3f}"
            " by BM25 over its own words alone",
            f"  {self.reason}",
        ]
        return "\n".join([*summary, "", *align(header, rows)])


def explain_span(
    index: Index, identifier: str, scored: SpanScores, plain: SpanScores
) -> SpanExplanation:
    """Explain one span, given all spans' scores by the weighting in use and by BM25."""
    position = index.position(identifier)
    number, beside = int(scored.numbers[position]), int(scored.neighbours[position])
    terms = []
    for own, file, bm25 in zip(
        scored.span_tokens, scored.file_tokens, plain.span_tokens, strict=True
    ):
        tf, added = own.at(position)
        terms.append(
            SpanTerm(
                own.token,
                own.count,
                own.factor,
                own.doc_freq,
                tf,
                bm25.idf,
                own.idf,
                added,
                bm25.at(position)[1],
                FILE_SHARE * file.at(number)[1],
                NEIGHBOUR_SHARE * own.at(beside)[1] if beside >= 0 else 0.0,
            )
        )
    return SpanExplanation(
        identifier,
        scored.decision,
        scored.score(position),
        scored.rank(position),
        float(plain.spans[position]),
        plain.rank_alone(position),
        tuple(terms),
        scored.role(position).value,
        scored.parts(position),
        str(index.ids([beside])[0]) if beside >= 0 else None,
    )


def explain_whole(
    index: Index, identifier: DocId, scored: SpanScores, plain: SpanScores
) -> Explanation:
    """The same table as for any document: each token with all it adds, here and by BM25."""
    position = index.position(identifier)
    added, bm25_added = scored.added(position), plain.added(position)
    terms = tuple(
        TermExplanation(
            own.token,
            own.count,
            own.factor,
            own.doc_freq,
            own.at(position)[0],
            bm25.idf,
            own.idf,
            added[own.token],
            bm25_added[own.token],
        )
        for own, bm25 in zip(scored.span_tokens, plain.span_tokens, strict=True)
    )
    return Explanation(
        identifier,
        scored.decision,
        scored.score(position),
        scored.rank(position),
        plain.score(position),
        plain.rank(position),
        terms,
    )


def _adds(term: SpanTerm) -> float:
    return term.contribution + term.file_contribution + term.neighbour_contribution


def _number(value: float) -> str:
    return f"{value:,.3f}" if value else "-"
