"""Which formula scores at which q: the paper's convention, said once."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import NDArray

from qidf.weights.formula import IdfFormula
from qidf.weights.lucene import LuceneIdf
from qidf.weights.qlog_rsj import QlogRsj
from qidf.weights.qlogarithm import is_one


def scoring_formula(q: float, delta: float = 0.5) -> IdfFormula:
    """Return the idf that documents are scored with at this q.

    The convention is the paper's (footnote to eq. bm25-idf). At q = 1 nothing is rescaled, so the
    weight is Lucene's ln(1 + odds), which is positive for every term, and scores are those of
    Lucene-variant BM25 bit for bit. At any other q it is ln_q(odds), which is negative for terms
    in more than half of the documents. The two differ by about n/N, so a term in few documents
    sees no jump as q reaches 1, and a very common one does.
    """
    formula = QlogRsj(q, delta)
    return LuceneIdf() if is_one(formula.q) else formula


@overload
def idf(doc_freq: float, num_docs: int, q: float = 1.0, delta: float = 0.5) -> float: ...


@overload
def idf(
    doc_freq: NDArray[np.generic], num_docs: int, q: float = 1.0, delta: float = 0.5
) -> NDArray[np.float64]: ...


def idf(
    doc_freq: float | NDArray[np.generic], num_docs: int, q: float = 1.0, delta: float = 0.5
) -> float | NDArray[np.float64]:
    """Return ln_q((N - n + delta) / (n + delta)) for one doc_freq or an array of them.

    At q = 1 this is the classical RSJ logarithm. Scores at q = 1 use Lucene's idf instead: see
    `scoring_formula`.
    """
    formula = QlogRsj(q, delta)
    if isinstance(doc_freq, np.ndarray):
        return formula.weights(doc_freq, num_docs)
    return formula.weight(doc_freq, num_docs)
