"""Counts read back from bm25s scores against a recount of the tokens."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_bm25 import METHODS, code_like_corpus

from qidf.engines.bm25s_index import corpus_stats, rescale
from qidf.errors import InvalidArgumentError, UnsupportedError
from qidf.statistics import CorpusStats

bm25s = pytest.importorskip("bm25s", reason="the bm25s extra is not installed")


def built(corpus: list[list[str]], **options: Any) -> Any:
    retriever = bm25s.BM25(**options)
    retriever.index(corpus, show_progress=False)
    return retriever


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (1.2, 0.0), (2.0, 0.95)])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_counts_of_a_code_like_corpus_come_back(
    method: str, k1: float, b: float, dtype: str
) -> None:
    corpus = code_like_corpus(400, seed=5)
    retriever = built(corpus, method=method, idf_method="lucene", k1=k1, b=b, dtype=dtype)
    assert corpus_stats(retriever) == CorpusStats.from_tokens(corpus)
    rescale(retriever, 0.2)
    assert corpus_stats(retriever) == CorpusStats.from_tokens(corpus)


def test_documents_in_which_every_term_is_repeated_are_counted_right() -> None:
    corpus = code_like_corpus(400, seed=6)
    for i in range(0, 400, 5):
        corpus[i] = corpus[i] * (2 + i % 3)
    assert corpus_stats(built(corpus)) == CorpusStats.from_tokens(corpus)


def test_documents_without_tokens_are_counted() -> None:
    corpus = code_like_corpus(100, seed=7)
    corpus[3] = corpus[50] = []
    assert corpus_stats(built(corpus)) == CorpusStats.from_tokens(corpus)


def test_one_huge_document_among_short_ones_is_counted_right() -> None:
    corpus = code_like_corpus(300, seed=8)
    rng = random.Random(9)
    corpus[0] = [f"huge{rng.randrange(3000)}" for _ in range(20_000)]
    assert corpus_stats(built(corpus)) == CorpusStats.from_tokens(corpus)


def test_one_document_of_a_single_repeated_term_does_not_hide_the_others() -> None:
    corpus = code_like_corpus(300, seed=8)
    corpus[0] = ["zero"] * 50_000 + ["once", "twice", "twice"]
    found, counted = corpus_stats(built(corpus)), CorpusStats.from_tokens(corpus)
    # float32 holds a count of 50,000 to within some hundreds, once it is saturated.
    assert found.num_tokens == pytest.approx(counted.num_tokens, rel=0.02)
    assert found.htok * found.num_tokens == pytest.approx(counted.htok * counted.num_tokens)


words = st.lists(st.sampled_from("abcdefgh"), max_size=8)


@settings(max_examples=300)
@given(
    corpus=st.lists(words, min_size=1, max_size=8).filter(any),
    method=st.sampled_from(METHODS),
    b=st.sampled_from([0.0, 0.3, 0.75]),
)
def test_counts_are_right_or_refused_but_never_wrong(
    corpus: list[list[str]], method: str, b: float
) -> None:
    retriever = built(corpus, method=method, idf_method="lucene", b=b)
    try:
        found = corpus_stats(retriever)
    except UnsupportedError:
        return
    assert found == CorpusStats.from_tokens(corpus)


@pytest.mark.parametrize("method", METHODS)
def test_the_last_bits_of_a_score_do_not_matter(method: str) -> None:
    # numpy 1 rounded to float32 at every step, numpy 2 only at the end.
    corpus = code_like_corpus(400, seed=14)
    retriever = built(corpus, method=method, idf_method="lucene")
    data = retriever.scores["data"]
    steps = np.random.default_rng(15).integers(-3, 4, data.size)
    retriever.scores["data"] = (data.view(np.int32) + steps.astype(np.int32)).view(np.float32)
    assert corpus_stats(retriever) == CorpusStats.from_tokens(corpus)
    assert rescale(retriever, 0.5) == 0.5


def test_half_precision_hides_the_counts() -> None:
    corpus = code_like_corpus(100, seed=16)
    retriever = built(corpus)
    retriever.scores["data"] = retriever.scores["data"].astype(np.float16)
    with pytest.raises(UnsupportedError, match="pass corpus_tokens"):
        corpus_stats(retriever)
    assert rescale(retriever, htok=0.1) < 0.3


def test_plain_scores_of_any_corpus_pass_for_plain() -> None:
    # Repetition of whole documents is where proportions stop being whole numbers.
    rng = random.Random(10)
    for repeats in (1, 2, 3):
        corpus = [
            [f"w{rng.randrange(40)}" for _ in range(rng.randint(1, 12))] * repeats
            for _ in range(200)
        ]
        retriever = built(corpus)
        assert rescale(retriever, 0.5) == 0.5


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # bm25s divides by a length of zero
def test_an_index_of_empty_documents_has_no_counts() -> None:
    retriever = bm25s.BM25()
    retriever.index(([[], []], {"": 0}), show_progress=False)
    with pytest.raises(UnsupportedError, match="pass corpus_tokens"):
        corpus_stats(retriever)


def test_a_terms_idf_of_zero_hides_its_counts() -> None:
    retriever = built([["the", "a"], ["the", "b"], ["the", "c"]], method="robertson")
    with pytest.raises(UnsupportedError, match="pass corpus_tokens"):
        corpus_stats(retriever)


def test_tokens_are_checked_against_the_index() -> None:
    corpus = code_like_corpus(20, seed=11)
    assert corpus_stats(built(corpus), corpus) == CorpusStats.from_tokens(corpus)
    with pytest.raises(InvalidArgumentError, match="built from"):
        corpus_stats(built(corpus), corpus[:-1])
