"""The idf that bm25s multiplied into its scores, for each of its methods."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.errors import UnsupportedError
from qidf.weights import LuceneIdf, RsjIdf
from qidf.weights.formula import weights_by_value


def _robertson(doc_freq: float, num_docs: int) -> float:
    """Classical RSJ, which bm25s cuts off at zero."""
    return max(0.0, RsjIdf().weight(doc_freq, num_docs))


def _atire(doc_freq: float, num_docs: int) -> float:
    return math.log(num_docs / doc_freq)


def _bm25l(doc_freq: float, num_docs: int) -> float:
    return math.log((num_docs + 1) / (doc_freq + 0.5))


def _bm25plus(doc_freq: float, num_docs: int) -> float:
    return math.log((num_docs + 1) / doc_freq)


# What `idf_method` names in bm25s (its scoring module; Kamphuis et al. 2020, table 1).
BAKED_IDF: dict[str, Callable[[float, int], float]] = {
    "lucene": LuceneIdf().weight,
    "robertson": _robertson,
    "atire": _atire,
    "bm25l": _bm25l,
    "bm25+": _bm25plus,
}


def baked_idf(retriever: Retriever, matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Return each column's idf as bm25s holds it, rounded to its dtype; 1 for empty columns.

    Every method of bm25s factors through it. BM25L and BM25+ store idf times (tf part - tf part of
    absence) in the matrix and idf times the latter in `nonoccurrence_array`, which they add back
    at query time; both arrays are proportional to the idf.
    """
    formula = BAKED_IDF.get(retriever.idf_method)
    if formula is None or retriever.method not in BAKED_IDF:
        raise UnsupportedError(
            f"The bm25s method {retriever.method!r} with idf {retriever.idf_method!r} is not known"
            f" to factor through its idf; the known ones are {', '.join(BAKED_IDF)}."
        )
    doc_freqs = matrix.doc_freqs
    occurs = doc_freqs > 0
    idf = np.ones(doc_freqs.size, dtype=np.float64)
    idf[occurs] = weights_by_value(formula, doc_freqs[occurs], matrix.num_docs)
    return idf.astype(matrix.data.dtype).astype(np.float64)
