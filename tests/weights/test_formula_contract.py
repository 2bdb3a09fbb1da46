"""One contract for every idf formula, on corpora of up to a billion documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError
from qidf.weights import (
    FORMULAS,
    GammaIdf,
    IdfFormula,
    LuceneIdf,
    Qlog1p,
    QlogRsj,
    RsjIdf,
    parse_formula,
    qlog,
)

# Within these parameters neighbouring weights differ by far more than float64 resolves, up to a
# billion documents. Beyond them the formula saturates (q > 2 at the rare end, q < 0 at the common
# end) and neighbours round to the same number: `test_a_saturating_q_never_reverses_the_order`.
resolved_formulas = st.one_of(
    st.builds(QlogRsj, q=st.floats(0.0, 2.0), delta=st.sampled_from([0.5, 0.1, 1.0])),
    st.builds(RsjIdf, delta=st.sampled_from([0.5, 0.1, 1.0])),
    st.just(LuceneIdf()),
    st.builds(Qlog1p, q=st.floats(0.0, 2.0)),
    st.builds(GammaIdf, gamma=st.floats(0.1, 8.0)),
)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[int, int]:
    """Draw a doc_freq and a larger or equal num_docs, small and large corpora alike."""
    num_docs = draw(st.one_of(st.integers(1, 60), st.integers(1, 10**9)))
    doc_freq = draw(st.one_of(st.integers(0, min(num_docs, 8)), st.integers(0, num_docs)))
    return doc_freq, num_docs


def test_the_contract_covers_every_named_formula() -> None:
    assert set(FORMULAS) == {"gamma", "lucene", "qlog", "qlog1p", "rsj"}
    for formula in (QlogRsj(0.5), Qlog1p(0.5), RsjIdf(), LuceneIdf(), GammaIdf(2.0)):
        assert isinstance(formula, IdfFormula)


@given(formula=resolved_formulas, corpus=corpora())
def test_weights_are_finite(formula: IdfFormula, corpus: tuple[int, int]) -> None:
    assert math.isfinite(formula.weight(*corpus))


@given(formula=resolved_formulas, corpus=corpora())
def test_weights_fall_strictly_as_documents_gain_the_term(
    formula: IdfFormula, corpus: tuple[int, int]
) -> None:
    doc_freq, num_docs = corpus
    if doc_freq < num_docs:
        assert formula.weight(doc_freq, num_docs) > formula.weight(doc_freq + 1, num_docs)


@given(q=st.floats(-30.0, 30.0), corpus=corpora())
def test_a_saturating_q_never_reverses_the_order(q: float, corpus: tuple[int, int]) -> None:
    doc_freq, num_docs = corpus
    if doc_freq == num_docs:
        return
    for formula in (QlogRsj(q), Qlog1p(q)):
        rarer, commoner = (formula.weight(n, num_docs) for n in (doc_freq, doc_freq + 1))
        # Where two true values round to neighbours, the C library's expm1 may be off by an ulp.
        assert rarer >= commoner - 4 * math.ulp(commoner)


@given(formula=resolved_formulas)
def test_the_repr_parses_back(formula: IdfFormula) -> None:
    assert parse_formula(repr(formula)) == formula


@given(
    formula=resolved_formulas,
    num_docs=st.integers(1, 10**9),
    shares=st.lists(st.floats(0, 1), max_size=30),
)
def test_arrays_have_the_bits_of_numbers(
    formula: IdfFormula, num_docs: int, shares: list[float]
) -> None:
    doc_freqs = np.array([int(share * num_docs) for share in shares], dtype=np.int64)
    expected = np.array([formula.weight(int(n), num_docs) for n in doc_freqs], dtype=np.float64)
    weights = formula.weights(doc_freqs, num_docs)
    assert weights.dtype == np.float64
    assert weights.tobytes() == expected.tobytes()


@given(formula=resolved_formulas, num_docs=st.integers(1, 100))
def test_a_doc_freq_outside_the_corpus_is_refused(formula: IdfFormula, num_docs: int) -> None:
    for doc_freq in (-1, num_docs + 1, math.nan):
        with pytest.raises(InvalidArgumentError, match="doc_freq"):
            formula.weight(doc_freq, num_docs)
        with pytest.raises(InvalidArgumentError, match="doc_freq"):
            formula.weights(np.array([1, doc_freq]), num_docs)


@given(corpus=corpora(), step=st.floats(1e-9, 1e-5), sign=st.sampled_from([-1, 1]))
def test_the_q_log_weight_is_continuous_at_q_1(
    corpus: tuple[int, int], step: float, sign: int
) -> None:
    limit = RsjIdf().weight(*corpus)
    # The first-order term of ln_q - ln is (1-q) ln^2 / 2; the rest is smaller here.
    assert abs(QlogRsj(1 + sign * step).weight(*corpus) - limit) <= step * limit**2 + 1e-12
    assert QlogRsj(1.0).weight(*corpus) == limit


@given(corpus=corpora(), q=st.floats(-5, 5))
def test_terms_in_more_than_half_the_documents_weigh_less_than_nothing(
    corpus: tuple[int, int], q: float
) -> None:
    doc_freq, num_docs = corpus
    side = num_docs - 2 * doc_freq
    for formula in (QlogRsj(q), RsjIdf()):
        weight = formula.weight(doc_freq, num_docs)
        assert (weight > 0) - (weight < 0) == (side > 0) - (side < 0)
    assert LuceneIdf().weight(doc_freq, num_docs) > 0


@given(corpus=corpora())
def test_the_lucene_weight_has_the_bits_of_bm25s(corpus: tuple[int, int]) -> None:
    df, N = corpus
    assert LuceneIdf().weight(df, N) == math.log(1 + (N - df + 0.5) / (df + 0.5))


@given(corpus=corpora(), q=st.floats(-5, 5), delta=st.floats(0.01, 2))
def test_the_q_log_weights_are_q_logarithms_of_the_odds(
    corpus: tuple[int, int], q: float, delta: float
) -> None:
    n, N = corpus
    assert QlogRsj(q, delta).weight(n, N) == qlog((N - n + delta) / (n + delta), q)
    assert Qlog1p(q).weight(n, N) == qlog(1 + (N - n + 0.5) / (n + 0.5), q)


@given(corpus=corpora(), step=st.floats(1e-9, 1e-5), sign=st.sampled_from([-1, 1]))
def test_the_shifted_weight_is_lucenes_at_q_1_bit_for_bit_and_near_it_nearby(
    corpus: tuple[int, int], step: float, sign: int
) -> None:
    limit = LuceneIdf().weight(*corpus)
    assert Qlog1p(1.0).weight(*corpus) == limit
    assert abs(Qlog1p(1 + sign * step).weight(*corpus) - limit) <= step * limit**2 + 1e-12


@given(corpus=corpora(), q=st.floats(-20, 20))
def test_the_shifted_weight_is_positive_for_every_term(corpus: tuple[int, int], q: float) -> None:
    assert Qlog1p(q).weight(*corpus) > 0


def test_a_weight_beyond_float64_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="milder"):
        QlogRsj(-100).weight(1, 10**9)
    with pytest.raises(InvalidArgumentError, match="milder"):
        Qlog1p(-100).weight(1, 10**9)
    with pytest.raises(InvalidArgumentError, match="milder"):
        GammaIdf(1000).weight(1, 10**9)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, "auto", None])
def test_parameters_must_be_finite_numbers(bad: float) -> None:
    for build in (
        lambda: QlogRsj(bad),
        lambda: Qlog1p(bad),
        lambda: QlogRsj(0.5, bad),
        lambda: RsjIdf(bad),
        lambda: GammaIdf(bad),
    ):
        with pytest.raises(InvalidArgumentError, match="finite"):
            build()


@pytest.mark.parametrize("bad", [0.0, -0.5])
def test_smoothing_and_powers_must_be_positive(bad: float) -> None:
    for build in (lambda: QlogRsj(0.5, bad), lambda: RsjIdf(bad), lambda: GammaIdf(bad)):
        with pytest.raises(InvalidArgumentError, match="above 0"):
            build()


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("qlog(q=0.5)", QlogRsj(0.5)),
        (" qlog( q = 5e-1 , delta=0.1 ) ", QlogRsj(0.5, 0.1)),
        ("qlog(q=-1)", QlogRsj(-1.0)),
        ("qlog1p(q=0.5)", Qlog1p(0.5)),
        ("rsj", RsjIdf()),
        ("rsj()", RsjIdf()),
        ("rsj(delta=1)", RsjIdf(1.0)),
        ("lucene", LuceneIdf()),
        ("gamma(gamma=1.2)", GammaIdf(1.2)),
    ],
)
def test_names_are_read_as_people_write_them(text: str, formula: IdfFormula) -> None:
    assert parse_formula(text) == formula


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bm11", "names no idf formula"),
        ("qlog(q=0.5", "names no idf formula"),
        ("", "names no idf formula"),
        ("qlog", r"write qlog\(q=NUMBER\)"),
        ("qlog(0.5)", "no parameter of qlog"),
        ("qlog(q=0.5, q=0.6)", "no parameter of qlog"),
        ("lucene(q=1)", "it takes none"),
        ("qlog(q=half)", "not a number"),
        ("qlog(q=nan)", "finite"),
    ],
)
def test_a_name_that_means_nothing_is_refused_with_a_hint(text: str, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        parse_formula(text)
