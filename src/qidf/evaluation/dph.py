"""DPH, the parameter-free baseline of the divergence-from-randomness family.

Terrier's formula: with f = tf / dl, a document's score is the sum over the query's tokens of

    (1 - f)^2 / (tf + 1) * [tf * log2(tf * avgdl / dl * N / F) + 0.5 * log2(2 pi tf (1 - f))]

where F is the term's frequency in the whole collection. A document of one repeated word has f = 1,
where the formula ends; f is 0.99999 there. Contributions may be negative, and they are kept: every
document with a query term is ranked. Xapian's DPHWeight clamps them to zero.
"""

from __future__ import annotations

import numpy as np

from qidf.analysis import TermTable, analyze_batch
from qidf.evaluation.collection import Collection
from qidf.evaluation.runs import Run, from_ranking
from qidf.index.results import Ranking
from qidf.index.segment import Segment

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


def rank_dph(collection: Collection, depth: int, *, tag: str = "dph") -> Run:
    """Rank the collection's queries by DPH, exhaustively."""
    from qidf.kernels.impacts import rank_by_impact

    segment = collection.segment
    names = TermTable.empty()
    texts = list(collection.dataset.queries.texts)
    stream = analyze_batch(collection.index.analyzer, texts, names)
    terms = segment.terms.lookup_table(names)
    more = min(depth + bool(collection.num_hidden), segment.size)
    positions = np.full((len(texts), more), -1, np.int64)
    scores = np.zeros((len(texts), more), np.float32)
    rank_by_impact(
        terms[stream.term_ids],
        stream.doc_offsets,
        segment.starts,
        segment.docs,
        dph_impacts(segment),
        segment.size,
        positions,
        scores,
    )
    return from_ranking(collection, Ranking(positions, scores), depth, tag)
