"""At q = 1 a retriever scores as if qidf had never touched it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from naive_bm25 import METHODS, code_like_corpus

from qidf.engines.bm25s_index import audit, current_q, rescale
from qidf.errors import InvalidArgumentError

bm25s = pytest.importorskip("bm25s", reason="the bm25s extra is not installed")

TOY = [["func", "main"], ["func", "handle", "auth"], ["type", "handle"], ["var", "x1"]]


def built(corpus: list[list[str]], **options: Any) -> Any:
    retriever = bm25s.BM25(**options)
    retriever.index(corpus, show_progress=False)
    return retriever


@pytest.mark.parametrize("method", METHODS)
def test_a_toy_corpus_scores_the_same_at_q_1(method: str) -> None:
    report = audit(built(TOY, method=method, idf_method="lucene"), TOY)
    assert report.passed
    assert report.max_abs_difference == 0.0
    assert report.identical_top_k
    assert report.identical_bits
    assert (report.num_docs, report.num_queries, report.k) == (4, 4, 4)
    assert "max absolute score difference 0.0, top-4 identical" in str(report)


def test_a_code_like_corpus_scores_the_same_at_q_1() -> None:
    corpus = code_like_corpus(3_000, seed=13)
    report = audit(built(corpus), corpus[::60], k=10, q=0.1)
    assert report.passed
    assert (report.num_docs, report.num_queries, report.k) == (3_000, 50, 10)


def test_the_audit_leaves_the_retriever_as_it_was() -> None:
    retriever = built(TOY)
    rescale(retriever, weighting="qlog(q=0.3, delta=0.25)")
    before = retriever.scores["data"].tobytes()
    assert audit(retriever, TOY).passed
    assert current_q(retriever) == 0.3
    assert retriever.scores["data"].tobytes() == before


def test_queries_come_as_tokens_ids_or_bm25s_makes_them() -> None:
    texts = [" ".join(document) for document in TOY]
    tokenized = bm25s.tokenize(texts, stopwords=[], show_progress=False)
    retriever = built(tokenized)
    for queries in (TOY, tokenized, tokenized.ids, [["func", "unknown"]]):
        assert audit(retriever, queries).passed


def test_queries_without_a_known_token_are_left_out() -> None:
    assert audit(built(TOY), [["func"], ["unknown"], [""], []]).num_queries == 1
    with pytest.raises(InvalidArgumentError, match="No query"):
        audit(built(TOY), [["unknown"]])


def test_a_difference_of_one_bit_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(retriever: Any, q: Any = None, **options: Any) -> float:
        came_back = q == 1.0 and current_q(retriever) != 1.0
        result = rescale(retriever, q, **options)
        if came_back:
            # What multiplying and dividing in float32 would leave behind.
            retriever.scores["data"] = np.nextafter(retriever.scores["data"], np.float32(9))
        return result

    monkeypatch.setattr("qidf.engines.bm25s_index.auditing.rescale", careless)
    report = audit(built(TOY), TOY)
    assert not report.passed
    assert report.max_abs_difference > 0
    assert not report.identical_bits
    assert "DIFFERENT" in str(report)
