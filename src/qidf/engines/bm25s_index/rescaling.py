"""Rescaling the columns of a bm25s index from its baked-in idf to the q-log idf, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidf.engines.bm25s_index.baked import baked_idf
from qidf.engines.bm25s_index.counts import check_plain, corpus_stats
from qidf.engines.bm25s_index.folder import write_sidecar_on_save
from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.engines.bm25s_index.original import (
    Original,
    forget_original,
    keep_original,
    original_of,
)
from qidf.errors import InvalidArgumentError, UnsupportedError
from qidf.statistics import CorpusStats, predict_q
from qidf.weights import QlogRsj, is_one


def rescale(
    retriever: Retriever,
    q: float | str = "auto",
    *,
    corpus_tokens: Iterable[Iterable[Hashable]] | None = None,
    htok: float | None = None,
    stats: CorpusStats | None = None,
    delta: float = 0.5,
) -> float:
    """Give a `bm25s.BM25` the q-log idf in place, in O(V + nnz), and return the q now in force.

    Each score is multiplied by ln_q(odds) / baked-in idf (paper, implementation), always starting
    from the original scores: the last call counts, and q = 1 brings the original bits back, which
    is plain BM25 of whatever method the index was built with. "auto" predicts q from htok, taken
    from `htok`, `stats` or `corpus_tokens`, or else from the counts that the scores determine.
    """
    matrix = ScoreMatrix.of(retriever)
    original = original_of(retriever)
    if original is None:
        check_plain(retriever, matrix)
    target = _choose(retriever, q, corpus_tokens=corpus_tokens, htok=htok, stats=stats)
    if is_one(target):
        restore(retriever)
        return 1.0
    formula = QlogRsj(target, delta)
    if original is None:
        original = Original(
            formula.q, formula.delta, matrix.data, getattr(retriever, "nonoccurrence_array", None)
        )
    original = original.verified()
    factors = _factors(formula, retriever, matrix)
    data = _scaled(original.data, factors, matrix, formula)
    if original.nonoccurrence is not None:
        absent = original.nonoccurrence
        retriever.nonoccurrence_array = (absent * factors[: absent.size]).astype(absent.dtype)
    retriever.scores["data"] = data
    keep_original(
        retriever, Original(formula.q, formula.delta, original.data, original.nonoccurrence)
    )
    write_sidecar_on_save(retriever)
    return formula.q


def restore(retriever: Retriever) -> None:
    """Bring the original scores back, bit for bit; a plain index stays as it is."""
    original = original_of(retriever)
    if original is None:
        check_plain(retriever, ScoreMatrix.of(retriever))
        return
    original = original.verified()
    retriever.scores["data"] = original.data
    retriever.nonoccurrence_array = original.nonoccurrence
    forget_original(retriever)


def current_q(retriever: Retriever) -> float:
    """Return the q a retriever scores with: 1 unless it was rescaled."""
    ScoreMatrix.of(retriever)
    original = original_of(retriever)
    return 1.0 if original is None else original.q


def _choose(
    retriever: Retriever,
    q: float | str,
    *,
    corpus_tokens: Iterable[Iterable[Hashable]] | None,
    htok: float | None,
    stats: CorpusStats | None,
) -> float:
    if not isinstance(q, str):
        return QlogRsj(q).q
    if q != "auto":
        raise InvalidArgumentError(f'q is a number or "auto", not {q!r}.')
    if sum(source is not None for source in (corpus_tokens, htok, stats)) > 1:
        raise InvalidArgumentError(
            "q can follow from one source only; pass one of corpus_tokens, htok and stats."
        )
    if htok is not None:
        return predict_q(htok)
    return predict_q(stats if stats is not None else corpus_stats(retriever, corpus_tokens))


def _factors(formula: QlogRsj, retriever: Retriever, matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Return new idf over baked-in idf for each column, 1 for columns without postings."""
    baked = baked_idf(retriever, matrix)
    doc_freqs = matrix.doc_freqs
    occurs = doc_freqs > 0
    wanted = np.ones_like(baked)
    wanted[occurs] = formula.weights(doc_freqs[occurs], matrix.num_docs)
    lost = (baked == 0) & (wanted != 0)
    if bool(lost.any()):
        raise UnsupportedError(
            f"bm25s gave {np.count_nonzero(lost)} very common terms an idf of 0 (idf method"
            f" {retriever.idf_method!r}), which wiped out their term frequencies; build the index"
            " with method='lucene', where every idf is positive."
        )
    return np.divide(wanted, baked, out=np.ones_like(baked), where=baked != 0)


def _scaled(
    data: NDArray[np.floating[Any]],
    factors: NDArray[np.float64],
    matrix: ScoreMatrix,
    formula: QlogRsj,
) -> NDArray[np.floating[Any]]:
    """Multiply each posting by its column's factor, in float64, into a new array of one dtype."""
    scaled = np.empty(data.shape, dtype=data.dtype)
    for block in matrix.blocks():
        out = scaled[block.postings]
        with np.errstate(over="ignore"):
            np.multiply(data[block.postings], block.spread(factors), out=out, casting="same_kind")
        if not bool(np.isfinite(out).all()):
            raise UnsupportedError(
                f"{formula!r} exceeds the range of {data.dtype} on this corpus; take a larger q"
                " or build the index with dtype='float64'."
            )
    return scaled
