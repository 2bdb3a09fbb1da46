"""Term counts read back from bm25s scores, which hold no counts but determine them.

bm25s stores idf(t) times a function of x = tf / norm(d), where norm(d) = 1 - b + b |d| / avgdl.
The idf is known and the function invertible, so x is known. Within one document the x are in the
proportion of whole numbers; their sum is |d| / norm(d); and one avgdl fits all documents. That
fixes every tf, and with it the collection frequencies and htok that the index doesn't store.
An index that was rescaled and forgot it breaks the proportions, so it can be told apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
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
# The average length found must be that of the counts found; a wrong reading misses by far more.
LENGTH_TOLERANCE = 1e-3


def corpus_stats(
    retriever: Retriever, corpus_tokens: Iterable[Iterable[Hashable]] | None = None
) -> CorpusStats:
    """Return the statistics of the corpus behind an index, from its tokens or from its scores.

    `corpus_tokens` is whatever the index was built from: token lists, id lists, or what
    `bm25s.tokenize` returned. Without it the counts are read back from the scores, rescaled or
    not; scores that don't determine them are refused.
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
    lowest = np.full(matrix.num_docs, np.inf)
    total = np.zeros(matrix.num_docs)
    for block in matrix.blocks():
        rows = np.asarray(matrix.indices[block.postings])
        x = _block_x(retriever, matrix, idf, block)
        if bool(np.any(~(x > 0) | ~np.isfinite(x))):
            raise _not_plain(retriever)
        np.minimum.at(lowest, rows, x)
        total += np.bincount(rows, weights=x, minlength=matrix.num_docs)
    scale = _norms(lowest, total, b)
    counts = np.zeros(idf.size)
    off = 0
    for block in matrix.blocks():
        rows = np.asarray(matrix.indices[block.postings])
        tf = _block_x(retriever, matrix, idf, block) * scale[rows]
        whole = np.maximum(np.rint(tf), 1.0)
        off += int(np.count_nonzero(np.abs(tf - whole) > COUNT_TOLERANCE * whole * whole))
        column = np.repeat(np.arange(len(block.lengths)), block.lengths)
        counts[block.columns] = np.bincount(column, whole, minlength=len(block.lengths))
    if off:
        raise _undetermined()
    return counts.astype(np.int64)


def _norms(
    lowest: NDArray[np.float64], total: NDArray[np.float64], b: float
) -> NDArray[np.float64]:
    """Return norm(d) for each document, from its lowest x and the sum of its x."""
    held = total > 0
    norms = np.ones_like(total)
    if b == 0 or not bool(held.any()):
        return norms
    low = lowest[held]
    proportions = total[held] / low
    with np.errstate(divide="ignore", invalid="ignore"):
        # Most documents have a term that occurs once; there |d| is the sum of the proportions.
        average = float(np.median(b * proportions / (1 / low - (1 - b))))
        # norm = m / low and |d| = m proportions, m being the count of the document's rarest term.
        rarest = (1 - b) / (1 / low - b * proportions / average)
    whole = np.maximum(np.rint(rarest), 1.0)
    # The difference above cancels more digits the longer the document is.
    tolerance = COUNT_TOLERANCE + SCORE_PRECISION * whole / (low * (1 - b))
    if not bool(np.all(np.abs(rarest - whole) <= tolerance * whole)):
        raise _undetermined()
    length = float((whole * proportions).sum()) / total.size
    if not abs(length - average) <= LENGTH_TOLERANCE * average:
        raise _undetermined()
    norms[held] = whole / low
    return norms


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
