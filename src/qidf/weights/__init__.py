"""How much a term is worth: the q-logarithm and one file for each idf formula.

To add a formula: write a frozen slotted dataclass with the four methods of `IdfFormula` in a file
of its own, and list it in `naming.py`; the contract test then runs on it.
"""

from qidf.weights.convention import idf, scoring_formula
from qidf.weights.formula import IdfFormula, WeightExplanation
from qidf.weights.gamma import GammaIdf
from qidf.weights.lucene import LuceneIdf
from qidf.weights.naming import FORMULAS, parse_formula
from qidf.weights.qlog_rsj import QlogRsj
from qidf.weights.qlogarithm import Q_ONE_TOLERANCE, is_one, qlog
from qidf.weights.rsj import RsjIdf

__all__ = [
    "FORMULAS",
    "Q_ONE_TOLERANCE",
    "GammaIdf",
    "IdfFormula",
    "LuceneIdf",
    "QlogRsj",
    "RsjIdf",
    "WeightExplanation",
    "idf",
    "is_one",
    "parse_formula",
    "qlog",
    "scoring_formula",
]
