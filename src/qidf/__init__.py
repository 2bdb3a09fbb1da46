"""BM25 that finds the one right file.

The names below are the public interface; each is imported when it is first used, so that
`import qidf` costs almost nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from qidf.analysis import Analyzer as Analyzer
    from qidf.analysis import parse_analyzer as parse_analyzer
    from qidf.engines import connect as connect
    from qidf.engines.bm25s_index import audit as audit
    from qidf.engines.bm25s_index import rescale as rescale
    from qidf.engines.bm25s_index import restore as restore
    from qidf.errors import QidfError as QidfError
    from qidf.index import Document as Document
    from qidf.index import Explanation as Explanation
    from qidf.index import Hit as Hit
    from qidf.index import Index as Index
    from qidf.index import PreparedQueries as PreparedQueries
    from qidf.index import Ranking as Ranking
    from qidf.repository import CodeHit as CodeHit
    from qidf.repository import Context as Context
    from qidf.repository import Repository as Repository
    from qidf.statistics import CorpusStats as CorpusStats
    from qidf.statistics import predict_q as predict_q
    from qidf.weighting import Advice as Advice
    from qidf.weighting import Decision as Decision
    from qidf.weighting import Weighting as Weighting
    from qidf.weighting import advise as advise
    from qidf.weighting import decide as decide
    from qidf.weighting import parse_weighting as parse_weighting
    from qidf.weights import GammaIdf as GammaIdf
    from qidf.weights import LuceneIdf as LuceneIdf
    from qidf.weights import Qlog1p as Qlog1p
    from qidf.weights import QlogRsj as QlogRsj
    from qidf.weights import RsjIdf as RsjIdf
    from qidf.weights import parse_formula as parse_formula
    from qidf.weights import qlog as qlog

_HOMES = {
    "Advice": "qidf.weighting",
    "Analyzer": "qidf.analysis",
    "CodeHit": "qidf.repository",
    "Context": "qidf.repository",
    "CorpusStats": "qidf.statistics",
    "Decision": "qidf.weighting",
    "Document": "qidf.index",
    "Explanation": "qidf.index",
    "GammaIdf": "qidf.weights",
    "Hit": "qidf.index",
    "Index": "qidf.index",
    "LuceneIdf": "qidf.weights",
    "PreparedQueries": "qidf.index",
    "QidfError": "qidf.errors",
    "Qlog1p": "qidf.weights",
    "QlogRsj": "qidf.weights",
    "Ranking": "qidf.index",
    "Repository": "qidf.repository",
    "RsjIdf": "qidf.weights",
    "Weighting": "qidf.weighting",
    "advise": "qidf.weighting",
    "audit": "qidf.engines.bm25s_index",
    "connect": "qidf.engines",
    "decide": "qidf.weighting",
    "parse_analyzer": "qidf.analysis",
    "parse_formula": "qidf.weights",
    "parse_weighting": "qidf.weighting",
    "predict_q": "qidf.statistics",
    "qlog": "qidf.weights",
    "rescale": "qidf.engines.bm25s_index",
    "restore": "qidf.engines.bm25s_index",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import a public name from its home on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'qidf' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return [*__all__, "__version__"]
