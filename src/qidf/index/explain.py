"""Why a document has the score and the rank it has, against plain BM25.

The table is that of the paper's case study (fig. case-study) with the query's side added: token,
how often it is said and what that counts, document frequency, BM25 idf, idf in use, and what the
token adds to this document's score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from qidf.index.documents import DocId
from qidf.index.ranker import Ranker
from qidf.index.scoring import Scoring
from qidf.index.segment import Segment
from qidf.records import dataclass
from qidf.weighting import BM25, Decision, Weighting, said_tokens


@dataclass(frozen=True, slots=True)
class TermExplanation:
    """One distinct token of the query, in the order of its first occurrence.

    `factor` is what its idf is multiplied by for being said `count` times, `evidence` what the two
    are for its look (1 where that doesn't count).
    """

    token: str
    count: int
    factor: float
    evidence: float
    doc_freq: int
    tf: int
    bm25_idf: float
    idf: float
    contribution: float
    bm25_contribution: float

    @property
    def ratio(self) -> float:
        """How many times BM25's weight the token has; 0 for a token found nowhere."""
        weight = self.factor * self.evidence * self.idf
        return weight / (self.count * self.bm25_idf) if self.bm25_idf else 0.0

    @property
    def cells(self) -> tuple[str, ...]:
        """What every table shows of a token: how often said and counted, its look, df and tf."""
        return (
            self.token,
            f"{self.count:,}",
            f"{self.factor:,.3g}",
            f"{self.evidence:,.3g}",
            f"{self.doc_freq:,}",
            f"{self.tf:,}" if self.tf else "-",
        )


@dataclass(frozen=True, slots=True)
class Explanation:
    """A document's score and rank by the weighting in use and by BM25; a rank of None is no hit."""

    id: DocId
    decision: Decision
    score: float
    rank: int | None
    bm25_score: float
    bm25_rank: int | None
    terms: tuple[TermExplanation, ...]

    @property
    def weighting(self) -> Weighting:
        """What the query was weighed with."""
        return self.decision.weighting

    @property
    def reason(self) -> str:
        """Why it was."""
        return self.decision.reason

    def to_dict(self) -> dict[str, Any]:
        """What a script needs, in JSON's types; see `Decision.to_dict` for the weighting."""
        fields = asdict(self)
        del fields["decision"]
        terms = [{**asdict(term), "ratio": term.ratio} for term in self.terms]
        return {**fields, **self.decision.to_dict(), "terms": terms}

    def __str__(self) -> str:
        """Lay the table out for a terminal."""
        header = (*TERM_COLUMNS, "idf BM25", "idf", "ratio", "contribution", "(BM25)")
        rows = [
            (
                *term.cells,
                f"{term.bm25_idf:.2f}",
                f"{term.idf:,.2f}",
                f"{term.ratio:,.3g}×",
                f"{term.contribution:,.3f}" if term.tf else "-",
                f"{term.bm25_contribution:,.3f}" if term.tf else "-",
            )
            for term in sorted(self.terms, key=lambda term: -term.contribution)
        ]
        summary = [
            f"{self.id}",
            f"  {describe_rank(self.rank)} with score {self.score:,.3f} by {self.weighting}",
            f"  {describe_rank(self.bm25_rank)} with score {self.bm25_score:,.3f} by BM25",
            f"  {self.reason}",
        ]
        return "\n".join([*summary, "", *align(header, rows)])


# The head of `TermExplanation.cells`.
TERM_COLUMNS = ("token", "said", "counts", "look", "df", "tf")


def align(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: first column flush left, the others flush right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (header, *rows)
    ]


def describe_rank(rank: int | None) -> str:
    """A rank in words."""
    return "no hit" if rank is None else f"rank {rank}"


def explain(
    ranker: Ranker,
    tokens: Sequence[str],
    position: int,
    id: DocId,
    decision: Decision,
    scoring: Scoring,
) -> Explanation:
    """Explain one document, given by its position over all segments."""
    weighting = decision.weighting
    distinct, counts, firsts = said_tokens(tokens)
    number = int(np.searchsorted(ranker.bases, position, side="right")) - 1
    segment, doc = ranker.segments[number], position - int(ranker.bases[number])
    added = contributions(ranker, tokens, weighting, number, doc, scoring)
    bm25_added = contributions(ranker, tokens, BM25, number, doc, scoring)
    ids = [each.terms.lookup(distinct) for each in ranker.segments]
    doc_freqs = ranker.doc_freqs(ids, len(distinct))
    num_docs = ranker.totals.num_docs
    idfs, bm25_idfs = (
        each.single(ranker.idfs(doc_freqs, each)).tolist() for each in (weighting, BM25)
    )
    factors = weighting.repeats(counts)
    looks = weighting.looks(distinct, counts, firsts, doc_freqs, num_docs)
    terms = tuple(
        TermExplanation(
            token,
            int(counts[row]),
            float(factors[row]),
            float(looks[row]),
            int(doc_freqs[row]),
            term_frequency(segment, int(ids[number][row]), doc),
            bm25_idfs[row],
            idfs[row],
            added[token],
            bm25_added[token],
        )
        for row, token in enumerate(distinct)
    )
    score, rank = _standing(ranker, tokens, position, weighting, scoring)
    bm25_score, bm25_rank = _standing(ranker, tokens, position, BM25, scoring)
    return Explanation(id, decision, score, rank, bm25_score, bm25_rank, terms)


def contributions(
    ranker: Ranker,
    tokens: Sequence[str],
    weighting: Weighting,
    number: int,
    doc: int,
    scoring: Scoring,
) -> dict[str, float]:
    """What each distinct token adds to the score of a document of a segment, by number."""
    kept, ids, weights = ranker.resolve(tokens, weighting)
    segment, added = ranker.segments[number], dict.fromkeys(tokens, 0.0)
    length = int(segment.lengths[doc])
    for token, term, weight in zip(kept, ids[number].tolist(), weights, strict=True):
        tf = term_frequency(segment, term, doc)
        added[token] += contribution(tf, length, weight, scoring, ranker)
    return added


def term_frequency(segment: Segment, term: int, doc: int) -> int:
    """How often a term occurs in a document."""
    if term < 0:
        return 0
    segment.verify_postings(np.array([term]))
    start, stop = int(segment.starts[term]), int(segment.starts[term + 1])
    at = start + int(np.searchsorted(segment.docs[start:stop], doc))
    return int(segment.tfs[at]) if at < stop and segment.docs[at] == doc else 0


def contribution(
    tf: int, length: int, weight: np.float32, scoring: Scoring, ranker: Ranker
) -> float:
    """What a token of this weight adds to a document's score."""
    if tf == 0:
        return 0.0
    b = scoring.b
    norm = scoring.k1 * ((1 - b) + b * length / ranker.totals.avg_doc_length)
    return float(np.float32(np.float64(weight) * (tf / (norm + tf))))


def _standing(
    ranker: Ranker, tokens: Sequence[str], position: int, weighting: Weighting, scoring: Scoring
) -> tuple[float, int | None]:
    """A document's score, and its rank among live documents with a score above zero."""
    scores = ranker.scores(tokens, weighting, scoring)
    score = scores[position]
    if score <= 0:
        return float(score), None
    ahead = (scores > score) | ((scores == score) & (np.arange(len(scores)) < position))
    for base, segment in zip(ranker.bases.tolist(), ranker.segments, strict=False):
        if segment.deletions is not None:
            ahead[base : base + segment.size] &= segment.deletions.deleted == 0
    return float(score), int(ahead.sum()) + 1
