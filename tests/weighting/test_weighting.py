"""What a weighting is: its parts, its names, and the arithmetic for many queries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.weighting import (
    AUTO,
    BM25,
    LEARNT,
    PAPER,
    QueryTokens,
    Weighting,
    parse_weighting,
    wanted,
    weigh,
)
from qidf.weights import GammaIdf, LuceneIdf, Qlog1p, QlogRsj, RsjIdf

k3s = st.one_of(st.none(), st.just("auto"), st.floats(0, 100))
weightings = st.one_of(
    st.builds(
        Weighting,
        st.sampled_from(["qlog", "qlog1p"]),
        st.one_of(st.just("auto"), st.floats(-5, 5)),
        k3s,
    ),
    st.builds(
        Weighting,
        st.one_of(
            st.builds(GammaIdf, st.floats(0.1, 8)),
            st.builds(RsjIdf, st.sampled_from([0.5, 1.0])),
            st.builds(QlogRsj, st.floats(0, 2), st.sampled_from([0.5, 0.1])),
            st.just(LuceneIdf()),
        ),
        st.none(),
        k3s,
    ),
    st.builds(Weighting, st.just("qlog1p"), st.floats(-5, 5), k3s, st.sampled_from([True, "auto"])),
    st.sampled_from([AUTO, BM25, PAPER]),
)


@given(weightings)
def test_the_repr_parses_back(weighting: Weighting) -> None:
    assert parse_weighting(repr(weighting)) == weighting


@pytest.mark.parametrize(
    ("text", "weighting"),
    [
        ("auto", Weighting("qlog1p", "auto", "auto", "auto")),
        ("qlog1p(q=auto, k3=auto)", Weighting()),
        ("qlog1p(q=0.5, k3=1, evidence=true)", Weighting("qlog1p", 0.5, 1.0, True)),
        ("bm25", Weighting("qlog1p", 1.0, None)),
        ("lucene", BM25),
        ("paper", Weighting("qlog", "auto", None)),
        ("qlog1p", Weighting("qlog1p", "auto", None)),
        (" qlog1p( q = 0.5 , k3 = 1 ) ", Weighting("qlog1p", 0.5, 1.0)),
        ("qlog1p(k3=inf)", Weighting("qlog1p", "auto", None)),
        ("qlog(q=auto, k3=auto)", Weighting("qlog", "auto", "auto")),
        ("gamma(gamma=2, k3=1)", Weighting(GammaIdf(2.0), None, 1.0)),
        ("rsj", Weighting(RsjIdf(), None, None)),
        ("lucene(k3=1)", Weighting("qlog1p", 1.0, 1.0)),
    ],
)
def test_names_are_read_as_people_write_them(text: str, weighting: Weighting) -> None:
    assert parse_weighting(text) == weighting


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bm11",
        "bm25(q=1)",
        "qlog1p(q=half)",
        "qlog1p(k3=-1)",
        "qlog1p(k3=1, k3=2)",
        5,
        "qlog1p(evidence=some)",
        "qlog(q=0.5, evidence=true)",
    ],
)
def test_a_name_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError):
        parse_weighting(text)


def test_equal_weightings_have_one_form() -> None:
    assert Weighting(LuceneIdf(), None, None) == Weighting(Qlog1p(1.0), None, None) == BM25
    assert Weighting("qlog", 1.0, None) == BM25
    assert Weighting(QlogRsj(0.5), None, None) == Weighting("qlog", 0.5, None)
    # By its formula q = 1 is the classical logarithm; the paper scores with Lucene's there.
    assert Weighting(QlogRsj(1.0), None, None) == Weighting(RsjIdf(), None, None)
    assert Weighting(k3=math.inf) == Weighting(k3=None)
    assert repr(Weighting("qlog1p", 0.5, 1.0)) == "qlog1p(q=0.5, k3=1.0)"
    assert (str(BM25), str(Weighting("qlog1p", 0.5, 1.0))) == ("BM25", "q = 0.500, k3 = 1")


def test_any_part_can_be_set_on_its_own() -> None:
    assert wanted() == AUTO
    assert wanted(evidence=True) == Weighting("qlog1p", "auto", "auto", True)
    assert wanted(q=0.5) == Weighting("qlog1p", 0.5, "auto")
    assert wanted(k3=1) == Weighting("qlog1p", "auto", 1.0)
    assert wanted(formula="qlog") == Weighting("qlog", "auto", "auto")
    assert wanted("paper", q=0.5) == Weighting("qlog", 0.5, None)
    assert wanted("bm25", k3=1) == Weighting("qlog1p", 1.0, 1.0)
    assert wanted("bm25", q=0.5) == Weighting("qlog1p", 0.5, None)
    assert wanted(formula=GammaIdf(2), k3=math.inf) == Weighting(GammaIdf(2), None, None)
    assert wanted(Weighting("qlog", 0.5, 2.0), q="auto") == Weighting("qlog", "auto", 2.0)


def test_q_1_alone_is_bm25() -> None:
    assert wanted(q=1) == wanted(formula="lucene") == wanted("paper", q=1) == BM25
    assert wanted(q=1, k3=1) == Weighting("qlog1p", 1.0, 1.0)


def test_a_formula_without_q_takes_none() -> None:
    with pytest.raises(InvalidArgumentError, match="takes no q"):
        wanted(formula="rsj", q=0.5)
    with pytest.raises(InvalidArgumentError, match="its own q"):
        Weighting(QlogRsj(0.5), 0.6)


def test_what_is_open_can_not_weigh() -> None:
    for ask in (lambda: AUTO.idf, lambda: AUTO.repeats(np.array([1]))):
        with pytest.raises(InvalidArgumentError, match="still open"):
            ask()


@given(count=st.integers(1, 1000), k3=st.floats(0, 100))
def test_repeats_saturate_at_k3_plus_1(count: int, k3: float) -> None:
    (factor,) = Weighting(k3=k3).repeats(np.array([count]))
    assert factor == (k3 + 1) * count / (k3 + count)
    assert factor + 1e-12 >= 1
    assert factor <= min(count, k3 + 1) * (1 + 1e-12)


@given(
    queries=st.lists(
        st.tuples(st.lists(st.integers(0, 6), max_size=12), st.booleans()), max_size=6
    ),
    text=weightings.filter(lambda each: not each.is_open),
    code=weightings.filter(lambda each: not each.is_open),
)
def test_many_queries_are_weighed_as_each_alone(
    queries: list[tuple[list[int], bool]], text: Weighting, code: Weighting
) -> None:
    doc_freqs = np.array([0, 1, 2, 5, 20, 60, 100])
    names = np.array([name for tokens, _ in queries for name in tokens], np.int32)
    offsets = np.cumsum([0, *(len(tokens) for tokens, _ in queries)])
    is_code = np.array([coded for _, coded in queries], bool)
    asked = QueryTokens(names, offsets, is_code, len(doc_freqs))
    words = [f"w{'x' * name}" if name % 2 else "return" for name in range(7)]
    found = weigh(
        asked,
        text,
        code,
        lambda each: each.idfs(doc_freqs, 100),
        lambda: LEARNT.of_tokens(words, doc_freqs, 100),
    )
    assert found.weights.dtype == np.float32
    for row, (tokens, coded) in enumerate(queries):
        weighting = code if coded else text
        if weighting.is_distinct:
            names_said = list(dict.fromkeys(tokens))
            firsts = np.array([tokens.index(name) for name in names_said])
            counts = np.array([tokens.count(name) for name in names_said])
            said_words = [words[name] for name in names_said]
            freqs = doc_freqs[names_said]
            expected = weighting.of_tokens(said_words, counts, firsts, freqs, 100)
        else:
            names_said, expected = tokens, weighting.idfs(doc_freqs, 100)[tokens]
        part = slice(found.offsets[row], found.offsets[row + 1])
        assert found.names[part].tolist() == names_said
        assert found.weights[part].tobytes() == weighting.single(expected).tobytes()


def test_evidence_is_multiplied_in_by_two_thirds() -> None:
    weighting = Weighting("qlog1p", 0.5, 1.0, True)
    counts, firsts, doc_freqs = np.array([3, 1]), np.array([1, 0]), np.array([50, 2])
    tokens = ["return", "parseHeader"]
    arguments = (tokens, counts, firsts, doc_freqs, 99)
    plain = weighting.idfs(doc_freqs, 99) * weighting.repeats(counts)
    evidence = LEARNT.at(LEARNT.of_tokens(tokens, doc_freqs, 99), firsts)
    found = weighting.of_tokens(*arguments)
    assert found == pytest.approx(plain ** (1 / 3) * evidence ** (2 / 3))
    assert weighting.looks(*arguments) * plain == pytest.approx(found)
    assert (Weighting("qlog1p", 0.5, 1.0).looks(*arguments) == 1).all()
