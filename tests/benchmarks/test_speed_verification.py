import numpy as np
import pytest
from benchmarks.speed.fill import enlarge
from benchmarks.speed.verification import (
    WrongResultError,
    check_close,
    check_equal,
    check_mostly_close,
)

from qidf import CorpusStats
from qidf.analysis import parse_analyzer

SCORES = np.array([[4.0, 2.0, 0.0], [1.0, 0.5, 0.25]], np.float32)


def test_one_wrong_bit_stops_a_run() -> None:
    wrong = SCORES.copy()
    wrong[1, 1] = np.nextafter(wrong[1, 1], np.float32(1))
    assert check_equal("same", SCORES, SCORES.copy())["largest_difference"] == 0.0
    with pytest.raises(WrongResultError, match="other"):
        check_equal("other", SCORES, wrong)


def test_rescaled_scores_may_differ_by_rounding_and_no_more() -> None:
    check_close("rounded", SCORES, SCORES * np.float32(1 + 1e-6))
    with pytest.raises(WrongResultError):
        check_close("wrong", SCORES, SCORES * np.float32(1 + 1e-4))


def test_a_negative_score_of_the_other_stands_for_no_hit() -> None:
    theirs = SCORES.copy()
    theirs[0, 2] = -3.0
    assert check_close("negative", SCORES, theirs)["largest_difference"] == 0.0


def test_scores_that_are_not_numbers_stop_a_run() -> None:
    with pytest.raises(WrongResultError):
        check_close("nan", SCORES, np.full_like(SCORES, np.nan))


def test_a_few_rounded_lengths_are_allowed_and_another_formula_is_not() -> None:
    theirs = SCORES.copy()
    theirs[0, 0] *= 1.1
    check_mostly_close("few", SCORES, theirs)
    with pytest.raises(WrongResultError):
        check_mostly_close("all", SCORES, SCORES * 1.1)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = np.random.default_rng(5)
    return [
        " ".join(f"word{min(number, 60)}" for number in rng.zipf(1.4, size=12)) + f" name{place}"
        for place in range(400)
    ]


def test_fill_keeps_the_documents_and_repeats_none(texts: list[str]) -> None:
    filled = enlarge(texts, 4000)
    assert filled[:400] == texts
    assert len(set(filled)) == 4000
    assert enlarge(texts, 4000) == filled


def test_fill_keeps_the_share_of_tokens_that_occur_once(texts: list[str]) -> None:
    analyzer = parse_analyzer("generic")
    before, after = (
        CorpusStats.from_tokens([analyzer.tokens(text) for text in corpus]).htok
        for corpus in (texts, enlarge(texts, 4000))
    )
    assert after == pytest.approx(before, rel=0.1)


def test_a_smaller_corpus_is_spread_over_the_whole(texts: list[str]) -> None:
    assert enlarge(texts, 40) == texts[::10]
