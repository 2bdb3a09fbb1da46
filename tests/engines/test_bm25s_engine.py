"""What only bm25s has: methods, rescaled retrievers, analyzers it doesn't know of."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import qidf
from qidf.errors import IndexNotFoundError, InvalidArgumentError, UnsupportedError

bm25s = pytest.importorskip("bm25s")

TEXTS = ["quick brown fox", "lazy dog sleeps quick", "quick thinking", "foxes run", "a dog runs"]


def retriever(**options: Any) -> Any:
    made = bm25s.BM25(**options)
    made.index(bm25s.tokenize(TEXTS, show_progress=False), show_progress=False)
    return made


@pytest.mark.parametrize("method", ["lucene", "atire", "bm25l", "bm25+"])
def test_weighing_at_query_time_scores_as_rescaling_does(method: str) -> None:
    untouched, rescaled = retriever(method=method), retriever(method=method)
    asked = itertools.product(("auto", "paper"), ("dog fox", "lazy dog dog", "brown"))
    with qidf.connect(untouched) as engine:
        for weighting, query in asked:
            qidf.rescale(rescaled, 0.5, weighting=weighting)
            scores = rescaled.get_scores(query.split())
            for hit in engine.search(query, 5, 0.5, weighting=weighting):
                assert hit.score == pytest.approx(float(scores[hit.id]), rel=1e-5)


def test_the_retriever_stays_as_it_is() -> None:
    made = retriever()
    before = made.scores["data"].copy()
    keys = set(made.scores)
    with qidf.connect(made) as engine:
        engine.search("dog fox", 5, 0.5)
        engine.search("dog fox", 5, "auto")
    assert np.array_equal(made.scores["data"], before)
    assert set(made.scores) == keys


def test_a_rescaled_retriever_is_read_at_its_original_scores() -> None:
    plain, rescaled = retriever(), retriever()
    qidf.rescale(rescaled, 0.3)
    with qidf.connect(plain) as first, qidf.connect(rescaled) as second:
        for q in (1.0, 0.5):
            ours, theirs = (engine.search("dog fox", 5, q) for engine in (first, second))
            assert [hit.id for hit in ours] == [hit.id for hit in theirs]
            assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs])


def test_queries_go_through_the_tokenizer_that_is_given() -> None:
    made = bm25s.BM25()
    made.index([text.upper().split() for text in TEXTS], show_progress=False)
    with qidf.connect(made, tokenize=lambda text: text.upper().split()) as engine:
        assert engine.search("lazy", 5, 0.5)[0].id == 1
    with qidf.connect(made, analyzer="whitespace") as engine:
        assert engine.search("LAZY", 5, 0.5).hits == ()
    with pytest.raises(InvalidArgumentError, match="not both"):
        qidf.connect(made, analyzer="generic", tokenize=str.split)
    with pytest.raises(InvalidArgumentError, match="tokenize is a function"):
        qidf.connect(made, tokenize=3)


def test_ids_are_the_callers() -> None:
    with qidf.connect(retriever(), ids=list("abcde")) as engine:
        assert engine.search("lazy", 5, 0.5)[0].id == "b"
        mask = np.array([True, False, True, True, True])
        assert engine.search("lazy", 5, 0.5, filter=mask).hits == ()
        with pytest.raises(InvalidArgumentError, match="must hold 5 booleans"):
            engine.search("lazy", 5, 0.5, filter=np.array([True]))
        with pytest.raises(InvalidArgumentError, match="a boolean array or a collection of ids"):
            engine.search("lazy", 5, 0.5, filter="b")
    with pytest.raises(InvalidArgumentError, match="there are 2 ids for 5 documents"):
        qidf.connect(retriever(), ids=["a", "b"])


def test_an_idf_of_nothing_is_refused() -> None:
    made = bm25s.BM25(method="robertson")
    made.index([["all", "one"], ["all", "two"], ["all", "three"]], show_progress=False)
    with (
        qidf.connect(made, tokenize=str.split) as engine,
        pytest.raises(UnsupportedError, match="an idf of 0"),
    ):
        engine.search("all one", 3, 0.5)


def test_wrong_folders_and_retrievers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFoundError, match="no bm25s index in"):
        qidf.connect(f"bm25s:{tmp_path}")
    with pytest.raises(InvalidArgumentError, match="call its index"):
        qidf.connect(bm25s.BM25())
