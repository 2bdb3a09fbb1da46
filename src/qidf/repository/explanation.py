"""Why a span has the score and the rank it has, against plain BM25 over spans."""

from __future__ import annotations

from collections.abc import Sequence

from qidf.index import Explanation, Index, TermExplanation, TokenScores, summed
from qidf.index.documents import DocId
from qidf.index.explain import TERM_COLUMNS, align, describe_rank
from qidf.records import dataclass
from qidf.repository.ranking import FILE_SHARE, NEIGHBOUR_SHARE, Parts, SpanScores

_ROLES = {
    "test": "a test",
    "example": "an example",
    "build": "a part of the build",
    "prose": "prose",
    "data": "data",
}


@dataclass(frozen=True, slots=True)
class SpanTerm(TermExplanation):
    """A token of the question: what it adds by being in the span, its file, its neighbour.

    `contribution` is what the span's own occurrences add, and `bm25_contribution` that by BM25;
    `word` is how the question spells the token.
    """

    file_contribution: float
    neighbour_contribution: float
    word: str


@dataclass(frozen=True, slots=True)
class SpanExplanation(Explanation):
    """A span's score with its parts; `neighbour` is the id of the span next to it that counts.

    `bm25_score` and `bm25_rank` are those of spans by their own words alone, by BM25.
    """

    terms: tuple[SpanTerm, ...]
    question: dict[str, object]
    role: str
    parts: Parts
    neighbour: str | None

    def __str__(self) -> str:
        """Lay the table out for a terminal."""
        header = (*TERM_COLUMNS, "idf", "ratio", "span", "file", "neighbour", "(BM25)")
        rows = [
            (
                term.word,
                *term.cells[1:],
                f"{term.idf:,.2f}",
                f"{term.ratio:,.3g}×",
                _number(term.contribution),
                _number(term.file_contribution),
                _number(term.neighbour_contribution),
                _number(term.bm25_contribution),
            )
            for term in sorted(self.terms, key=_adds, reverse=True)
        ]
        summary = [
            f"{self.id}",
            f"  {describe_rank(self.rank)} with score {self.score:,.3f} by {self.weighting}",
            f"    {self._made_of()}",
            f"  {describe_rank(self.bm25_rank)} with score {self.bm25_score:,.3f}"
            " by BM25 over its own words alone",
            f"  {self.reason}",
            f"  the question is {self.question['kind']}",
        ]
        for name in ("title", "names", "phrases", "paths", "frames"):
            if told := self.question[name]:
                shown = told if isinstance(told, str) else ", ".join(map(_shown, _listed(told)))
                summary.append(f"    {name}: {shown}")
        return "\n".join([*summary, "", *align(header, rows)])

    def _made_of(self) -> str:
        parts = self.parts
        made_of = f"{parts.span:,.3f} its own + {parts.file:,.3f} its file's"
        if self.neighbour is not None:
            made_of += f" + {parts.neighbour:,.3f} of {self.neighbour}"
        if parts.path:
            made_of += f" + {parts.path:,.3f} for its path"
        if parts.weight != 1:
            made_of += f", times {parts.weight:g} since it is {_ROLES[self.role]}, not code"
        if parts.name:
            made_of += f" + {parts.name:,.3f} for its name"
        if parts.phrase:
            made_of += f" + {parts.phrase:,.3f} for words that stand together"
        if parts.repeat != 1:
            made_of += f", times {parts.repeat:.3g} since better spans are in its file"
        return made_of


def explain_span(
    index: Index, identifier: str, scored: SpanScores, plain: Sequence[TokenScores]
) -> SpanExplanation:
    """Explain one span, given all spans' scores and what tokens add in plain BM25."""
    position = index.position(identifier)
    number, beside = int(scored.table.groups.numbers[position]), int(scored.neighbours[position])
    terms, words = [], scored.question.spelled(index.analyzer)
    for own, file, bm25 in zip(scored.span_tokens, scored.file_tokens, plain, strict=True):
        tf, added = own.at(position)
        terms.append(
            SpanTerm(
                own.token,
                bm25.count,
                own.factor,
                own.evidence,
                own.doc_freq,
                tf,
                bm25.idf,
                own.idf,
                added,
                bm25.at(position)[1],
                FILE_SHARE * file.at(number)[1],
                NEIGHBOUR_SHARE * own.at(beside)[1] if beside >= 0 else 0.0,
                words.get(own.token, own.token),
            )
        )
    rank, parts = _placed(scored, position)
    return SpanExplanation(
        identifier,
        scored.decision,
        parts.score,
        rank,
        *_placed_alone(plain, position, len(scored.words)),
        tuple(terms),
        scored.question.to_dict(),
        scored.role(position).value,
        parts,
        str(index.ids([beside])[0]) if beside >= 0 else None,
    )


def explain_whole(
    index: Index, identifier: DocId, scored: SpanScores, plain: Sequence[TokenScores]
) -> Explanation:
    """The same table as for any document: each token and each part with all that it adds."""
    position = index.position(identifier)
    rank, parts = _placed(scored, position)
    added = scored.added(position)
    by_token = {each.token: each for each in plain}
    own = {each.token: each for each in scored.span_tokens}
    terms = tuple(
        TermExplanation(
            token,
            by_token[token].count if token in by_token else 1,
            own[token].factor if token in own else 1.0,
            own[token].evidence if token in own else 1.0,
            own[token].doc_freq if token in own else 0,
            own[token].at(position)[0] if token in own else 0,
            by_token[token].idf if token in by_token else 0.0,
            own[token].idf if token in own else 0.0,
            value * parts.repeat,
            by_token[token].at(position)[1] if token in by_token else 0.0,
        )
        for token, value in added.items()
    )
    alone = _placed_alone(plain, position, len(scored.words))
    return Explanation(identifier, scored.decision, parts.score, rank, *alone, terms)


def _placed(scored: SpanScores, position: int) -> tuple[int | None, Parts]:
    rank, repeat = scored.place(position) or (None, 1.0)
    return rank, scored.parts(position, repeat)


def _placed_alone(
    plain: Sequence[TokenScores], position: int, size: int
) -> tuple[float, int | None]:
    """The score and the rank of a span by its own words, said as often as they are."""
    spans = summed(plain, size)
    score = spans[position]
    if score <= 0:
        return float(score), None
    ahead = (spans > score).sum() + (spans[:position] == score).sum()
    return float(score), int(ahead) + 1


def _adds(term: SpanTerm) -> float:
    return term.contribution + term.file_contribution + term.neighbour_contribution


def _number(value: float) -> str:
    return f"{value:,.3f}" if value else "-"


def _listed(told: object) -> Sequence[object]:
    return told if isinstance(told, list) else [told]


def _shown(told: object) -> str:
    """A part of a question in one line."""
    return " ".join(str(told).split())
