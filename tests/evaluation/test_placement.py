"""Ranks found by counting are those of ranking everything, to the last tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_datasets import dataset, datasets

from qidf.datasets import Dataset
from qidf.evaluation import Collection, Placement, rank_index
from qidf.evaluation.collection import TIES, Ties
from qidf.index import DEFAULT_B, DEFAULT_K1
from qidf.index.scoring import Scoring
from qidf.weights import GammaIdf, IdfFormula, RsjIdf, scoring_formula

formulas = st.one_of(
    st.sampled_from([-1.0, 0.01, 0.05, 0.5, 0.9, 1.0, 1.1, 3.0]).map(scoring_formula),
    st.floats(-1.5, 3.0).map(scoring_formula),
    st.sampled_from([GammaIdf(0.5), GammaIdf(2.0), RsjIdf()]),
)


def by_ranking(collection: Collection, formula: IdfFormula, limit: int) -> np.ndarray:
    return rank_index(collection, limit, formula=formula).ranks(collection)


def by_counting(collection: Collection, formula: IdfFormula, limit: int) -> np.ndarray:
    placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
    return placement.ranks(Scoring(formula), limit)


@given(datasets(), formulas, st.integers(1, 25), st.sampled_from(TIES), st.booleans())
@settings(max_examples=300)
def test_counting_gives_the_ranks_of_ranking(
    data: Dataset, formula: IdfFormula, limit: int, ties: Ties, keep: bool
) -> None:
    collection = Collection.build(data, ties=ties, keep_identical=keep)
    np.testing.assert_array_equal(
        by_counting(collection, formula, limit), by_ranking(collection, formula, limit)
    )


@pytest.mark.parametrize("q", [0.05, 0.5, 0.9, 1.0, 1.1])
@pytest.mark.parametrize("limit", [1, 10, 100])
def test_a_larger_collection_agrees_too(q: float, limit: int) -> None:
    # Long lists, so that both ways to add a term to what is left are taken; many equal documents.
    random = np.random.default_rng(7)
    odds = 1 / np.arange(1, 801) ** 1.05
    draws = random.choice(800, (3_000, 12), p=odds / odds.sum())
    texts = {
        f"d{number}": " ".join(f"w{word}" for word in row[: 1 + number % 12].tolist())
        for number, row in enumerate(draws)
    }
    queries, judgements = {}, {}
    for number in range(60):
        source = int(random.integers(3_000))
        noise = random.choice(800, 6, p=odds / odds.sum())
        words = [*texts[f"d{source}"].split()[:4], *(f"w{word}" for word in noise)]
        # Some are not to find the very document they were made of, which would come first.
        name = f"q{number}" if number % 2 else f"d{source}"
        queries[name] = " ".join(words)
        others = random.integers(0, 3_000, 20).tolist()
        judgements[name] = {"gone": 1, **{f"d{other}": 1 for other in [source, *others]}}
    collection = Collection.build(dataset(texts, queries, judgements))
    formula = scoring_formula(q)
    np.testing.assert_array_equal(
        by_counting(collection, formula, limit), by_ranking(collection, formula, limit)
    )


def test_queries_without_a_word_that_counts_are_counted() -> None:
    texts = {"a": "common rare", "b": "common", "c": "common other"}
    queries = {"none": "unheard of", "some": "rare", "all": "common", "empty": ""}
    collection = Collection.build(dataset(texts, queries, {name: {"a": 1} for name in queries}))
    placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
    # At q = 1 every word counts for something; elsewhere one in every document counts against.
    assert placement.found_nothing(Scoring.at(1.0)) == 2
    assert placement.found_nothing(Scoring.at(0.5)) == 3


def test_a_collection_without_a_single_word_ranks_nothing() -> None:
    collection = Collection.build(dataset({"a": "", "b": ""}, {"q": "x"}, {"q": {"a": 1}}))
    assert by_counting(collection, scoring_formula(0.5), 10).tolist() == [0]


@pytest.mark.parametrize("q", [0.5, 1.0])
def test_a_hidden_document_is_not_counted_however_late_it_gets_ahead(q: float) -> None:
    texts = {"own": "rare some", "gold": "rare some more words to make it longer"}
    texts |= {f"d{number}": "some other" for number in range(2)}
    texts |= {f"e{number}": f"filler{number} text" for number in range(20)}
    # One word alone doesn't take the query's own document past the right one, both do.
    collection = Collection.build(dataset(texts, {"own": "rare some"}, {"own": {"gold": 1}}))
    for limit in (1, 10):
        assert by_counting(collection, scoring_formula(q), limit).tolist() == [1]
