"""The arithmetic of boosts, without any engine."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.engines import Capabilities, TermStatistics
from qidf.engines.boosts import lucene_idf, own_terms, plan_boosts
from qidf.errors import InvalidArgumentError, UnsupportedError
from qidf.weighting import Weighting
from qidf.weights import LuceneIdf, QlogRsj


def paper(q: float) -> Weighting:
    return Weighting("qlog", q, None)


ANYTHING = Capabilities(
    exact_statistics=True,
    enumerates_vocabulary=True,
    max_clauses=None,
    takes_negative_weights=True,
    keeps_k1_plus_1=False,
    quantises_length=False,
    counts_deleted=False,
    duplicate_terms="add up",
    float32_weights=False,
)
COUNTS = TermStatistics(1_000, {"rare": 1, "some": 40, "common": 800})


@given(
    doc_freqs=st.lists(st.integers(1, 1_000), min_size=1, max_size=30),
    q=st.floats(-1, 3).filter(lambda q: abs(q - 1) > 1e-6),
)
def test_a_boost_times_the_engines_idf_is_the_qlog_idf(doc_freqs: list[int], q: float) -> None:
    counts = TermStatistics(1_000, {f"t{at}": count for at, count in enumerate(doc_freqs)})
    plan = plan_boosts(counts.doc_freqs, counts, paper(q), lucene_idf, ANYTHING)
    for boost in plan.boosts:
        wanted = QlogRsj(q).weight(boost.doc_freq, 1_000)
        assert boost.weight * lucene_idf(boost.doc_freq, 1_000) == pytest.approx(wanted)
        assert boost.idf == wanted


@given(doc_freq=st.integers(1, 10_000))
def test_lucenes_idf_is_the_packages_own(doc_freq: int) -> None:
    assert lucene_idf(doc_freq, 10_000) == pytest.approx(LuceneIdf().weight(doc_freq, 10_000))


def test_terms_keep_the_order_of_the_query_and_unknown_ones_are_left_out() -> None:
    plan = plan_boosts(
        ["some", "nowhere", "rare", "some"], COUNTS, paper(0.5), lucene_idf, ANYTHING
    )
    assert [(boost.term, boost.count) for boost in plan.boosts] == [("some", 2), ("rare", 1)]
    assert plan.notes == ()


def test_a_repeated_term_weighs_what_the_engine_makes_of_it() -> None:
    once, twice, kept = (
        plan_boosts(tokens, COUNTS, paper(0.5), lucene_idf, ANYTHING, count_factor=factor).boosts[0]
        for tokens, factor in (
            (["rare"], float),
            (["rare"] * 2, float),
            (["rare"] * 2, lambda count: 1.0),
        )
    )
    assert twice.weight == 2 * once.weight
    assert kept.weight == once.weight


def test_repeats_saturate_the_same_on_every_engine() -> None:
    weighting = Weighting("qlog1p", 0.5, 1.0)
    for factor in (float, lambda count: 1.0):
        once, thrice = (
            plan_boosts(
                tokens, COUNTS, weighting, lucene_idf, ANYTHING, count_factor=factor
            ).boosts[0]
            for tokens in (["rare"], ["rare"] * 3)
        )
        assert (once.factor, thrice.factor) == (1.0, 1.5)
        assert thrice.weight == pytest.approx(1.5 * once.weight)


def test_the_default_formula_clamps_nothing() -> None:
    cautious = replace(ANYTHING, takes_negative_weights=False)
    weighting = Weighting("qlog1p", 0.5, 1.0)
    plan = plan_boosts(["common", "rare"], COUNTS, weighting, lucene_idf, cautious)
    assert (plan.clamped, plan.notes) == ((), ())
    assert all(boost.weight > 0 for boost in plan.boosts)


def test_negative_weights_stay_where_an_engine_takes_them() -> None:
    plan = plan_boosts(["common", "rare"], COUNTS, paper(0.5), lucene_idf, ANYTHING)
    assert plan.boosts[0].weight < 0
    assert not plan.clamped


def test_negative_weights_are_clamped_and_said_where_it_does_not() -> None:
    cautious = replace(ANYTHING, takes_negative_weights=False)
    plan = plan_boosts(["common", "rare"], COUNTS, paper(0.5), lucene_idf, cautious)
    assert [boost.term for boost in plan.boosts] == ["rare"]
    assert [boost.term for boost in plan.clamped] == ["common"]
    (note,) = plan.notes
    assert (note.kind, note.terms) == ("clamped", ("common",))
    assert str(note) == (
        "1 term in more than half of the documents would weigh less than nothing by"
        " q = 0.500 (paper), which"
        " this engine can't take, and counts for nothing: common."
    )


def test_beyond_the_limit_the_lightest_terms_are_dropped_and_said() -> None:
    counts = TermStatistics(1_000, {f"t{at}": at + 1 for at in range(20)})
    tokens = [f"t{at}" for at in reversed(range(20))]
    plan = plan_boosts(tokens, counts, paper(0.5), lucene_idf, replace(ANYTHING, max_clauses=12))
    assert [boost.term for boost in plan.boosts] == [f"t{at}" for at in reversed(range(12))]
    (note,) = plan.notes
    assert note.kind == "dropped"
    assert set(note.terms) == {f"t{at}" for at in range(12, 20)}
    assert "8 terms of lowest weight beyond the engine's limit of 12 clauses were dropped" in str(
        note
    )
    assert "and 3 more" in str(note)


def test_at_the_limit_nothing_is_dropped() -> None:
    plan = plan_boosts(
        ["rare", "some"], COUNTS, paper(0.5), lucene_idf, replace(ANYTHING, max_clauses=2)
    )
    assert not plan.dropped


def test_a_term_said_often_is_kept_for_what_it_adds() -> None:
    counts = TermStatistics(1_000, {"a": 10, "b": 12})
    one = replace(ANYTHING, max_clauses=1)
    assert plan_boosts(["a", "b"], counts, paper(0.5), lucene_idf, one).boosts[0].term == "a"
    assert plan_boosts(["a", "b", "b"], counts, paper(0.5), lucene_idf, one).boosts[0].term == "b"


def test_a_callers_limit_lowers_the_engines() -> None:
    capable = replace(ANYTHING, max_clauses=10)
    plan = plan_boosts(["rare", "some"], COUNTS, paper(0.5), lucene_idf, capable, max_clauses=1)
    assert [boost.term for boost in plan.boosts] == ["rare"]


def test_the_engines_own_query_is_cut_the_same_way() -> None:
    kept, notes = own_terms(["common", "rare", "some", "rare"], COUNTS, lucene_idf, 2)
    assert kept == ["rare", "some", "rare"]
    assert notes[0].terms == ("common",)
    assert own_terms(["common", "rare"], COUNTS, lucene_idf, 2) == (["common", "rare"], ())


def test_q_1_has_no_boosts() -> None:
    with pytest.raises(InvalidArgumentError, match="BM25 is the engine's own query"):
        plan_boosts(["rare"], COUNTS, paper(1.0), lucene_idf, ANYTHING)


def test_a_boost_beyond_float32_is_refused() -> None:
    counts = TermStatistics(1_000_000, {"rare": 1})
    with pytest.raises(UnsupportedError, match="too large for this engine's numbers"):
        plan_boosts(
            ["rare"], counts, paper(-6.0), lucene_idf, replace(ANYTHING, float32_weights=True)
        )


def test_an_idf_of_nothing_cannot_be_boosted() -> None:
    with pytest.raises(UnsupportedError, match="no boost brings its score back"):
        plan_boosts(["rare"], COUNTS, paper(0.5), lambda doc_freq, num_docs: 0.0, ANYTHING)


def test_a_count_in_flight_cannot_exceed_the_documents() -> None:
    counts = TermStatistics(9, {"new": 10})
    (boost,) = plan_boosts(["new"], counts, paper(0.5), lucene_idf, ANYTHING).boosts
    assert math.isfinite(boost.weight)
