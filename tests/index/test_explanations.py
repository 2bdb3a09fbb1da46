"""An explanation adds up to the score, and its ranks are those a search gives."""

from __future__ import annotations

import math

import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from random_corpora import bs, k1s, qs, queries, texts, token_lists

from qidf.index import Document, Index
from qidf.weights import RsjIdf


@settings(max_examples=80, deadline=None, derandomize=True)
@given(found=token_lists.filter(bool), query=queries, q=qs, k1=k1s, b=bs, data=st.data())
def test_contributions_and_ranks_are_those_of_the_search(
    found: list[list[str]], query: list[str], q: float, k1: float, b: float, data: st.DataObject
) -> None:
    index = Index.build(texts(found), analyzer="whitespace")
    doc = data.draw(st.integers(0, len(found) - 1))
    explained = index.explain(" ".join(query), doc, q, k1=k1, b=b)
    size = max(abs(term.contribution) for term in explained.terms) if query else 0

    assert explained.score == index.scores(query, q, k1=k1, b=b)[doc]
    assert explained.bm25_score == index.scores(query, 1, k1=k1, b=b)[doc]
    total = sum(term.contribution for term in explained.terms)
    assert math.isclose(total, explained.score, rel_tol=1e-5, abs_tol=1e-5 * size)
    assert [term.token for term in explained.terms] == list(dict.fromkeys(query))
    for term in explained.terms:
        assert term.count == query.count(term.token)
        assert term.tf == found[doc].count(term.token)
        assert term.doc_freq == sum(term.token in tokens for tokens in found)
        if term.doc_freq:
            assert math.isclose(
                term.idf, reference.weight_at(q)(term.doc_freq, len(found)), rel_tol=1e-6
            )

    for rank, at in ((explained.rank, q), (explained.bm25_rank, 1.0)):
        hits = index.search(" ".join(query), len(found), at, k1=k1, b=b, contributions=True)
        ranks = {hit.id: hit.rank for hit in hits}
        assert rank == ranks.get(doc)
    for hit in hits:
        assert hit.contributions is not None
        assert math.isclose(sum(hit.contributions.values()), hit.score, rel_tol=1e-5)
        assert set(hit.contributions) <= set(query) & set(found[int(hit.id)])


def test_deleted_documents_take_no_rank() -> None:
    texts = {"a": "fox fox fox", "b": "fox fox", "c": "the fox ran far", "d": "hen", "e": "goose"}
    index = Index.build([Document(text, name) for name, text in texts.items()])
    assert index.explain("fox", "c", 1).rank == 3
    index.delete("a")
    assert index.explain("fox", "c", 1).rank == 2
    assert index.explain("fox", "c").terms[0].doc_freq == 2


def test_the_table_shows_why_a_rare_name_wins() -> None:
    corpus = [["parse", "header", "request"]] * 40 + [["parse_retry_after", "reads", "header"]]
    index = Index.build(texts(corpus))
    query = ["parse_retry_after", "header"]
    explained = index.explain(" ".join(query), 40, 0.2)
    scores = [reference.scores(corpus, query, reference.weight_at(q))[40] for q in (0.2, 1)]
    assert str(explained).splitlines()[:4] == [
        "40",
        f"  rank 1 with score {scores[0]:.3f} at q = 0.200",
        f"  rank 1 with score {scores[1]:.3f} at q = 1 (BM25)",
        "",
    ]
    header, first, second = map(str.split, str(explained).splitlines()[4:])
    assert " ".join(header) == "token df tf idf BM25 idf q ratio contribution (BM25)"
    assert first[:3] == ["parse_retry_after", "1", "1"]
    assert second[:3] == ["header", "41", "1"]


def test_an_explanation_with_a_formula_of_ones_own_has_no_q() -> None:
    index = Index.build(["first text", "second text", "nothing", "else"])
    explained = index.explain("first", 0, formula=RsjIdf())
    assert explained.q is None
    assert "the given idf" in str(explained)
    assert explained.terms[0].idf == pytest.approx(math.log(3.5 / 1.5))


def test_a_token_found_nowhere_is_listed_with_nothing_added() -> None:
    index = Index.build(["first text", "second text", "third"])
    (known, unknown) = index.explain("first unheard", 0).terms
    assert (unknown.doc_freq, unknown.tf, unknown.idf, unknown.contribution) == (0, 0, 0, 0)
    assert unknown.ratio == 0
    assert known.tf == 1
