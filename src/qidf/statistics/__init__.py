"""Whether a corpus needs the fix and which q: counts, predictor and advice, without any labels.

To add a statistic: give `CorpusStats` an optional field, compute it in `from_frequencies`, and
leave None where an engine can't tell.
"""

from qidf.statistics.advice import (
    APPLY_QLOG,
    CHANGE_ANALYZER,
    CODE_AWARE_ANALYZERS,
    HTOK_THRESHOLD,
    KEEP_BM25,
    Advice,
    advise,
)
from qidf.statistics.corpus_stats import CorpusStats
from qidf.statistics.predictor import Q_MAX, Q_MIN, Q_SLOPE, predict_q
from qidf.statistics.zipf import zipf_alpha

__all__ = [
    "APPLY_QLOG",
    "CHANGE_ANALYZER",
    "CODE_AWARE_ANALYZERS",
    "HTOK_THRESHOLD",
    "KEEP_BM25",
    "Q_MAX",
    "Q_MIN",
    "Q_SLOPE",
    "Advice",
    "CorpusStats",
    "advise",
    "predict_q",
    "zipf_alpha",
]
