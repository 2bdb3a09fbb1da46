"""Measures from ranks: by hand, by their laws, and by trec_eval itself on random runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_datasets import datasets

from qidf.datasets import Dataset
from qidf.errors import InvalidArgumentError, MissingExtraError
from qidf.evaluation import (
    Collection,
    Measure,
    Relevance,
    Run,
    ir_measures_values,
    parse_measure,
)

MEASURES = [Measure(kind, cutoff) for kind in ("ndcg", "mrr", "recall") for cutoff in (1, 3, 10)]


def relevance(*grades: dict[str, int]) -> Relevance:
    """Queries 0, 1, ... whose documents d0, d1, ... have these grades."""
    judgements = {str(query): each for query, each in enumerate(grades)}
    return Relevance.from_judgements(
        judgements, list(judgements), {f"d{number}": number for number in range(50)}
    )


def value(name: str, pairs: Relevance, ranking: list[list[int]]) -> list[float]:
    width = max(map(len, ranking))
    positions = np.array([[*row, *[-1] * (width - len(row))] for row in ranking])
    measure = parse_measure(name)
    return measure.per_query(pairs, pairs.ranks_in(positions)).tolist()


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    pairs = relevance({"d1": 1})
    assert value("ndcg@10", pairs, [[1, 2, 3]]) == [1.0]
    assert value("ndcg@10", pairs, [[2, 3, 1]]) == [pytest.approx(1 / math.log2(4))]
    assert value("ndcg@2", pairs, [[2, 3, 1]]) == [0.0]


def test_ndcgs_gain_is_the_grade_and_its_ideal_holds_what_was_not_found() -> None:
    pairs = relevance({"d1": 3, "d2": 1, "d3": 0})
    found = 1 + 3 / math.log2(3)
    assert value("ndcg@10", pairs, [[2, 1]]) == [pytest.approx(found / (3 + 1 / math.log2(3)))]
    assert value("ndcg@10", pairs, [[3, 4]]) == [0.0]


def test_mrr_looks_at_the_first_relevant_document_only() -> None:
    pairs = relevance({"d1": 1, "d2": 3})
    assert value("mrr@10", pairs, [[5, 2, 1]]) == [0.5]
    assert value("mrr@1", pairs, [[5, 2, 1]]) == [0.0]


def test_recall_is_the_share_that_was_found() -> None:
    pairs = relevance({"d1": 1, "d2": 3, "d3": 1, "d4": 0}, {"d9": 1})
    assert value("recall@2", pairs, [[1, 4, 2, 3], [9]]) == [pytest.approx(1 / 3), 1.0]


def test_a_query_that_nothing_is_relevant_to_scores_zero() -> None:
    pairs = relevance({"d1": 0}, {"d2": 1})
    for name in ("ndcg@10", "mrr@10", "recall@10"):
        assert value(name, pairs, [[1], [2]]) == [0.0, 1.0]


def test_a_relevant_document_that_does_not_exist_is_never_found() -> None:
    pairs = Relevance.from_judgements({"q": {"d0": 1, "ghost": 1}}, ["q"], {"d0": 0})
    assert value("recall@10", pairs, [[0, -1]]) == [0.5]


def test_names_parse_back() -> None:
    for measure in MEASURES:
        assert parse_measure(str(measure)) == measure
    assert parse_measure(" NDCG@10 ") == Measure("ndcg", 10)


@pytest.mark.parametrize("name", ["ndcg", "ndcg@0", "ndcg@-1", "ndcg@ten", "@10", ""])
def test_names_that_say_nothing_are_refused(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="names no measure"):
        parse_measure(name)


def test_unknown_kinds_and_cutoffs_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="there is no measure 'map'"):
        parse_measure("map@10")
    for cutoff in (0, True, 1.5):
        with pytest.raises(InvalidArgumentError, match="its cutoff can't be"):
            Measure("ndcg", cutoff)  # type: ignore[arg-type]


@st.composite
def ranked(draw: st.DrawFn) -> tuple[Relevance, np.ndarray]:
    """Judgements and rankings of them, complete or not."""
    num_queries = draw(st.integers(1, 5))
    judged = st.dictionaries(
        st.integers(0, 14).map("d{}".format), st.integers(0, 3), min_size=1, max_size=8
    )
    pairs = relevance(*(draw(judged) for _ in range(num_queries)))
    depth = draw(st.integers(1, 15))
    rows = [draw(st.permutations(range(15)))[:depth] for _ in range(num_queries)]
    return pairs, np.array(rows)


@given(ranked())
def test_every_measure_lies_between_0_and_1(case: tuple[Relevance, np.ndarray]) -> None:
    pairs, positions = case
    for measure in MEASURES:
        values = measure.per_query(pairs, pairs.ranks_in(positions))
        assert ((values >= 0) & (values <= 1 + 1e-12)).all()


@given(ranked(), st.integers(0, 4))
def test_moving_a_relevant_document_up_never_hurts(
    case: tuple[Relevance, np.ndarray], query: int
) -> None:
    pairs, positions = case
    query %= pairs.num_queries
    grades = dict(
        zip(
            pairs.docs[pairs.queries == query],
            pairs.grades[pairs.queries == query],
            strict=True,
        )
    )
    better = positions.copy()
    for at in range(1, better.shape[1]):
        upper, lower = better[query, at - 1], better[query, at]
        if grades.get(lower, 0) > grades.get(upper, 0):
            better[query, at - 1], better[query, at] = lower, upper
    for measure in MEASURES:
        before = measure.per_query(pairs, pairs.ranks_in(positions))
        after = measure.per_query(pairs, pairs.ranks_in(better))
        assert (after >= before - 1e-12).all()


@given(ranked())
def test_recall_grows_with_the_cutoff(case: tuple[Relevance, np.ndarray]) -> None:
    pairs, positions = case
    ranks = pairs.ranks_in(positions)
    values = [Measure("recall", cutoff).per_query(pairs, ranks) for cutoff in (1, 2, 5, 10, 20)]
    assert (np.diff(values, axis=0) >= 0).all()


@given(datasets(grades=(-1, 0, 1, 2, 3)), st.randoms(use_true_random=False), st.integers(1, 12))
def test_trec_eval_gives_the_same_values_on_random_runs(
    data: Dataset, random: object, depth: int
) -> None:
    pytest.importorskip("ir_measures", reason="the eval extra brings trec_eval")
    collection = Collection.build(data, keep_identical=True)
    generator = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    size = len(collection.doc_ids)
    depth = min(depth, size)
    positions = np.array(
        [generator.permutation(size)[:depth] for _ in range(data.num_queries)], np.int64
    )
    # Some rows are short, and some are empty.
    for row, length in zip(
        positions, generator.integers(0, depth + 1, len(positions)), strict=True
    ):
        row[length:] = -1
    scores = np.sort(generator.integers(0, 5, positions.shape), axis=1)[:, ::-1].astype(np.float32)
    # Equal scores are in trec_eval's order: by id, descending, which is the collection's order.
    for row, score in zip(positions, scores, strict=True):
        known = row >= 0
        row[known] = row[known][np.lexsort((row[known], -score[known]))]
    run = Run("random", data.queries.ids, collection.doc_ids, positions, scores)
    for trec_ties in (True, False):
        theirs = ir_measures_values(run, data.judgements, MEASURES, trec_ties=trec_ties)
        for measure in MEASURES:
            ours = measure.per_query(collection.relevance, run.ranks(collection))
            np.testing.assert_allclose(ours, theirs[str(measure)], atol=1e-12)


def test_without_ir_measures_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ir_measures", None)
    run = Run("x", ["q"], ["d"], np.array([[0]]), np.array([[1.0]]))
    with pytest.raises(MissingExtraError, match=r"pip install 'qidf\[eval\]'"):
        ir_measures_values(run, {"q": {"d": 1}}, MEASURES)


def test_a_failed_query_has_no_value_at_ir_measures_either() -> None:
    pytest.importorskip("ir_measures", reason="the eval extra brings trec_eval")
    positions = np.array([[0], [-1]])
    run = Run("x", ["q", "r"], ["d"], positions, np.ones((2, 1)), {"r": "it broke"})
    values = ir_measures_values(run, {"q": {"d": 1}, "r": {"d": 1}}, [Measure("mrr", 10)])
    np.testing.assert_array_equal(values["mrr@10"], [1.0, np.nan])
