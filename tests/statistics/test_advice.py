"""Every branch of the decision chart, and every doubt."""

from __future__ import annotations

import json

import pytest

from qidf.statistics import APPLY_QLOG, CHANGE_ANALYZER, KEEP_BM25, CorpusStats, advise, predict_q


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
    assert advice.reason.endswith("q = 0.54 brings it out.")
    assert "q-log nearly moot" in " ".join(advice.warnings)


@pytest.mark.parametrize("htok", [0.0, 0.0133, 0.0156, 0.0160, 0.02])
def test_few_hapaxes_keep_bm25_at_a_q_near_1(htok: float) -> None:
    advice = advise(stats(htok), analyzer="generic")
    assert advice.action == KEEP_BM25
    assert advice.q == predict_q(htok) >= 0.85
    assert advice.warnings == ()


@pytest.mark.parametrize("analyzer", ["identifier", "subtoken", "subtoken(stem=porter)"])
@pytest.mark.parametrize("can_change", [False, True])
def test_an_analyzer_that_splits_identifiers_leaves_q_at_1(analyzer: str, can_change: bool) -> None:
    advice = advise(stats(0.063), analyzer=analyzer, can_change_analyzer=can_change)
    assert (advice.action, advice.q) == (KEEP_BM25, 1.0)
    assert "q-log nearly moot" in advice.warnings[0]
    assert any("-37%" in warning for warning in advice.warnings) == analyzer.startswith("subtoken")


def test_a_tiny_corpus_is_doubted() -> None:
    for tiny in (stats(0.05, num_docs=999), stats(0.05, num_tokens=9_999)):
        assert "unreliable" in advise(tiny).warnings[0]
    assert not any("unreliable" in warning for warning in advise(stats(0.05)).warnings)


def test_an_htok_beyond_the_labelled_corpora_is_doubted() -> None:
    advice = advise(stats(0.3))
    assert advice.q == 0.01
    assert "beyond the corpora" in advice.warnings[0]


def test_an_interval_across_the_threshold_is_said() -> None:
    advice = advise(stats(0.021, htok_ci95=(0.018, 0.024)))
    assert advice.action == APPLY_QLOG
    assert "straddles" in advice.warnings[0]
    certain = advise(stats(0.05, htok_ci95=(0.04, 0.06)))
    assert not any("straddles" in warning for warning in certain.warnings)


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
