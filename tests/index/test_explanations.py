"""An explanation adds up to the score, and its ranks are those a search gives."""

from __future__ import annotations

import math

import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from random_corpora import FAMILIES, bs, families, k1s, k3s, qs, queries, texts, token_lists

from qidf.index import Document, Index
from qidf.weighting import Weighting
from qidf.weights import RsjIdf


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    found=token_lists.filter(bool),
    query=queries,
    family=families,
    q=qs,
    k3=k3s,
    k1=k1s,
    b=bs,
    data=st.data(),
)
def test_contributions_and_ranks_are_those_of_the_search(
    found: list[list[str]],
    query: list[str],
    family: str,
    q: float,
    k3: float | None,
    k1: float,
    b: float,
    data: st.DataObject,
) -> None:
    index = Index.build(texts(found), analyzer="whitespace")
    doc = data.draw(st.integers(0, len(found) - 1))
    weighting = Weighting(family, q, k3)
    explained = index.explain(" ".join(query), doc, weighting=weighting, k1=k1, b=b)
    size = max(abs(term.contribution) for term in explained.terms) if query else 0

    assert explained.weighting == weighting
    assert explained.score == index.scores(query, weighting=weighting, k1=k1, b=b)[doc]
    assert explained.bm25_score == index.scores(query, 1, k1=k1, b=b)[doc]
    total = sum(term.contribution for term in explained.terms)
    assert math.isclose(total, explained.score, rel_tol=1e-5, abs_tol=1e-5 * size)
    assert [term.token for term in explained.terms] == list(dict.fromkeys(query))
    for term in explained.terms:
        count = term.count
        assert count == query.count(term.token)
        assert term.factor == (count if k3 is None else (k3 + 1) * count / (k3 + count))
        assert term.tf == found[doc].count(term.token)
        assert term.doc_freq == sum(term.token in tokens for tokens in found)
        if term.doc_freq:
            assert math.isclose(
                term.idf, FAMILIES[family](q)(term.doc_freq, len(found)), rel_tol=1e-6
            )

    for rank, at in ((explained.rank, weighting), (explained.bm25_rank, "bm25")):
        hits = index.search(
            " ".join(query), len(found), weighting=at, k1=k1, b=b, contributions=True
        )
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
    # The query's underscores make it code.
    assert str(explained).splitlines()[:5] == [
        "40",
        f"  rank 1 with score {scores[0]:.3f} by q = 0.200, k3 = 1",
        f"  rank 1 with score {scores[1]:.3f} by BM25",
        "  The query is code, so repeats of a token saturate (k3 = 1).",
        "",
    ]
    header, first, second = map(str.split, str(explained).splitlines()[5:])
    columns = "token said counts look df tf idf BM25 idf ratio contribution (BM25)"
    assert " ".join(header) == columns
    assert first[:5] == ["parse_retry_after", "1", "1", "1", "1"]
    assert second[:6] == ["header", "1", "1", "1", "41", "1"]
    fields = explained.to_dict()
    assert (fields["weighting"], fields["q"], fields["k3"]) == ("qlog1p(q=0.2, k3=1.0)", 0.2, 1.0)
    assert fields["terms"][0]["ratio"] == explained.terms[0].ratio


def test_an_explanation_with_a_formula_of_ones_own_has_no_q() -> None:
    index = Index.build(["first text", "second text", "nothing", "else"])
    explained = index.explain("first", 0, formula=RsjIdf())
    assert explained.weighting == Weighting(RsjIdf(), None, None)
    assert "by rsj" in str(explained)
    assert explained.terms[0].idf == pytest.approx(math.log(3.5 / 1.5))


def test_a_token_found_nowhere_is_listed_with_nothing_added() -> None:
    index = Index.build(["first text", "second text", "third"])
    (known, unknown) = index.explain("first unheard", 0).terms
    assert (unknown.doc_freq, unknown.tf, unknown.idf, unknown.contribution) == (0, 0, 0, 0)
    assert unknown.ratio == 0
    assert known.tf == 1
