"""Term counts read back from bm25s scores, which hold no counts but determine them.

bm25s stores idf(t) times a function of x = tf / norm(d), where norm(d) = 1 - b + b |d| / avgdl.
The idf is known and the function invertible, so x is known. Within one document the x are in the
proportion of whole numbers; their sum is |d| / norm(d); and one avgdl fits all documents. That
fixes every tf, and with it the collection frequencies and htok that the index doesn't store.
An index that was rescaled and forgot it breaks the proportions, so it can be told apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidf.engines.bm25s_index.baked import baked_idf
from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.engines.bm25s_index.original import original_of
from qidf.errors import InvalidArgumentError, UnsupportedError
from qidf.statistics import CorpusStats

# Documents looked at to tell whether scores are plain: each is a test of its own, so that a
# thousand leave no doubt, and the rest of the work is one gather over the postings.
SAMPLED_DOCS = 1_000
# What x is good for, relatively, when scores are float32 and terms occur a few times.
SCORE_PRECISION = 1e-6
# How far a multiple may be from a whole number, relatively: saturation costs two digits more.
WHOLE_TOLERANCE = 1e-4
LARGEST_TESTED_PROPORTION = 100.0
# A document of several terms whose rarest one occurs more often than this is left to the others.
LARGEST_RAREST = 12
# How far a count may be from a whole number, times the count for saturation.
COUNT_TOLERANCE = 1e-3
# Beyond this relative uncertainty a count is not solved for.
COARSEST_COUNT = 0.1
# Each document suggests an average length, rightly if m = 1 there; the middle one first.
AVERAGE_RANKS = (0.5, 0.25, 0.75, 0.1, 0.9, 0.0, 1.0)
# The average length found must be that of the counts found; a wrong reading misses by far more.
LENGTH_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class DocumentSums:
    """The lowest x of each document, the sum of its x, and the sum of their squares."""

    lowest: NDArray[np.float64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def zero(cls, num_docs: int) -> DocumentSums:
        """Start from nothing."""
        return cls(np.full(num_docs, np.inf), np.zeros(num_docs), np.zeros(num_docs))

    def add(self, rows: NDArray[np.integer[Any]], x: NDArray[np.float64]) -> None:
        """Take in the x of some postings."""
        # Scores that nobody could have computed may add up to no number, which fits no length.
        with np.errstate(over="ignore"):
            np.minimum.at(self.lowest, rows, x)
            np.add.at(self.total, rows, x)
            np.add.at(self.squares, rows, x * x)


def corpus_stats(
    retriever: Retriever, corpus_tokens: Iterable[Iterable[Hashable]] | None = None
) -> CorpusStats:
    """Return the statistics of the corpus behind an index, from its tokens or from its scores.

    `corpus_tokens` is whatever the index was built from: token lists, id lists, or what
    `bm25s.tokenize` returned. Without it the counts are read back from the scores, rescaled or
    not (a term's count within one document is approximate above a few thousand); scores that don't
    determine them are refused.
    """
    matrix = ScoreMatrix.of(retriever)
    doc_freqs = matrix.doc_freqs
    if corpus_tokens is None:
        return CorpusStats.from_frequencies(
            matrix.num_docs, doc_freqs, _collection_freqs(retriever, matrix)
        )
    stats = CorpusStats.from_tokens(_token_lists(corpus_tokens))
    vocab_size = int(np.count_nonzero(doc_freqs))
    if (stats.num_docs, stats.vocab_size) != (matrix.num_docs, vocab_size):
        raise InvalidArgumentError(
            f"corpus_tokens has {stats.num_docs} documents and {stats.vocab_size} terms but the"
            f" index has {matrix.num_docs} and {vocab_size}; pass the tokens it was built from."
        )
    return stats


def check_plain(retriever: Retriever, matrix: ScoreMatrix) -> None:
    """Refuse scores that aren't bm25s's own, as after a rescale whose record was lost."""
    if not _invertible(retriever, matrix):
        return
    step = max(1, matrix.num_docs // SAMPLED_DOCS)
    chosen = np.zeros(matrix.num_docs, dtype=np.bool_)
    chosen[::step] = True
    idf = baked_idf(retriever, matrix)
    docs, values = [], []
    for block in matrix.blocks():
        rows = np.asarray(matrix.indices[block.postings])
        keep = chosen[rows]
        idf_here = block.spread(idf)[keep]
        # A zero idf leaves no trace of the counts.
        told = idf_here > 0
        docs.append(rows[keep][told])
        scores = np.asarray(matrix.data[block.postings], dtype=np.float64)[keep][told]
        values.append(_x(retriever, scores / idf_here[told]))
    if not docs:
        return
    doc, x = np.concatenate(docs), np.concatenate(values)
    if bool(np.any(~(x > 0) | ~np.isfinite(x))):
        raise _not_plain(retriever)
    lowest = np.full(matrix.num_docs, np.inf)
    np.minimum.at(lowest, doc, x)
    proportion = x / lowest[doc]
    tested = (proportion > 1 + WHOLE_TOLERANCE) & (proportion < LARGEST_TESTED_PROPORTION)
    doc, proportion = doc[tested], proportion[tested]
    broken = np.zeros(matrix.num_docs, dtype=np.bool_)
    broken[doc] = True
    # The lowest x is that of a term that occurs once, or twice ...: one multiple must fit all.
    for rarest in range(1, LARGEST_RAREST + 1):
        multiple = rarest * proportion
        odd = np.abs(multiple - np.rint(multiple)) > WHOLE_TOLERANCE * multiple
        fits = broken.copy()
        fits[doc[odd]] = False
        broken &= ~fits
    if 2 * np.count_nonzero(broken) > np.unique(doc).size:
        raise _not_plain(retriever)


def _collection_freqs(retriever: Retriever, matrix: ScoreMatrix) -> NDArray[np.int64]:
    original = original_of(retriever)
    if original is not None:
        matrix = ScoreMatrix(original.data, matrix.indices, matrix.indptr, matrix.num_docs)
    idf = baked_idf(retriever, matrix)
    b = float(retriever.b)
    if not _invertible(retriever, matrix) or not 0 <= b < 1 or bool(np.any(idf <= 0)):
        raise _undetermined()
    sums = DocumentSums.zero(matrix.num_docs)
    for block in matrix.blocks():
        x = _block_x(retriever, matrix, idf, block)
        if bool(np.any(~(x > 0) | ~np.isfinite(x))):
            raise _not_plain(retriever)
        sums.add(np.asarray(matrix.indices[block.postings]), x)
    norms = _norms(sums, b, float(retriever.k1), matrix.num_docs)
    counts = np.zeros(idf.size)
    off = 0
    for block in matrix.blocks():
        rows = np.asarray(matrix.indices[block.postings])
        tf = _block_x(retriever, matrix, idf, block) * norms[rows]
        whole = np.maximum(np.rint(tf), 1.0)
        off += int(np.count_nonzero(np.abs(tf - whole) > COUNT_TOLERANCE * whole * whole))
        column = np.repeat(np.arange(len(block.lengths)), block.lengths)
        counts[block.columns] = np.bincount(column, whole, minlength=len(block.lengths))
    if off:
        raise _undetermined()
    return counts.astype(np.int64)


def _norms(sums: DocumentSums, b: float, k1: float, num_docs: int) -> NDArray[np.float64]:
    """Return norm(d) = m / lowest x for each document, m being the count of its rarest term."""
    norms = np.ones(num_docs)
    held = sums.total > 0
    if b == 0 or not bool(held.any()):
        return norms
    low, total = sums.lowest[held], sums.total[held]
    with np.errstate(divide="ignore", invalid="ignore"):
        # In most documents m = 1, so that |d| is the total over the lowest.
        averages = np.sort(b * total / low / (1 / low - (1 - b)))
    averages = averages[np.isfinite(averages)]
    error = SCORE_PRECISION * (total + sums.squares[held] / k1)
    for rank in AVERAGE_RANKS if averages.size else ():
        average = float(averages[round(rank * (averages.size - 1))])
        rarest = _rarest_counts(low, total, error, b, average)
        if rarest is None:
            continue
        length = float((rarest * total / low).sum()) / num_docs
        if abs(length - average) <= LENGTH_TOLERANCE * average:
            norms[held] = rarest / low
            return norms
    raise _undetermined()


def _rarest_counts(
    low: NDArray[np.float64],
    total: NDArray[np.float64],
    error: NDArray[np.float64],
    b: float,
    average: float,
) -> NDArray[np.float64] | None:
    """Return m for each document, None if this average length doesn't make all of them whole.

    m / low = 1 - b + b (m total / low) / average. Where the scores are too coarse to solve that,
    in documents far longer than the rest or with a term thousands of times, m is taken to be 1.
    """
    if not average > 0:
        return None
    uncertain = (SCORE_PRECISION + b * error / average) / low / (1 - b)
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = (1 - b) / (1 / low - b * total / low / average)
    exact[uncertain > COARSEST_COUNT] = 1.0
    whole = np.maximum(np.rint(exact), 1.0)
    fits = np.abs(exact - whole) <= (COUNT_TOLERANCE + uncertain * whole) * whole
    return whole if bool(fits.all()) else None


def _block_x(
    retriever: Retriever, matrix: ScoreMatrix, idf: NDArray[np.float64], block: Any
) -> NDArray[np.float64]:
    scores = np.asarray(matrix.data[block.postings], dtype=np.float64)
    return _x(retriever, scores / block.spread(idf))


def _x(retriever: Retriever, tf_part: NDArray[np.float64]) -> NDArray[np.float64]:
    """Invert the tf part of each method (bm25s's scoring module) to x = tf / norm."""
    k1, delta = float(retriever.k1), float(retriever.delta)
    with np.errstate(divide="ignore", invalid="ignore"):
        if retriever.method == "bm25l":
            whole = tf_part + (k1 + 1) * delta / (k1 + delta)
            return k1 * whole / (k1 + 1 - whole) - delta
        share = tf_part if retriever.method in ("lucene", "robertson") else tf_part / (k1 + 1)
        return k1 * share / (1 - share)


def _invertible(retriever: Retriever, matrix: ScoreMatrix) -> bool:
    """Whether scores are precise enough, and depend on tf at all."""
    return matrix.data.dtype.itemsize >= 4 and float(retriever.k1) > 0 and matrix.data.size > 0


def _token_lists(corpus_tokens: Any) -> Iterable[Iterable[Hashable]]:
    """Take the ids out of what `bm25s.tokenize` returns; token lists pass as they are."""
    if hasattr(corpus_tokens, "ids") and hasattr(corpus_tokens, "vocab"):
        ids: Iterable[Iterable[Hashable]] = corpus_tokens.ids
        return ids
    is_pair = isinstance(corpus_tokens, tuple) and len(corpus_tokens) == 2
    if is_pair and isinstance(corpus_tokens[1], dict):
        pair: Iterable[Iterable[Hashable]] = corpus_tokens[0]
        return pair
    tokens: Iterable[Iterable[Hashable]] = corpus_tokens
    return tokens


def _undetermined() -> UnsupportedError:
    return UnsupportedError(
        "The scores of this bm25s index don't determine its term counts, and it stores no others;"
        " pass corpus_tokens (what it was built from), stats or htok."
    )


def _not_plain(retriever: Retriever) -> UnsupportedError:
    return UnsupportedError(
        f"These scores aren't those of the bm25s method {retriever.method!r}, as after a rescale"
        " whose record was lost; load the folder with qidf's load, or build the index again."
    )
