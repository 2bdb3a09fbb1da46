"""Duplicates: the similarity join against the definition, and which of a group stays."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

duplicates = pytest.importorskip(
    "benchmarks.corpora.duplicates",
    reason="benchmarks are importable from the repository's root only",
)

from benchmarks.corpora.functions import Function, words  # noqa: E402


def function(documentation="", stripped="", package="p", version="1", path="a", symbol="f"):
    return Function(package, version, path, symbol, documentation, stripped, stripped)


def naive(texts: list[str], similarity: float) -> list[bool]:
    """Every text against every kept one, by the definition of multiset Jaccard similarity."""
    kept: list[Counter[str]] = []
    marks = []
    for text in texts:
        bag = Counter(words(text.lower()))
        similar = any(
            (bag & other).total() >= similarity * (bag | other).total() - 1e-9
            for other in kept
            if bag and other
        )
        marks.append(similar)
        if not similar:
            kept.append(bag)
    return marks


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=12).map(" ".join), max_size=25),
    st.sampled_from([0.5, 0.8, 1.0]),
)
def test_near_duplicates_are_those_of_the_definition(texts, similarity):
    assert duplicates.near_duplicates(texts, similarity).tolist() == naive(texts, similarity)


def test_one_word_of_ten_is_near_and_one_of_five_is_not():
    ten = "a b c d e f g h i"
    assert duplicates.near_duplicates([f"{ten} x", f"{ten} y"]).tolist() == [False, True]
    assert duplicates.near_duplicates(["a b c d x", "a b c d y"]).tolist() == [False, False]


def test_exact_duplicates_ignore_case_and_punctuation_and_the_first_stays():
    first, second = function("Reads a file."), function("reads  a FILE")
    assert duplicates.without_exact([first, second], "documentation") == [first]


def test_the_same_place_in_two_versions_is_kept_once():
    old = function("a", version="1.2", path="gems/a-1.2/lib/a.rb")
    new = function("b", version="2.0.1", path="gems/a-2.0.1/lib/a.rb")
    assert duplicates.without_same_place([old, new]) == [old]
    both = duplicates.without_same_place([old, new], versions_are_places=True)
    assert both == [old, new]


def test_overloads_in_one_package_all_stay():
    pair = [function("a"), function("b")]
    assert duplicates.without_same_place(pair) == pair
