"""What is advised is what search does; every action, and every doubt."""

from __future__ import annotations

import json

import pytest

from qidf.statistics import CorpusStats, predict_q
from qidf.weighting import (
    APPLY_QLOG,
    AUTO,
    BM25,
    CHANGE_ANALYZER,
    KEEP_BM25,
    SATURATE_REPEATS,
    Weighting,
    advise,
    decide,
)


def stats(
    htok: float,
    num_docs: int = 50_000,
    num_tokens: int = 600_000,
    htok_ci95: tuple[float, float] | None = None,
) -> CorpusStats:
    return CorpusStats(num_docs, num_tokens, min(40_000, num_tokens), htok, htok_ci95=htok_ci95)


def test_an_analyzer_that_can_be_changed_comes_first() -> None:
    advice = advise(stats(0.063), can_change_analyzer=True)
    assert (advice.action, advice.q) == (CHANGE_ANALYZER, 1.0)
    assert "q-log nearly moot" in " ".join(advice.warnings)


def test_many_hapaxes_under_a_frozen_analyzer_call_for_q_log() -> None:
    advice = advise(stats(0.063))
    assert advice.action == APPLY_QLOG
    assert advice.q == predict_q(0.063)
    assert advice.htok == 0.063
    assert advice.reason.startswith("q = 0.9, and 0.541 for queries that are code, since 6.30% of")
    assert advice.code_weighting == Weighting("qlog1p", advice.q, 1.0, True)
    assert "q-log nearly moot" in " ".join(advice.warnings)


@pytest.mark.parametrize("htok", [0.0, 0.0133, 0.0156, 0.0160, 0.02])
def test_few_hapaxes_give_a_q_near_1_and_the_advice_says_so(htok: float) -> None:
    advice = advise(stats(htok), analyzer="generic")
    assert advice.action == (APPLY_QLOG if htok else SATURATE_REPEATS)
    assert advice.q == predict_q(htok) >= 0.85


@pytest.mark.parametrize("analyzer", [None, "generic", "identifier"])
@pytest.mark.parametrize(
    "counts", [stats(0.063), stats(0.0), stats(0.063, num_docs=3, num_tokens=9)]
)
def test_the_advice_is_what_search_does(counts: CorpusStats, analyzer: str | None) -> None:
    advice = advise(counts, analyzer=analyzer)
    assert advice.weighting == decide(AUTO, counts, analyzer).weighting
    assert advice.code_weighting == decide(AUTO, counts, analyzer, kind="code").weighting
    assert (advice.action == KEEP_BM25) == (advice.weighting == advice.code_weighting == BM25)


@pytest.mark.parametrize(
    "analyzer", ["identifier", "subtoken", "subtoken(stopwords=none)", "whitespace(parts=both)"]
)
@pytest.mark.parametrize("can_change", [False, True])
def test_an_analyzer_that_splits_identifiers_leaves_q_at_1(analyzer: str, can_change: bool) -> None:
    advice = advise(stats(0.063), analyzer=analyzer, can_change_analyzer=can_change)
    assert (advice.action, advice.q) == (SATURATE_REPEATS, 1.0)
    assert "q-log nearly moot" in advice.warnings[0]
    assert any("-37%" in warning for warning in advice.warnings) == analyzer.startswith("subtoken")


def test_a_tiny_corpus_keeps_bm25() -> None:
    for tiny in (stats(0.05, num_docs=999), stats(0.05, num_tokens=9_999)):
        assert (advise(tiny).action, advise(tiny).weighting) == (KEEP_BM25, BM25)
        assert "too few" in advise(tiny).reason


def test_an_htok_beyond_the_labelled_corpora_is_doubted() -> None:
    advice = advise(stats(0.3))
    assert advice.q == 0.01
    assert "beyond the corpora" in advice.warnings[0]


def test_an_interval_that_leaves_q_open_is_said() -> None:
    advice = advise(stats(0.05, htok_ci95=(0.04, 0.06)))
    assert "puts q anywhere between 0.56 and 0.71" in advice.warnings[0]
    certain = advise(stats(0.021, htok_ci95=(0.018, 0.024)))
    assert not any("anywhere" in warning for warning in certain.warnings)


def test_an_empty_corpus_falls_back_to_plain_bm25() -> None:
    advice = advise(CorpusStats.from_tokens([]), can_change_analyzer=True)
    assert (advice.action, advice.q) == (KEEP_BM25, 1.0)


def test_every_reason_and_warning_is_one_sentence() -> None:
    cases = [
        advise(stats(0.063), can_change_analyzer=True),
        advise(stats(0.063), analyzer="subtoken"),
        advise(stats(0.3, num_docs=10, num_tokens=1_000)),
        advise(stats(0.019, htok_ci95=(0.01, 0.03))),
    ]
    for advice in cases:
        for sentence in (advice.reason, *advice.warnings):
            assert sentence.endswith(".")
            assert ". " not in sentence


def test_scripts_get_json() -> None:
    interval = (0.018, 0.024)
    exact, sampled = (advise(stats(0.021, htok_ci95=each)) for each in (None, interval))
    fields = json.loads(json.dumps(exact.to_dict()))
    assert list(fields)[:8] == [
        "num_docs",
        "num_tokens",
        "vocab_size",
        "htok",
        "htok_ci95",
        "q",
        "action",
        "reason",
    ]
    assert fields["htok_ci95"] is None
    assert fields["action"] == "apply-qlog"
    assert json.loads(json.dumps(sampled.to_dict()))["htok_ci95"] == list(interval)
