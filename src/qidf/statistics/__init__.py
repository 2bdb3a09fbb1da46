"""What a corpus counts and which q that predicts, without any labels.

To add a statistic: give `CorpusStats` an optional field, compute it in `from_frequencies`, and
leave None where an engine can't tell.
"""

from qidf.statistics.corpus_stats import CorpusStats
from qidf.statistics.predictor import Q_MAX, Q_MIN, Q_SLOPE, predict_q
from qidf.statistics.zipf import zipf_alpha

__all__ = [
    "Q_MAX",
    "Q_MIN",
    "Q_SLOPE",
    "CorpusStats",
    "predict_q",
    "zipf_alpha",
]
