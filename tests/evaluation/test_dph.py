"""DPH: against its formula written out, and against Xapian's own."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_datasets import WORDS, dataset, datasets

from qidf.datasets import Dataset
from qidf.evaluation import Collection, dph_weights, rank_dph


def weight(tf: int, length: int, frequency: int, average: float, num_docs: int) -> float:
    """The formula, one posting at a time."""
    share = tf / length if tf < length else 0.99999
    norm = (1 - share) * (1 - share) / (tf + 1)
    return norm * (
        tf * math.log2((tf * average / length) * (num_docs / frequency))
        + 0.5 * math.log2(2 * math.pi * tf * (1 - share))
    )


def naive(data: Dataset, keep_identical: bool = True) -> dict[str, dict[str, float]]:
    """Every document that has a query's word, with its score."""
    tokens = {name: text.split() for name, text in data.documents}
    counts = {name: Counter(words) for name, words in tokens.items()}
    total = Counter(word for words in tokens.values() for word in words)
    average = sum(map(len, tokens.values())) / len(tokens)
    found: dict[str, dict[str, float]] = {}
    for query_id, text in data.queries:
        scores: dict[str, float] = {}
        for word in text.split():
            for name, count in counts.items():
                if count[word]:
                    added = weight(
                        count[word], len(tokens[name]), total[word], average, len(tokens)
                    )
                    scores[name] = scores.get(name, 0.0) + added
        if not keep_identical:
            scores.pop(query_id, None)
        found[query_id] = scores
    return found


@given(datasets(), st.booleans())
@settings(max_examples=100)
def test_every_document_with_a_word_is_ranked_by_the_formula(data: Dataset, keep: bool) -> None:
    collection = Collection.build(data, analyzer="whitespace", keep_identical=keep)
    run = rank_dph(collection, 30)
    for query_id, row, scores in zip(run.query_ids, run.positions, run.scores, strict=True):
        expected = naive(data, keep)[query_id]
        names = [run.doc_ids[at] for at in row if at >= 0]
        assert set(names) == set(expected)
        found = scores[: len(names)]
        np.testing.assert_allclose(found, [expected[name] for name in names], rtol=1e-5, atol=1e-6)
        keys = list(zip(-found, row[: len(names)], strict=True))
        assert keys == sorted(keys)


@given(datasets(), st.integers(1, 5))
@settings(max_examples=50)
def test_a_shallow_ranking_is_the_beginning_of_a_deep_one(data: Dataset, depth: int) -> None:
    collection = Collection.build(data, analyzer="whitespace")
    deep, shallow = rank_dph(collection, 30), rank_dph(collection, depth)
    size = shallow.positions.shape[1]
    np.testing.assert_array_equal(shallow.positions, deep.positions[:, :size])
    np.testing.assert_array_equal(shallow.scores, deep.scores[:, :size])


def test_a_document_of_one_repeated_word_has_a_finite_score() -> None:
    found = dph_weights(np.array([1, 3]), np.array([1, 3]), np.array([4, 4]), 2.0, 10)
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(weight(1, 1, 4, 2.0, 10))


def test_a_common_word_can_count_against_a_document() -> None:
    texts = {f"d{number}": "always " * 3 + f"w{number}" for number in range(5)}
    texts["long"] = "always " + " ".join(f"v{number}" for number in range(30))
    collection = Collection.build(
        dataset(texts, {"q": "always"}, {"q": {"long": 1}}), analyzer="whitespace"
    )
    run = rank_dph(collection, 10)
    assert run.scores.min() < 0
    assert (run.positions >= 0).sum() == 6


@pytest.mark.parametrize("seed", [0, 1])
def test_xapian_gives_the_same_scores_where_they_are_positive(seed: int) -> None:
    xapian = pytest.importorskip("xapian", reason="Debian's python3-xapian isn't there")
    random = np.random.default_rng(seed)
    odds = 1 / np.arange(1, len(WORDS) + 1)
    texts = {
        f"d{number}": " ".join(
            random.choice(WORDS, int(random.integers(2, 30)), p=odds / odds.sum())
        )
        for number in range(60)
    }
    queries = {f"q{number}": word for number, word in enumerate(WORDS)}
    data = dataset(texts, queries, {name: {"d0": 1} for name in queries})
    database = xapian.WritableDatabase("", xapian.DB_BACKEND_INMEMORY)
    for text in texts.values():
        document = xapian.Document()
        for word in text.split():
            document.add_term(word)
        database.add_document(document)
    run = rank_dph(Collection.build(data, analyzer="whitespace"), 60)
    for query_id, row, scores in zip(run.query_ids, run.positions, run.scores, strict=True):
        enquire = xapian.Enquire(database)
        enquire.set_weighting_scheme(xapian.DPHWeight())
        enquire.set_query(xapian.Query(queries[query_id]))
        theirs = {f"d{match.docid - 1}": match.weight for match in enquire.get_mset(0, 60)}
        ours = {run.doc_ids[at]: score for at, score in zip(row, scores, strict=True) if at >= 0}
        # Xapian clamps what counts against a document to nothing.
        for name, score in ours.items():
            assert max(score, 0.0) == pytest.approx(theirs.get(name, 0.0), rel=1e-6, abs=1e-6)
