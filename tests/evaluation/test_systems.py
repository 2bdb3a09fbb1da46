"""What can be compared, by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from small_datasets import dataset, datasets

from qidf.datasets import Dataset
from qidf.errors import InvalidArgumentError
from qidf.evaluation import (
    GAMMAS,
    Collection,
    DphSystem,
    FormulaSystem,
    Placement,
    QlogSystem,
    RunSystem,
    System,
    WeightingSystem,
    parse_baseline,
    rank_index,
    write_run,
)
from qidf.index import DEFAULT_B, DEFAULT_K1
from qidf.statistics import predict_q
from qidf.weighting import AUTO, BM25, Weighting
from qidf.weights import GammaIdf, RsjIdf


def test_names_stand_for_systems() -> None:
    assert parse_baseline("dph") == [DphSystem()]
    assert parse_baseline("gamma=2") == [FormulaSystem(GammaIdf(2.0))]
    assert parse_baseline(" rsj ") == [FormulaSystem(RsjIdf())]
    assert parse_baseline("run:some/file") == [RunSystem(Path("some/file"))]
    assert parse_baseline("auto") == [WeightingSystem(AUTO)]
    assert parse_baseline("qlog1p(q=0.5, k3=1)") == [WeightingSystem(Weighting("qlog1p", 0.5, 1))]


def test_gamma_stands_for_the_papers_six() -> None:
    assert [system.name for system in parse_baseline("gamma")] == [
        f"gamma(gamma={gamma!r})" for gamma in (0.5, 0.8, 1.0, 1.2, 1.5, 2.0)
    ]
    assert len(GAMMAS) == 6


@pytest.mark.parametrize("system", [*parse_baseline("gamma"), DphSystem(), FormulaSystem(RsjIdf())])
def test_names_parse_back(system: System) -> None:
    assert parse_baseline(system.name) == [system]


@pytest.mark.parametrize("name", ["bm26", "gamma=", "gamma=x", "gamma=-1", "", "qlog(k3=no)"])
def test_names_that_stand_for_nothing_are_refused(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="names no baseline"):
        parse_baseline(name)


def test_a_q_is_named_by_its_number_or_auto() -> None:
    assert [QlogSystem(q).name for q in (1.0, 0.05, "auto")] == ["q=1", "q=0.05", "q=auto"]


def test_auto_is_the_q_of_the_index() -> None:
    data = dataset({"a": "one two three", "b": "one"}, {"q": "one"}, {"q": {"a": 1}})
    collection = Collection.build(data)
    assert QlogSystem("auto").at(collection) == predict_q(collection.index.stats)
    assert QlogSystem(0.3).at(collection) == 0.3


@given(datasets())
@settings(max_examples=40, derandomize=True)
def test_an_outcome_is_what_the_whole_ranking_says(data: Dataset) -> None:
    collection = Collection.build(data)
    placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
    for system in (QlogSystem("auto"), QlogSystem(1.0), FormulaSystem(GammaIdf(2)), DphSystem()):
        outcome = system.outcome(placement, 5)
        run = system.run(collection, 5)
        np.testing.assert_array_equal(outcome.ranks, run.ranks(collection))
        assert outcome.answered.all()


def test_gamma_1_is_plain_bm25() -> None:
    data = dataset(
        {"a": "one two", "b": "one three", "c": "one"}, {"q": "one two"}, {"q": {"b": 1}}
    )
    collection = Collection.build(data)
    placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
    plain, gamma = (
        system.run(collection, 3) for system in (QlogSystem(1.0), FormulaSystem(GammaIdf(1.0)))
    )
    np.testing.assert_array_equal(plain.scores, gamma.scores)
    np.testing.assert_array_equal(
        QlogSystem(1.0).outcome(placement, 3).ranks,
        FormulaSystem(GammaIdf(1.0)).outcome(placement, 3).ranks,
    )


def test_a_run_file_answers_only_the_queries_it_has(tmp_path: Path) -> None:
    data = dataset({"a": "xx", "b": "yy"}, {"q": "xx", "r": "yy"}, {"q": {"a": 1}, "r": {"b": 1}})
    collection = Collection.build(data)
    write_run(rank_index(collection, 2, BM25), tmp_path / "run")
    lines = (tmp_path / "run").read_text().splitlines()
    (tmp_path / "run").write_text("\n".join(line for line in lines if line.startswith("r ")))
    placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
    outcome = RunSystem(tmp_path / "run").outcome(placement, 2)
    assert outcome.answered.tolist() == [False, True]
    assert outcome.ranks.tolist() == [0, 1]
