"""What each token of a query adds to each document it is in, or to each group of documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qidf.index.groups import Groups
from qidf.index.ranker import Ranker
from qidf.index.scoring import Scoring, saturated
from qidf.index.segment import Segment
from qidf.records import dataclass
from qidf.weighting import Weighting, said_tokens


@dataclass(frozen=True, slots=True, eq=False)
class TokenScores:
    """A distinct token of a query, and what its `count` occurrences there add.

    `factor` is what its idf is multiplied by for being said so often, first at `first`, and
    `evidence` what the two are for its look. `docs` are positions of live
    documents in ascending order, or numbers of groups; `tfs` and `scores` go with them.
    """

    token: str
    count: int
    first: int
    factor: float
    evidence: float
    doc_freq: int
    idf: float
    docs: np.ndarray
    tfs: np.ndarray
    scores: np.ndarray

    def at(self, doc: int) -> tuple[int, float]:
        """How often the token is in one document, and what it adds to it."""
        place = int(np.searchsorted(self.docs, doc))
        if place == len(self.docs) or self.docs[place] != doc:
            return 0, 0.0
        return int(self.tfs[place]), float(self.scores[place])


def token_scores(
    ranker: Ranker, tokens: Sequence[str], weighting: Weighting, scoring: Scoring
) -> list[TokenScores]:
    """Score tokens one by one, in the order of their first occurrence."""
    distinct, counts, firsts = said_tokens(tokens)
    ids = [segment.terms.lookup(distinct) for segment in ranker.segments]
    found = [
        (token, count, first, *_postings(ranker, [int(each[row]) for each in ids]))
        for row, (token, count, first) in enumerate(
            zip(distinct, counts.tolist(), firsts.tolist(), strict=True)
        )
    ]
    lengths = np.concatenate([each.lengths for each in ranker.segments] or [np.empty(0)])
    totals = ranker.totals
    return _scored(found, lengths, totals.avg_doc_length, totals.num_docs, weighting, scoring)


def group_scores(
    scored: Sequence[TokenScores], groups: Groups, weighting: Weighting, scoring: Scoring
) -> list[TokenScores]:
    """The same tokens for groups, each scored as if its documents were one."""
    found = [(each.token, each.count, each.first, *_grouped(each, groups)) for each in scored]
    average, num_docs = groups.avg_length, groups.num_groups
    return _scored(found, groups.lengths, average, num_docs, weighting, scoring)


def summed(scored: Sequence[TokenScores], size: int) -> np.ndarray:
    """The scores of all documents, or of all groups."""
    total = np.zeros(size, np.float32)
    for token in scored:
        total[token.docs] += token.scores
    return total


def _scored(
    found: Sequence[tuple[str, int, int, np.ndarray, np.ndarray]],
    lengths: np.ndarray,
    average: float,
    num_docs: int,
    weighting: Weighting,
    scoring: Scoring,
) -> list[TokenScores]:
    """Scores of tokens given with their counts, where they are, and how often."""
    doc_freqs = np.array([len(docs) for *_, docs, _ in found], np.int64)
    names = [token for token, *_ in found]
    counts, firsts = (np.array([each[at] for each in found], np.int64) for at in (1, 2))
    idfs, factors = weighting.idfs(doc_freqs, num_docs), weighting.repeats(counts)
    looks = weighting.looks(names, counts, firsts, doc_freqs, num_docs)
    in_full = not weighting.is_distinct
    whole = weighting.of_tokens(names, counts, firsts, doc_freqs, num_docs)
    weights = weighting.single(idfs if in_full else whole)
    return [
        TokenScores(
            token,
            count,
            first,
            float(factor),
            float(look),
            len(docs),
            float(np.float32(idf)),
            docs,
            tfs,
            # Repeats that count in full are added one by one, others are in the weight.
            (count if in_full else 1) * saturated(weight, tfs, lengths[docs], scoring, average),
        )
        for (token, count, first, docs, tfs), factor, look, idf, weight in zip(
            found, factors, looks, idfs, weights, strict=True
        )
    ]


def _grouped(scored: TokenScores, groups: Groups) -> tuple[np.ndarray, np.ndarray]:
    """The groups of a token's documents, and how often it is in each."""
    numbers = groups.numbers[scored.docs]
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return numbers[firsts], np.add.reduceat(scored.tfs, firsts) if len(firsts) else scored.tfs


def _postings(ranker: Ranker, terms: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Where a term is, given by its number in each segment, and how often."""
    docs, tfs = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for segment, base, term in zip(ranker.segments, ranker.bases.tolist(), terms, strict=False):
        if term >= 0:
            found, often = _live_postings(segment, term)
            docs.append(found + base)
            tfs.append(often)
    return np.concatenate(docs), np.concatenate(tfs)


def _live_postings(segment: Segment, term: int) -> tuple[np.ndarray, np.ndarray]:
    segment.verify_postings(np.array([term]))
    where = slice(int(segment.starts[term]), int(segment.starts[term + 1]))
    docs, tfs = segment.docs[where].astype(np.int64), segment.tfs[where].astype(np.int64)
    if segment.deletions is None:
        return docs, tfs
    live = segment.deletions.deleted[docs] == 0
    return docs[live], tfs[live]
