"""Why a document has the score and the rank it has, against plain BM25.

The table is that of the paper's case study (fig. case-study): token, document frequency, BM25 idf,
idf in use, their ratio, and what the token adds to this document's score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qidf.index.documents import DocId
from qidf.index.ranker import Ranker
from qidf.index.scoring import Scoring
from qidf.index.segment import Segment


@dataclass(frozen=True, slots=True)
class TermExplanation:
    """One distinct token of the query, in the order of its first occurrence."""

    token: str
    count: int
    doc_freq: int
    tf: int
    bm25_idf: float
    idf: float
    contribution: float
    bm25_contribution: float

    @property
    def ratio(self) -> float:
        """How many times BM25's weight the token has; 0 for a token found nowhere."""
        return self.idf / self.bm25_idf if self.bm25_idf else 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """A document's score and rank at the q in use and at q = 1; a rank of None is no hit."""

    id: DocId
    q: float | None
    score: float
    rank: int | None
    bm25_score: float
    bm25_rank: int | None
    terms: tuple[TermExplanation, ...]

    def __str__(self) -> str:
        """Lay the table out for a terminal."""
        header = ("token", "df", "tf", "idf BM25", "idf q", "ratio", "contribution", "(BM25)")
        rows = [
            (
                term.token if term.count == 1 else f"{term.token} ×{term.count}",
                f"{term.doc_freq:,}",
                f"{term.tf:,}" if term.tf else "-",
                f"{term.bm25_idf:.2f}",
                f"{term.idf:,.2f}",
                f"{term.ratio:,.3g}×",
                f"{term.contribution:,.3f}" if term.tf else "-",
                f"{term.bm25_contribution:,.3f}" if term.tf else "-",
            )
            for term in sorted(self.terms, key=lambda term: -term.contribution)
        ]
        q = "the given idf" if self.q is None else f"q = {self.q:.3f}"
        summary = [
            f"{self.id}",
            f"  {describe_rank(self.rank)} with score {self.score:,.3f} at {q}",
            f"  {describe_rank(self.bm25_rank)} with score {self.bm25_score:,.3f} at q = 1 (BM25)",
        ]
        return "\n".join([*summary, "", *align(header, rows)])


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
    q: float | None,
    scoring: Scoring,
) -> Explanation:
    """Explain one document, given by its position over all segments."""
    baseline = Scoring.at(1.0, scoring.k1, scoring.b)
    counts = Counter(tokens)
    distinct = list(counts)
    number = int(np.searchsorted(ranker.bases, position, side="right")) - 1
    segment, doc = ranker.segments[number], position - int(ranker.bases[number])
    ids, weights = ranker.resolve(distinct, scoring)
    _, bm25_weights = ranker.resolve(distinct, baseline)
    doc_freqs = ranker.doc_freqs(ids, len(distinct))
    terms = []
    for row, token in enumerate(distinct):
        tf = term_frequency(segment, int(ids[number][row]), doc)
        length = int(segment.lengths[doc])
        terms.append(
            TermExplanation(
                token,
                counts[token],
                int(doc_freqs[row]),
                tf,
                float(bm25_weights[row]),
                float(weights[row]),
                counts[token] * contribution(tf, length, weights[row], scoring, ranker),
                counts[token] * contribution(tf, length, bm25_weights[row], baseline, ranker),
            )
        )
    score, rank = _standing(ranker, tokens, position, scoring)
    bm25_score, bm25_rank = _standing(ranker, tokens, position, baseline)
    return Explanation(id, q, score, rank, bm25_score, bm25_rank, tuple(terms))


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
    """What one occurrence of a query token adds to a document's score."""
    if tf == 0:
        return 0.0
    b = scoring.b
    norm = scoring.k1 * ((1 - b) + b * length / ranker.totals.avg_doc_length)
    return float(np.float32(np.float64(weight) * (tf / (norm + tf))))


def _standing(
    ranker: Ranker, tokens: Sequence[str], position: int, scoring: Scoring
) -> tuple[float, int | None]:
    """A document's score, and its rank among live documents with a score above zero."""
    scores = ranker.scores(tokens, scoring)
    score = scores[position]
    if score <= 0:
        return float(score), None
    ahead = (scores > score) | ((scores == score) & (np.arange(len(scores)) < position))
    for base, segment in zip(ranker.bases.tolist(), ranker.segments, strict=False):
        if segment.deletions is not None:
            ahead[base : base + segment.size] &= segment.deletions.deleted == 0
    return float(score), int(ahead.sum()) + 1
