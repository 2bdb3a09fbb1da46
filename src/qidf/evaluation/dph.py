"""DPH, the parameter-free baseline of the divergence-from-randomness family.

Terrier's formula: with f = tf / dl, a document's score is the sum over the query's tokens of

    (1 - f)^2 / (tf + 1) * [tf * log2(tf * avgdl / dl * N / F) + 0.5 * log2(2 pi tf (1 - f))]

where F is the term's frequency in the whole collection. A document of one repeated word has f = 1,
where the formula ends; f is 0.99999 there. Contributions may be negative, and they are kept: every
document with a query term is ranked. Xapian's DPHWeight clamps them to zero.
"""

from __future__ import annotations

import numpy as np

from qidf.analysis import look_up
from qidf.evaluation.collection import Collection
from qidf.evaluation.runs import Run, from_ranking
from qidf.index.results import Ranking
from qidf.index.segment import Segment
from qidf.native import impacts as native

FULL_SHARE = 0.99999


def dph_weights(
    tfs: np.ndarray,
    lengths: np.ndarray,
    collection_freqs: np.ndarray,
    avg_doc_length: float,
    num_docs: int,
) -> np.ndarray:
    """What each occurrence of a query token adds to the documents that have it tf times."""
    tf = tfs.astype(np.float64)
    share = np.where(tfs < lengths, tf / lengths, FULL_SHARE)
    expected = tf * avg_doc_length / lengths * (num_docs / collection_freqs)
    information = tf * np.log2(expected) + 0.5 * np.log2(2 * np.pi * tf * (1 - share))
    weights: np.ndarray = (1 - share) ** 2 / (tf + 1) * information
    return weights


def dph_impacts(segment: Segment) -> np.ndarray:
    """What every posting of a segment adds."""
    if not len(segment.docs):
        return np.empty(0)
    frequencies = np.repeat(segment.collection_freqs, np.diff(segment.starts))
    average = segment.num_tokens / segment.size
    return dph_weights(
        segment.tfs, segment.lengths[segment.docs], frequencies, average, segment.size
    )


def rank_by_impact(
    segment: Segment, impacts: np.ndarray, terms: np.ndarray, offsets: np.ndarray, depth: int
) -> Ranking:
    """The best documents of queries, given by their terms, by what each posting adds."""
    segment.verify_postings()
    num_queries = len(offsets) - 1
    ranking = Ranking(
        np.full((num_queries, depth), -1, np.int64), np.zeros((num_queries, depth), np.float32)
    )
    native.rank_by_impact(
        terms,
        offsets,
        num_queries,
        segment.starts,
        segment.docs,
        impacts,
        np.zeros(segment.size),
        np.zeros(segment.size, np.uint8),
        np.empty(segment.size + 1, np.uint32),
        depth,
        ranking.positions,
        ranking.scores,
    )
    return ranking


def rank_dph(collection: Collection, depth: int, *, tag: str = "dph") -> Run:
    """Rank the collection's queries by DPH, exhaustively."""
    segment = collection.segment
    texts = list(collection.dataset.queries.texts)
    offsets, (terms,) = look_up(collection.index.analyzer, texts, [segment.terms])
    more = min(depth + bool(collection.num_hidden), segment.size)
    ranking = rank_by_impact(segment, dph_impacts(segment), terms, offsets, more)
    return from_ranking(collection, ranking, depth, tag)
