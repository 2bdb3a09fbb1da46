"""The label-free choice of q from hapax density."""

from __future__ import annotations

import math

from qidf.errors import InvalidArgumentError
from qidf.statistics.corpus_stats import CorpusStats

# q_pred = 1 - 7.28 htok (eq. predictor), fit on six languages at 1K, 10K and all documents.
Q_SLOPE = 7.28
# The clip of eq. predictor: never beyond plain BM25, never quite a step function of doc_freq = 1.
Q_MIN = 0.01
Q_MAX = 1.0


def predict_q(stats: CorpusStats | float) -> float:
    """Return 1 - 7.28 htok, clipped to [0.01, 1], for a corpus or a bare htok.

    A corpus without tokens has htok 0 and gets q = 1, plain BM25.
    """
    htok = stats.htok if isinstance(stats, CorpusStats) else float(stats)
    if not (math.isfinite(htok) and 0.0 <= htok <= 1.0):
        raise InvalidArgumentError(f"htok is a share between 0 and 1, so it can't be {htok}.")
    return min(max(1.0 - Q_SLOPE * htok, Q_MIN), Q_MAX)
