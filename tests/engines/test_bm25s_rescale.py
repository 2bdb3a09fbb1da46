"""The bm25s drop-in against scores written out term by term, and against itself."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_bm25 import METHODS, close_to_sum, code_like_corpus, contributions

from qidf.engines.bm25s_index import corpus_stats, current_q, query_tokens, rescale, restore
from qidf.errors import InvalidArgumentError, UnsupportedError
from qidf.index import Index
from qidf.statistics import CorpusStats, predict_q

bm25s = pytest.importorskip("bm25s", reason="the bm25s extra is not installed")

# No term is in half of the documents, so no method has an idf of zero.
CORPUS = [
    ["handle", "socket", "upgrade", "auth"],
    ["auth", "middleware", "auth", "token"],
    ["handle", "request", "log"],
    ["middleware", "log", "log", "log", "request", "chain", "chain"],
    ["parse", "token", "stream"],
    ["cookie", "session"],
    ["render", "template", "cache"],
]
QUERY = ["handle", "auth", "middleware", "log", "parse", "auth"]
QS = [-0.5, 0.05, 0.5, 0.9, 1.1, 2.0]


def built(corpus: list[list[str]] | None = None, **options: Any) -> Any:
    retriever = bm25s.BM25(**options)
    retriever.index(CORPUS if corpus is None else corpus, show_progress=False)
    return retriever


def bits(retriever: Any) -> tuple[bytes, bytes | None]:
    absent = retriever.nonoccurrence_array
    return retriever.scores["data"].tobytes(), None if absent is None else absent.tobytes()


@pytest.mark.parametrize("q", QS)
@pytest.mark.parametrize(("dtype", "rel"), [("float32", 1e-6), ("float64", 1e-12)])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("weighting", "shift"), [("auto", 1.0), ("paper", 0.0)])
def test_scores_are_those_written_out(
    method: str, dtype: str, rel: float, q: float, weighting: str, shift: float
) -> None:
    retriever = built(method=method, dtype=dtype, k1=1.2, b=0.6)
    assert rescale(retriever, q, weighting=weighting) == q
    assert retriever.scores["data"].dtype == dtype
    expected = contributions(CORPUS, QUERY, q, method, k1=1.2, b=0.6, shift=shift)
    for score, parts in zip(retriever.get_scores(QUERY), expected, strict=True):
        assert close_to_sum(score, parts, rel)


@pytest.mark.parametrize("idf_method", METHODS)
@pytest.mark.parametrize("method", METHODS)
def test_any_mix_of_tf_and_idf_methods_leads_to_the_same_q_log_scores(
    method: str, idf_method: str
) -> None:
    retriever = built(method=method, idf_method=idf_method)
    rescale(retriever, 0.3)
    expected = contributions(CORPUS, QUERY, 0.3, method, shift=1.0)
    for score, parts in zip(retriever.get_scores(QUERY), expected, strict=True):
        assert close_to_sum(score, parts, 1e-6)


documents = st.lists(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8), min_size=1, max_size=8
)


@given(
    corpus=documents,
    query=st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6),
    q=st.floats(-2, 3).filter(lambda q: abs(q - 1) > 1e-3),
    method=st.sampled_from(["lucene", "bm25l", "bm25+"]),
    paper=st.booleans(),
)
def test_scores_are_those_written_out_on_any_corpus(
    corpus: list[list[str]], query: list[str], q: float, method: str, paper: bool
) -> None:
    known = [term for term in query if any(term in document for document in corpus)]
    if not known:
        return
    retriever = built(corpus, method=method, idf_method="lucene", dtype="float64")
    rescale(retriever, q, weighting="paper" if paper else "auto")
    expected = contributions(corpus, known, q, method, shift=0.0 if paper else 1.0)
    for score, parts in zip(retriever.get_scores(known), expected, strict=True):
        # The reference loses digits where x^(1-q) is near 1.
        assert abs(score - sum(parts)) <= 1e-9 * (1 + sum(map(abs, parts)))


@given(
    qs=st.lists(st.floats(-2, 3), min_size=1, max_size=4),
    method=st.sampled_from(METHODS),
)
def test_only_the_last_q_counts_and_1_brings_the_bits_back(qs: list[float], method: str) -> None:
    retriever = built(method=method)
    untouched = bits(retriever)
    for q in qs:
        rescale(retriever, q)
    once = built(method=method)
    rescale(once, qs[-1])
    assert bits(retriever) == bits(once)
    assert current_q(retriever) == current_q(once)
    rescale(retriever, 1)
    assert bits(retriever) == untouched
    restore(once)
    assert bits(once) == untouched
    assert current_q(retriever) == current_q(once) == 1.0


def test_a_q_of_1_leaves_an_untouched_index_untouched() -> None:
    retriever = built()
    data = retriever.scores["data"]
    assert rescale(retriever, 1.0) == 1.0
    assert rescale(retriever, 1.0 + 1e-10) == 1.0
    restore(retriever)
    assert retriever.scores["data"] is data


def test_terms_in_most_documents_count_against_a_document_by_the_paper_alone() -> None:
    corpus = [["the", "a"], ["the", "b"], ["the", "c"], ["d"]]
    retriever = built(corpus)
    rescale(retriever, 0.5)
    assert retriever.get_scores(["the"])[0] > 0
    rescale(retriever, 0.5, weighting="paper")
    assert retriever.get_scores(["the"])[0] < 0
    assert retriever.get_scores(["a"])[0] > 0


@pytest.mark.parametrize("method", ["robertson", "atire"])
def test_a_term_whose_idf_bm25s_cut_to_zero_is_refused(method: str) -> None:
    retriever = built([["the", "a"], ["the", "b"], ["the", "c"]], method=method)
    before = bits(retriever)
    with pytest.raises(UnsupportedError, match="method='lucene'"):
        rescale(retriever, 0.5)
    assert bits(retriever) == before
    assert current_q(retriever) == 1.0


def test_a_weight_that_is_zero_anyway_needs_no_term_frequencies() -> None:
    # In exactly half of the documents: bm25s's robertson idf and the q-log idf are both zero.
    retriever = built([["a", "b"], ["a", "c"], ["d"], ["e"]], method="robertson")
    rescale(retriever, 0.5, weighting="paper")
    assert retriever.get_scores(["a"]).tolist() == [0, 0, 0, 0]


def test_a_new_weight_of_zero_can_be_undone() -> None:
    retriever = built([["a", "b"], ["a", "c"], ["d"], ["e"]])
    untouched = bits(retriever)
    rescale(retriever, 0.5, weighting="paper")
    assert retriever.get_scores(["a"]).tolist() == [0, 0, 0, 0]
    rescale(retriever, 1)
    assert bits(retriever) == untouched


@pytest.mark.parametrize("csc_backend", ["numpy", "scipy"])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_every_backend_retrieves_by_the_new_scores(backend: str, csc_backend: str) -> None:
    pytest.importorskip(csc_backend, reason=f"{csc_backend} is not installed")
    # Older versions of bm25s build with scipy and have no choice.
    choice = {"csc_backend": csc_backend}
    known = inspect.signature(bm25s.BM25).parameters
    retriever = built(backend=backend, **(choice if "csc_backend" in known else {}))
    rescale(retriever, 0.1)
    results = retriever.retrieve([QUERY, ["cookie", "auth"]], k=3, show_progress=False)
    for query, found, scores in zip(
        [QUERY, ["cookie", "auth"]], results.documents, results.scores, strict=True
    ):
        totals = [sum(parts) for parts in contributions(CORPUS, query, 0.1, shift=1.0)]
        assert scores.tolist() == pytest.approx(sorted(totals, reverse=True)[:3], rel=1e-6)
        assert [totals[i] for i in found] == pytest.approx(scores.tolist(), rel=1e-6)


def test_indexes_of_many_blocks_are_rescaled_column_by_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = code_like_corpus(200, seed=1)
    whole = built(corpus)
    rescale(whole, 0.4)
    for size in (1, 7, 50):
        monkeypatch.setattr("qidf.engines.bm25s_index.matrix.BLOCK_POSTINGS", size)
        pieces = built(corpus)
        assert corpus_stats(pieces) == CorpusStats.from_tokens(corpus)
        rescale(pieces, 0.4)
        assert bits(pieces) == bits(whole)


def test_auto_predicts_q_from_whatever_tells_htok() -> None:
    corpus = code_like_corpus(1200, seed=2)
    stats = CorpusStats.from_tokens(corpus)
    expected = predict_q(stats)
    assert expected < 0.9
    tokenized = bm25s.tokenize([" ".join(each) for each in corpus], show_progress=False)
    sources: list[dict[str, Any]] = [
        {},
        {"htok": stats.htok},
        {"stats": stats},
        {"corpus_tokens": corpus},
        {"corpus_tokens": iter(corpus)},
    ]
    for source in sources:
        retriever = built(corpus)
        assert rescale(retriever, **source) == expected
        assert current_q(retriever) == expected
    for tokens in (tokenized, tuple(tokenized)):
        retriever = built(tokenized)
        assert rescale(retriever, "auto", corpus_tokens=tokens) == expected


def test_auto_reads_the_original_scores_of_a_rescaled_index() -> None:
    retriever = built(code_like_corpus(1200, seed=2))
    expected = rescale(retriever)
    assert expected < 0.9
    rescale(retriever, 0.05)
    assert rescale(retriever) == expected


def test_auto_on_a_small_corpus_or_one_without_hapaxes_is_plain_bm25() -> None:
    small = built(code_like_corpus(300, seed=2))
    assert rescale(small) == 1.0
    assert rescale(small, weighting="paper") < 0.9
    retriever = built([["a", "b"], ["a", "b"], ["c"], ["c"], ["d"], ["d"]])
    data = retriever.scores["data"]
    assert rescale(retriever, weighting="paper") == 1.0
    assert retriever.scores["data"] is data


@pytest.mark.parametrize("options", [{"b": 1.0}, {"k1": 0.0}])
def test_auto_says_what_to_pass_when_the_scores_hide_the_counts(options: dict[str, Any]) -> None:
    retriever = built(**options)
    with pytest.raises(UnsupportedError, match="pass corpus_tokens"):
        rescale(retriever)
    assert rescale(retriever, weighting="paper", corpus_tokens=CORPUS) < 1.0


def test_tokens_of_another_corpus_are_refused() -> None:
    for other in (CORPUS[1:], [["handle"]] * len(CORPUS)):
        with pytest.raises(InvalidArgumentError, match="built from"):
            rescale(built(), corpus_tokens=other)


def test_one_source_of_htok_is_enough() -> None:
    with pytest.raises(InvalidArgumentError, match="one source"):
        rescale(built(), htok=0.1, corpus_tokens=CORPUS)


@pytest.mark.parametrize("q", ["best", float("nan"), [0.5]])
def test_a_q_that_is_neither_number_nor_auto_is_refused(q: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="q "):
        rescale(built(), q)


def test_a_formula_without_q_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="can't be rescaled to rsj"):
        rescale(built(), weighting="rsj")


@pytest.mark.parametrize("q", [0.3, 0.7, 1.0])
@pytest.mark.parametrize(("kind", "k3"), [("code", 0), ("text", math.inf), (None, math.inf)])
def test_with_its_tokens_a_rescaled_index_ranks_as_ours(q: float, kind: Any, k3: float) -> None:
    corpus = code_like_corpus(300, seed=5)
    index = Index.build([" ".join(each) for each in corpus], analyzer="whitespace(lowercase=false)")
    retriever = built(corpus)
    rescale(retriever, q)
    for at in range(0, 300, 30):
        said = corpus[at] + corpus[at + 1] * 2
        scores = retriever.get_scores(query_tokens(said, kind=kind))
        expected = index.scores(said, q, k3=k3)
        np.testing.assert_allclose(scores, expected, rtol=1e-5)
        best = index.rank([said], 10, q, k3=k3).positions[0]
        assert scores[best].tolist() == pytest.approx(sorted(scores, reverse=True)[:10])


def test_a_text_shows_whether_its_tokens_are_needed_once() -> None:
    code = "item = load(item);\nitem.save(path);"
    assert query_tokens(code) == ["item", "load", "save", "path"]
    assert query_tokens(code, kind="text") == ["item", "load", "item", "item", "save", "path"]
    assert query_tokens("very very good") == ["very", "very", "good"]
    assert query_tokens("Very_very", kind="code", analyzer="identifier") == ["very_very", "very"]


def test_a_retriever_without_an_index_is_refused() -> None:
    for nothing in (bm25s.BM25(), object()):
        with pytest.raises(InvalidArgumentError, match="index"):
            rescale(nothing, 0.5)
        with pytest.raises(InvalidArgumentError, match="index"):
            current_q(nothing)


def test_scores_beyond_the_dtype_are_refused_and_nothing_changes() -> None:
    retriever = built()
    rescale(retriever, 0.5)
    before = bits(retriever)
    with pytest.raises(UnsupportedError, match="float64"):
        rescale(retriever, -100)
    assert bits(retriever) == before
    assert current_q(retriever) == 0.5


def test_an_unknown_method_is_refused() -> None:
    retriever = built()
    retriever.method = retriever.idf_method = "dirichlet"
    with pytest.raises(UnsupportedError, match="dirichlet"):
        rescale(retriever, 0.5)


def test_indexing_anew_forgets_the_old_corpus() -> None:
    retriever = built()
    rescale(retriever, 0.5)
    corpus = code_like_corpus(50, seed=3)
    retriever.index(corpus, show_progress=False)
    assert current_q(retriever) == 1.0
    fresh = built(corpus)
    rescale(retriever, 0.5)
    rescale(fresh, 0.5)
    assert bits(retriever) == bits(fresh)


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_and_pickles_know_their_q(clone: Any) -> None:
    retriever = built()
    untouched = bits(retriever)
    rescale(retriever, 0.5)
    twin = clone(retriever)
    assert current_q(twin) == 0.5
    assert isinstance(twin, bm25s.BM25)
    assert bits(twin) == bits(retriever)
    restore(twin)
    assert bits(twin) == untouched


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("q", [0.1, 0.5, 0.9, 0.99, 1.1, 1.5])
def test_a_rescaled_index_that_lost_its_record_is_not_rescaled_twice(method: str, q: float) -> None:
    corpus = code_like_corpus(100, seed=4)
    retriever = built(corpus, method=method, idf_method="lucene")
    rescale(retriever, q)
    del retriever.scores["qidf"]
    for again in (0.5, 1.0, "auto"):
        with pytest.raises(UnsupportedError, match="record was lost"):
            rescale(retriever, again)
    with pytest.raises(UnsupportedError, match="record was lost"):
        restore(retriever)
