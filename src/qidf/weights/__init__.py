"""How much a term is worth: the q-logarithm and one file for each idf formula.

To add a formula: write a frozen slotted dataclass with the methods of `IdfFormula` in a file
of its own, and list it in `naming.py`; the contract test then runs on it.
"""

from qidf.weights.formula import IdfFormula
from qidf.weights.gamma import GammaIdf
from qidf.weights.lucene import LuceneIdf
from qidf.weights.naming import FORMULAS, parse_formula
from qidf.weights.qlog1p import Qlog1p
from qidf.weights.qlog_rsj import QlogRsj
from qidf.weights.qlogarithm import Q_ONE_TOLERANCE, is_one, qlog
from qidf.weights.rsj import RsjIdf

__all__ = [
    "FORMULAS",
    "Q_ONE_TOLERANCE",
    "GammaIdf",
    "IdfFormula",
    "LuceneIdf",
    "Qlog1p",
    "QlogRsj",
    "RsjIdf",
    "is_one",
    "parse_formula",
    "qlog",
]
