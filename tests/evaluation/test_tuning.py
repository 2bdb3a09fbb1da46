"""Tuning q: rows are those of an evaluation, and the choice is made of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from small_datasets import dataset

from qidf.datasets import Dataset
from qidf.errors import InvalidArgumentError
from qidf.evaluation import (
    FALLBACK_GRID,
    MAX_GRID,
    QlogSystem,
    Settings,
    choose,
    evaluate,
    paired_bootstrap,
    tune,
)
from qidf.weighting import AUTO

QUICK = Settings(resamples=200)


@pytest.fixture(scope="module")
def names() -> Dataset:
    """Functions whose camel-case names are rare, asked for by name among common words."""
    rng = np.random.default_rng(3)
    common = [f"w{number}" for number in range(12)]
    documents, queries, judgements = {}, {}, {}
    for number in range(60):
        name = f"load{'abcdefghij'[number % 10]}Part{number}"
        filler = " ".join(rng.choice(common, 14))
        documents[f"d{number}"] = f"{name} {filler}"
        queries[f"q{number}"] = f"{name} {' '.join(rng.choice(common, 9))}"
        judgements[f"q{number}"] = {f"d{number}": 1}
    return dataset(documents, queries, judgements)


def test_rows_are_those_of_an_evaluation(names: Dataset) -> None:
    tuned = tune(names, settings=QUICK).first
    systems = [QlogSystem(q, AUTO) for q in [*FALLBACK_GRID, "auto"]]
    expected = evaluate(names, systems, QUICK)
    for row, other in zip([*tuned.rows, tuned.predicted], expected.rows, strict=True):
        assert row.q == other.q
        np.testing.assert_array_equal(row.values["ndcg@10"], other.values["ndcg@10"])
    values = [row.values["ndcg@10"] for row in tuned.rows]
    predicted = tuned.predicted.values["ndcg@10"]
    assert list(tuned.against_predicted) == paired_bootstrap(predicted, values, resamples=200)
    judged = choose(np.array(values), expected.baseline.values["ndcg@10"], predicted, resamples=200)
    assert tuned.choice.verdict == judged.verdict
    assert tuned.best is tuned.rows[judged.best]


def test_q_is_exactly_the_one_that_was_asked_for(names: Dataset) -> None:
    assert [row.q for row in tune(names, [0.7, 0.1, 0.1], QUICK).first.rows] == [0.1, 0.7]


def test_several_analyzers_are_picked_from_together(names: Dataset) -> None:
    tuning = tune(names, [0.5, 1], QUICK, analyzers=["generic", "subtoken", "generic"])
    assert [each.analyzer for each in tuning.tuned] == ["generic", "subtoken"]
    assert tuning.across is not None
    winner, row = tuning.winner
    means = {
        (each.analyzer, line.q): line.mean("ndcg@10") for each in tuning.tuned for line in each.rows
    }
    assert means[winner.analyzer, row.q] == max(means.values())
    alone = tune(names, [0.5, 1], Settings(analyzer="subtoken", resamples=200))
    assert alone.across is None
    assert alone.to_dict()["analyzers"] == [tuning.tuned[1].to_dict()]


def test_of_equal_analyzers_the_first_wins(names: Dataset) -> None:
    tuning = tune(names, [1.0], QUICK, analyzers=["generic", "generic(stopwords=english)"])
    first, second = tuning.tuned
    assert first.best.mean("ndcg@10") == second.best.mean("ndcg@10")
    assert tuning.winner[0] is first


def test_json_holds_the_verdict_and_what_it_rests_on(names: Dataset) -> None:
    found = json.loads(
        json.dumps(tune(names, settings=QUICK, analyzers=["generic", "subtoken"]).to_dict())
    )
    assert found["num_queries"] == 60
    assert found["verdict"] in ("tuned", "predicted", "bm25", "no-difference", "too-small")
    assert (found["q"] is None) == (found["verdict"] == "too-small")
    first = found["analyzers"][0]
    assert (first["q"], first["q_pred"]) == (found["q"], found["q_pred"])
    assert [row["q"] for row in first["rows"]] == list(FALLBACK_GRID)
    for row in first["rows"]:
        low, high = row["against_predicted"]["ci95"]
        assert low <= row["against_predicted"]["delta"] <= high
    assert {"against_bm25", "against_predicted", "predicted_against_bm25", "mean"} == set(
        first["held_out"]
    )
    assert found["across"]["analyzer"] in ("generic", "subtoken")


def test_many_collections_are_tuned_as_one(names: Dataset) -> None:
    tuning = tune([names, names], [0.5], QUICK, name="both")
    assert tuning.dataset == "both"
    assert tuning.first.evaluation.num_queries == 120


@pytest.mark.parametrize("qs", [[], [q / 20 for q in range(1, MAX_GRID + 2)]])
def test_a_grid_has_one_to_ten_values(names: Dataset, qs: list[float]) -> None:
    with pytest.raises(InvalidArgumentError, match="give at"):
        tune(names, qs)


@pytest.mark.parametrize("q", [float("nan"), float("inf")])
def test_a_q_that_is_no_number_is_refused(names: Dataset, q: float) -> None:
    with pytest.raises(InvalidArgumentError, match="no finite number"):
        tune(names, [0.5, q])
