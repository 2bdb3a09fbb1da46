"""What each token of a query adds to each document it is in, or to each group of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qidf.index.groups import Groups
from qidf.index.ranker import Ranker
from qidf.index.scoring import Scoring
from qidf.index.segment import Segment


@dataclass(frozen=True, slots=True, eq=False)
class TokenScores:
    """A distinct token of a query, and what its `count` occurrences there add.

    `docs` are positions of live documents in ascending order, or numbers of groups; `tfs` and
    `scores` go with them.
    """

    token: str
    count: int
    doc_freq: int
    weight: float
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
    ranker: Ranker, tokens: Sequence[str], scoring: Scoring, groups: Groups | None = None
) -> list[TokenScores]:
    """Score tokens one by one, in the order of their first occurrence."""
    counts = Counter(tokens)
    distinct = list(counts)
    ids = [segment.terms.lookup(distinct) for segment in ranker.segments]
    found = [
        _occurrences(ranker, [int(each[row]) for each in ids], groups)
        for row in range(len(distinct))
    ]
    doc_freqs = np.array([len(docs) for docs, _ in found], np.int64)
    num_docs = ranker.totals.num_docs if groups is None else groups.num_groups
    weights = scoring.weights(doc_freqs, num_docs)
    if groups is None:
        lengths = np.concatenate([each.lengths for each in ranker.segments] or [np.empty(0)])
        average = ranker.totals.avg_doc_length
    else:
        lengths, average = groups.lengths, groups.avg_length
    scored = []
    for token, weight, (docs, tfs) in zip(distinct, weights, found, strict=True):
        norms = scoring.k1 * ((1 - scoring.b) + scoring.b * lengths[docs] / average)
        once = (np.float64(weight) * (tfs / (norms + tfs))).astype(np.float32)
        count = counts[token]
        scored.append(TokenScores(token, count, len(docs), float(weight), docs, tfs, count * once))
    return scored


def summed(scored: Sequence[TokenScores], size: int) -> np.ndarray:
    """The scores of all documents, or of all groups."""
    total = np.zeros(size, np.float32)
    for token in scored:
        total[token.docs] += token.scores
    return total


def _occurrences(
    ranker: Ranker, terms: Sequence[int], groups: Groups | None
) -> tuple[np.ndarray, np.ndarray]:
    """Where a term is, given by its number in each segment, and how often."""
    docs, tfs = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for segment, base, term in zip(ranker.segments, ranker.bases.tolist(), terms, strict=False):
        if term < 0:
            continue
        found, often = _live_postings(segment, term)
        found = found + base
        if groups is not None and len(found):
            numbers = groups.numbers[found]
            firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
            found, often = numbers[firsts], np.add.reduceat(often, firsts)
        docs.append(found)
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
