from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.analysis import TermTable
from qidf.weighting.evidence import (
    KEYWORDS,
    LEARNT,
    LEAST,
    Evidence,
    combined,
    features,
    looks,
    looks_of_terms,
    rarity,
)


def _evidence(token: str, doc_freq: int, num_docs: int, position: int) -> float:
    before = LEARNT.of_tokens([token], np.array([doc_freq]), num_docs)
    return float(LEARNT.at(before, np.array([position]))[0])


def test_evidence_is_the_sum_that_the_page_says() -> None:
    expected = (
        LEARNT.constant
        + LEARNT.commonness * math.log(7) / math.log(5000)
        + LEARNT.position * math.log(1 + 3)
        + LEARNT.length * math.log(5)
        + math.log((5000 - 7 + 0.5) / 7.5)
    )
    assert _evidence("parse", 7, 5000, 3) == pytest.approx(expected)
    assert _evidence("yield", 7, 5000, 3) == pytest.approx(expected + LEARNT.keyword)


def test_a_name_that_comes_early_says_more_than_the_same_name_late() -> None:
    assert _evidence("parser", 5, 5000, 1) > _evidence("parser", 5, 5000, 50)


def test_a_word_of_the_language_says_less_than_a_name() -> None:
    assert _evidence("def", 5, 5000, 0) < _evidence("dog", 5, 5000, 0)


def test_no_token_speaks_against_a_document() -> None:
    assert _evidence("return", 4900, 5000, 900) == LEAST


@pytest.mark.parametrize("num_docs", [1, 2, 10**9])
def test_evidence_is_finite_at_the_ends(num_docs: int) -> None:
    for doc_freq in (0, 1, num_docs):
        assert math.isfinite(_evidence("", doc_freq, num_docs, 0))


@given(st.lists(st.text(max_size=9) | st.sampled_from(sorted(KEYWORDS)), unique=True))
def test_terms_look_as_their_strings_do(tokens: list[str]) -> None:
    for found, expected in zip(
        looks_of_terms(TermTable.from_tokens(tokens)), looks(tokens), strict=True
    ):
        assert found.tolist() == expected.tolist()


def test_evidence_counts_by_two_thirds() -> None:
    found = combined(np.array([0.0, 8.0]), np.array([1.0, 27.0]))
    assert found == pytest.approx([0.0, 2.0 * 9.0])


def test_a_row_of_features_is_what_the_numbers_are_multiplied_by() -> None:
    rows = features(["self", "x1"], np.array([10, 100]), 100, np.array([0.0, 1.0]))
    assert rows[0] == pytest.approx([1, 0.5, 0, math.log(4), 1])
    assert rows[1] == pytest.approx([1, 1, math.log(2), math.log(2), 0])
    weighed = Evidence(1, 2, 3, 4, 5).of_tokens(["x1"], np.array([100]), 100)
    assert weighed == pytest.approx(1 + 2 + 4 * math.log(2) + rarity(np.array([100]), 100))


def test_keywords_are_as_analyzers_write_them() -> None:
    assert all(word == word.lower() and word.replace("_", "").isalnum() for word in KEYWORDS)
