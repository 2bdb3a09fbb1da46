"""Rescaling the columns of a bm25s index from its baked-in idf to another, and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidf.analysis import Analyzer, parse_analyzer
from qidf.engines.bm25s_index.baked import baked_idf
from qidf.engines.bm25s_index.counts import check_plain, corpus_stats
from qidf.engines.bm25s_index.folder import write_sidecar_on_save
from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.engines.bm25s_index.original import (
    Original,
    checked_formula,
    forget_original,
    keep_original,
    original_of,
)
from qidf.errors import InvalidArgumentError, UnsupportedError
from qidf.statistics import CorpusStats, predict_q
from qidf.weighting import Kind, Weighting, checked_kind, decide, kind_of, wanted
from qidf.weights import IdfFormula


def rescale(
    retriever: Retriever,
    q: float | str | None = None,
    *,
    weighting: str | Weighting = "auto",
    corpus_tokens: Iterable[Iterable[Hashable]] | None = None,
    htok: float | None = None,
    stats: CorpusStats | None = None,
) -> float:
    """Give a `bm25s.BM25` a weighting's idf in place, in O(V + nnz), and return the q now in force.

    Each score is multiplied by the new idf / baked-in idf (paper, implementation), always starting
    from the original scores: the last call counts, and q = 1 brings the original bits back, which
    is plain BM25 of whatever method the index was built with. The idf is ln_q(1 + odds), and with
    weighting="paper" ln_q(odds). A q that is left open is the one that code is searched with, by
    htok from `htok`, `stats` or `corpus_tokens`, or else from the counts that the scores determine.
    What repeats count and how a token looks is the query's side: see `query_tokens`.
    """
    matrix = ScoreMatrix.of(retriever)
    original = original_of(retriever)
    if original is None:
        check_plain(retriever, matrix)
    asked = wanted(weighting, q=q)
    # Repeats count in full unless the query's side sees to it.
    asked = Weighting(asked.formula, asked.q, None)
    if asked.is_open:
        asked = _decided(retriever, asked, corpus_tokens=corpus_tokens, htok=htok, stats=stats)
    if asked.is_bm25:
        restore(retriever)
        return 1.0
    formula = checked_formula(asked.idf)
    if original is None:
        absent = getattr(retriever, "nonoccurrence_array", None)
        original = Original(repr(formula), matrix.data, absent)
    original = original.verified()
    factors = _factors(formula, retriever, matrix)
    data = _scaled(original.data, factors, matrix, formula)
    if original.nonoccurrence is not None:
        absent = original.nonoccurrence
        retriever.nonoccurrence_array = (absent * factors[: absent.size]).astype(absent.dtype)
    retriever.scores["data"] = data
    keep_original(retriever, Original(repr(formula), original.data, original.nonoccurrence))
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
    return 1.0 if original is None else original.idf.q


def query_tokens(
    query: str | Sequence[str],
    *,
    kind: Kind | None = None,
    analyzer: str | Analyzer = "generic",
) -> list[str]:
    """The tokens to ask a bm25s index with, which takes no weights: of code, each token once.

    That is k3 = 0 to the score, and close to the default's k3 = 1; of text all tokens are returned.
    A text shows whether it is code, and is analyzed as bm25s does by default; of tokens that were
    made elsewhere `kind` says it.
    """
    if isinstance(query, str):
        kind = checked_kind(kind) or kind_of(query)
        tokens = parse_analyzer(analyzer).tokens(query)
    else:
        kind, tokens = checked_kind(kind), list(query)
    return list(dict.fromkeys(tokens)) if kind == "code" else tokens


def _decided(
    retriever: Retriever,
    asked: Weighting,
    *,
    corpus_tokens: Iterable[Iterable[Hashable]] | None,
    htok: float | None,
    stats: CorpusStats | None,
) -> Weighting:
    if sum(source is not None for source in (corpus_tokens, htok, stats)) > 1:
        raise InvalidArgumentError(
            "q can follow from one source only; pass one of corpus_tokens, htok and stats."
        )
    if htok is not None:
        return replace(asked, q=predict_q(htok))
    known = stats if stats is not None else corpus_stats(retriever, corpus_tokens)
    # The index serves every query; those it is rescaled for are code.
    return decide(asked, known, kind="code").weighting


def _factors(formula: IdfFormula, retriever: Retriever, matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Return new idf over baked-in idf for each column, 1 for columns without postings."""
    baked = baked_idf(retriever, matrix)
    doc_freqs = matrix.doc_freqs
    occurs = doc_freqs > 0
    target = np.ones_like(baked)
    target[occurs] = formula.weights(doc_freqs[occurs], matrix.num_docs)
    lost = (baked == 0) & (target != 0)
    if bool(lost.any()):
        raise UnsupportedError(
            f"bm25s gave {np.count_nonzero(lost)} very common terms an idf of 0 (idf method"
            f" {retriever.idf_method!r}), which wiped out their term frequencies; build the index"
            " with method='lucene', where every idf is positive."
        )
    return np.divide(target, baked, out=np.ones_like(baked), where=baked != 0)


def _scaled(
    data: NDArray[np.floating[Any]],
    factors: NDArray[np.float64],
    matrix: ScoreMatrix,
    formula: IdfFormula,
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
