"""Token lists of any tokenizer: bm25s is the judge at q = 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.integrations.passages import TextPassages, spelled
from qidf.integrations.token_index import TokenIndex

TOKENS = st.sampled_from(["a", "B", "b", "two words", "", "\n", "zażółć", "\U000f0068", "x\u2028y"])
CORPORA = st.lists(st.lists(TOKENS, max_size=6), min_size=2, max_size=8)


@given(CORPORA, st.lists(TOKENS, min_size=1, max_size=4))
def test_scores_at_q_1_are_those_of_bm25s_whatever_the_tokens(
    corpus: list[list[str]], query: list[str]
) -> None:
    bm25s = pytest.importorskip("bm25s", reason="the extra bm25s brings it")
    corpus = [[*document, "everywhere"] for document in corpus]
    judge = bm25s.BM25()
    judge.index(corpus, show_progress=False)
    # bm25s adds an empty token to every vocabulary, and can't be asked for it.
    vocabulary = {token for document in corpus for token in document}
    known = [token for token in query if token in vocabulary]
    expected = judge.get_scores(known) if known else np.zeros(len(corpus), np.float32)
    np.testing.assert_array_equal(TokenIndex(corpus, q=1).get_scores(query), expected)


@given(st.text(max_size=4), st.text(max_size=4))
def test_two_tokens_are_never_spelled_alike(first: str, second: str) -> None:
    assert (spelled(first) == spelled(second)) is (first == second)
    assert len(spelled(first).split()) == 1


def test_the_best_documents_are_those_that_match_at_all() -> None:
    tokens = TokenIndex([["a", "b"], ["b", "b"], ["c"], ["d"], ["e"]], q=0.5)
    assert tokens.get_top_n(["b"], "PQRST", n=5) == ["Q", "P"]
    assert tokens.get_top_n(["b"], "PQRST", n=1) == ["Q"]
    assert tokens.get_top_n(["nowhere"], "PQRST") == []
    assert tokens.get_top_n(["b"], "PQRST", n=0) == []
    assert TokenIndex([]).get_top_n(["b"], []) == []


def test_tokens_are_weighed_as_code_where_that_is_said() -> None:
    corpus = [["a", "b"], ["b", "b"], ["c", "a"], ["d"], ["e"]]
    said = ["a", "b", "b", "b"]
    code = TokenIndex(corpus, weighting="qlog1p(q=0.5, k3=auto)", kind="code")
    expected = code.index.scores(said, 0.5, k3=1)
    np.testing.assert_array_equal(code.get_scores(said), expected)
    assert code.rank([said], 1).scores[0][0] == expected.max()
    text = TokenIndex(corpus, weighting="qlog1p(q=0.5, k3=auto)")
    assert text.get_scores(said)[1] > expected[1]


def test_a_stored_index_answers_alike(tmp_path: Path) -> None:
    tokens = TokenIndex([["two words", "b"], ["b"], ["c"]])
    tokens.save(tmp_path / "tokens")
    again = TokenIndex.open(tmp_path / "tokens")
    np.testing.assert_array_equal(again.get_scores(["two words"]), tokens.get_scores(["two words"]))


def test_texts_added_later_score_as_if_there_from_the_start() -> None:
    late = TextPassages(["one text"], [{"n": 1}], ["first"])
    late.add(["another text", "a third"], [{"n": 2}, {"n": 3}], ["second", "third"])
    whole = TextPassages(
        ["one text", "another text", "a third"], [{"n": 1}, {"n": 2}, {"n": 3}],
        ["first", "second", "third"],
    )  # fmt: skip
    assert late.search("another text", 3) == whole.search("another text", 3)
    with pytest.raises(ValueError, match="as many of each"):
        late.add(["x"], [])
