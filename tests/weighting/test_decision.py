"""The one decision: what corpus, analyzer and query each have a say in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.statistics import CorpusStats, predict_q
from qidf.weighting import AUTO, BM25, PAPER, Weighting, decide, kind_of, wanted
from qidf.weighting.kinds import MARK, num_marks

STATS = CorpusStats(50_000, 600_000, 40_000, 0.063)
FUNCTION = "func splitNode(node *btreeNode) (*btreeNode, error) { return node.split() }"
QUESTION = "which of the drugs is used in the treatment of diabetes"


def test_auto_predicts_q_and_saturates_repeats_in_code() -> None:
    q = predict_q(0.063)
    assert decide(AUTO, STATS, query=FUNCTION).weighting == Weighting("qlog1p", q, 1.0, True)
    assert decide(AUTO, STATS, query=QUESTION).weighting == Weighting("qlog1p", 0.9, None)
    assert decide(AUTO, STATS).weighting == Weighting("qlog1p", 0.9, None)
    assert decide(AUTO, STATS, kind="code").weighting.k3 == 1.0
    assert decide(AUTO, STATS, query=FUNCTION, kind="text").weighting.k3 is None


@pytest.mark.parametrize(
    "stats",
    [
        None,
        CorpusStats(0, 0, 0, 0.0),
        CorpusStats(999, 600_000, 40_000, 0.063),
        CorpusStats(50_000, 9_999, 5_000, 0.063),
    ],
)
def test_few_documents_or_few_tokens_are_bm25(stats: CorpusStats | None) -> None:
    decision = decide(AUTO, stats, query=FUNCTION)
    assert decision.weighting == BM25
    assert decision.reason.startswith("BM25, since ")
    # Whoever asks for a part gets it.
    assert decide(wanted(k3=1), stats).weighting == Weighting("qlog1p", 1.0, 1.0)
    assert decide(wanted(q=0.5), stats, query=FUNCTION).weighting == Weighting("qlog1p", 0.5, 1.0)


@pytest.mark.parametrize(
    ("analyzer", "splits"),
    [
        (None, False),
        ("generic", False),
        ("whitespace", False),
        ("identifier", True),
        ("subtoken", True),
        ("whitespace(parts=both)", True),
        ("generic(parts=only, stopwords=none)", True),
        ("identifier(parts=none)", False),
    ],
)
def test_an_analyzer_is_judged_by_what_it_does(analyzer: str | None, splits: bool) -> None:
    q = 1.0 if splits else predict_q(0.063)
    expected = Weighting("qlog1p", q, 1.0, True)
    assert decide(AUTO, STATS, analyzer, query=FUNCTION).weighting == expected
    assert decide(PAPER, STATS, analyzer).weighting.q == q


def test_whoever_sets_a_part_gets_a_plain_formula() -> None:
    for parts in ({"q": 0.5}, {"k3": 1}, {"formula": "qlog1p"}):
        assert decide(wanted(**parts), STATS, query=FUNCTION).weighting.evidence is False
    assert decide(wanted(q="auto"), STATS, query=FUNCTION).weighting.evidence is True
    assert decide(wanted(q=0.5, evidence=True), STATS).weighting.evidence is True
    plain = decide(Weighting(), STATS, query=FUNCTION).weighting
    assert plain == Weighting("qlog1p", predict_q(0.063), 1.0)


def test_a_question_in_words_gets_no_q_below_nine_tenths() -> None:
    mild = CorpusStats(50_000, 600_000, 40_000, 0.01)
    assert decide(AUTO, mild, query=QUESTION).weighting.q == predict_q(0.01) > 0.9
    assert decide(wanted(q=0.5), STATS, query=QUESTION).weighting.q == 0.5
    assert decide(PAPER, STATS, query=QUESTION).weighting.q == predict_q(0.063)


def test_the_papers_choice_knows_neither_size_nor_query() -> None:
    tiny = CorpusStats(36, 300, 200, 0.1)
    assert decide(PAPER, tiny, query=FUNCTION).weighting == Weighting("qlog", predict_q(0.1), None)
    assert decide(PAPER, CorpusStats(0, 0, 0, 0.0)).weighting == BM25


def test_what_is_asked_for_is_left_alone() -> None:
    for asked in (BM25, Weighting("qlog", 0.3, 2.0)):
        assert decide(asked, STATS, query=FUNCTION).weighting == asked


def test_every_reason_is_one_sentence() -> None:
    for asked in (AUTO, PAPER, BM25, wanted(q=0.5), wanted(k3=1), wanted(formula="rsj")):
        for stats in (None, STATS, CorpusStats(3, 12, 9, 0.5)):
            for query in (None, FUNCTION, QUESTION):
                reason = decide(asked, stats, query=query).reason
                assert reason.endswith(".")
                assert ". " not in reason


def test_scripts_get_json() -> None:
    found = json.loads(json.dumps(decide(AUTO, STATS, query=FUNCTION).to_dict()))
    assert list(found) == ["weighting", "q", "k3", "evidence", "reason"]
    assert found["weighting"] == f"qlog1p(q={predict_q(0.063)}, k3=1.0, evidence=true)"
    assert (found["k3"], found["evidence"]) == (1.0, True)
    assert decide(BM25).to_dict()["k3"] is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "text"),
        (FUNCTION, "code"),
        ("def f(x):\n    return x.y", "code"),
        ("parse_iso8601", "text"),
        ("http_client.get_url", "code"),
        (QUESTION, "text"),
        ("How do I close a file (in Python) after reading all of its lines?", "text"),
        ("A long sentence of many words that has, far from its start, just (one) remark.", "text"),
        ("x" * 78 + "==", "code"),
        ("x" * 79 + "==", "text"),
        ("  " * 99 + "==", "code"),
        ("first line\n    second line\n    third line", "code"),
    ],
)
def test_a_query_is_code_if_it_has_marks_enough(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@given(st.text(st.sampled_from("aB_0 \t\n\r\x1c\x1f\x00;-=>:.(){}[]\x7f"), max_size=40))
def test_marks_of_code_are_counted_as_the_pattern_finds_them(text: str) -> None:
    marks = sum(1 for _ in MARK.finditer(text))
    for most in (1, marks, marks + 1):
        assert num_marks(text, most) == min(marks, most)
    # Behind a character that isn't ASCII the pattern itself looks.
    assert num_marks(text + " é", marks + 9) == sum(1 for _ in MARK.finditer(text + " é"))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="prose"):
        decide(AUTO, STATS, kind="prose")  # type: ignore[arg-type]
