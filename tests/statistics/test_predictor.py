"""The predictor against the paper's own table."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.statistics import CorpusStats, predict_q

# htok from tab. main-results, q_pred from tab. deployable.
PUBLISHED = [
    ("Go", 182_440, 0.0630, 0.54),
    ("Java", 180_866, 0.0156, 0.89),
    ("Ruby", 27_570, 0.0244, 0.82),
    ("Python", 280_310, 0.0160, 0.88),
    ("PHP", 267_725, 0.0133, 0.90),
    ("JavaScript", 64_854, 0.0206, 0.85),
]


@pytest.mark.parametrize(("language", "num_docs", "htok", "q"), PUBLISHED)
def test_the_published_table_is_reproduced(
    language: str, num_docs: int, htok: float, q: float
) -> None:
    stats = CorpusStats(num_docs=num_docs, num_tokens=10**7, vocab_size=10**5, htok=htok)
    assert round(predict_q(stats), 2) == q
    assert predict_q(htok) == predict_q(stats)


@given(st.floats(0, 1))
def test_the_prediction_stays_within_its_clip_and_falls_with_htok(htok: float) -> None:
    q = predict_q(htok)
    assert 0.01 <= q <= 1.0
    assert q == min(max(1 - 7.28 * htok, 0.01), 1.0)
    assert predict_q(min(1.0, htok + 0.01)) <= q


def test_an_empty_corpus_gets_plain_bm25() -> None:
    assert predict_q(CorpusStats.from_tokens([])) == 1.0


@pytest.mark.parametrize("htok", [-0.1, 1.1, math.nan])
def test_an_htok_that_is_no_share_is_refused(htok: float) -> None:
    with pytest.raises(InvalidArgumentError, match="htok"):
        predict_q(htok)
