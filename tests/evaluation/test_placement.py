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
from qidf.evaluation.placement import found_nothing
from qidf.index import DEFAULT_B, DEFAULT_K1
from qidf.weighting import AUTO, BM25, Weighting
from qidf.weights import GammaIdf, RsjIdf

weightings = st.one_of(
    st.sampled_from([-1.0, 0.01, 0.05, 0.5, 0.9, 1.0, 1.1, 3.0]).map(
        lambda q: Weighting("qlog", q, None)
    ),
    st.builds(
        Weighting,
        st.sampled_from(["qlog", "qlog1p"]),
        st.floats(-1.5, 3.0),
        st.sampled_from([None, 0.0, 1.0, "auto"]),
    ),
    st.just(AUTO),
    st.sampled_from([GammaIdf(0.5), GammaIdf(2.0), RsjIdf()]).map(
        lambda formula: Weighting(formula, None, None)
    ),
)


def by_ranking(collection: Collection, weighting: Weighting, limit: int) -> np.ndarray:
    return rank_index(collection, limit, weighting).ranks(collection)


def by_counting(collection: Collection, weighting: Weighting, limit: int) -> np.ndarray:
    placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
    return placement.ranks(placement.weigh(weighting), limit)


@given(datasets(), weightings, st.integers(1, 25), st.sampled_from(TIES), st.booleans())
@settings(max_examples=300)
def test_counting_gives_the_ranks_of_ranking(
    data: Dataset, weighting: Weighting, limit: int, ties: Ties, keep: bool
) -> None:
    collection = Collection.build(data, ties=ties, keep_identical=keep)
    np.testing.assert_array_equal(
        by_counting(collection, weighting, limit), by_ranking(collection, weighting, limit)
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
    weighting = Weighting("qlog", q, None)
    np.testing.assert_array_equal(
        by_counting(collection, weighting, limit), by_ranking(collection, weighting, limit)
    )


def test_queries_without_a_word_that_counts_are_counted() -> None:
    texts = {"a": "common rare", "b": "common", "c": "common other"}
    queries = {"none": "unheard of", "some": "rare", "all": "common", "empty": ""}
    collection = Collection.build(dataset(texts, queries, {name: {"a": 1} for name in queries}))
    placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
    # The paper's formula lets a word in every document count against it, the shifted one doesn't.
    assert found_nothing(placement.weigh(BM25)) == 2
    assert found_nothing(placement.weigh(Weighting("qlog1p", 0.5, 1.0))) == 2
    assert found_nothing(placement.weigh(Weighting("qlog", 0.5, None))) == 3


def test_a_collection_without_a_single_word_ranks_nothing() -> None:
    collection = Collection.build(dataset({"a": "", "b": ""}, {"q": "x"}, {"q": {"a": 1}}))
    assert by_counting(collection, Weighting("qlog", 0.5, 1.0), 10).tolist() == [0]


@pytest.mark.parametrize("q", [0.5, 1.0])
def test_a_hidden_document_is_not_counted_however_late_it_gets_ahead(q: float) -> None:
    texts = {"own": "rare some", "gold": "rare some more words to make it longer"}
    texts |= {f"d{number}": "some other" for number in range(2)}
    texts |= {f"e{number}": f"filler{number} text" for number in range(20)}
    # One word alone doesn't take the query's own document past the right one, both do.
    collection = Collection.build(dataset(texts, {"own": "rare some"}, {"own": {"gold": 1}}))
    for limit in (1, 10):
        assert by_counting(collection, Weighting("qlog1p", q, None), limit).tolist() == [1]
