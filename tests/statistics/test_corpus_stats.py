"""Corpus counts against a plain recount."""

from __future__ import annotations

import math
import statistics
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.errors import InvalidArgumentError, MissingExtraError
from qidf.statistics import CorpusStats, zipf_alpha

documents = st.lists(st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), max_size=12))


def test_a_small_corpus_counted_by_hand() -> None:
    stats = CorpusStats.from_tokens([["go", "func", "go"], ["func", "hapax"], []])
    assert stats == CorpusStats(
        num_docs=3,
        num_tokens=5,
        vocab_size=3,
        htok=1 / 5,
        type_token_ratio=3 / 5,
        median_df=1.0,
        share_df_le_5=1.0,
    )
    assert stats.zipf_alpha is None
    assert stats.htok_ci95 is None


@given(documents)
def test_from_tokens_is_a_plain_recount(corpus: list[list[str]]) -> None:
    stats = CorpusStats.from_tokens(corpus)
    tokens = [token for document in corpus for token in document]
    counts = Counter(tokens)
    doc_freqs = [sum(term in document for document in corpus) for term in counts]
    assert stats.num_docs == len(corpus)
    assert stats.num_tokens == len(tokens)
    assert stats.vocab_size == len(counts)
    if tokens:
        assert stats.htok == sum(counts[token] == 1 for token in tokens) / len(tokens)
        assert stats.type_token_ratio == len(counts) / len(tokens)
        assert stats.median_df == statistics.median(doc_freqs)
        assert stats.share_df_le_5 == sum(df <= 5 for df in doc_freqs) / len(counts)


@given(documents)
def test_ids_strings_and_generators_count_alike(corpus: list[list[str]]) -> None:
    ids = [[ord(token) for token in document] for document in corpus]
    expected = CorpusStats.from_tokens(corpus)
    assert CorpusStats.from_tokens(ids) == expected
    assert CorpusStats.from_tokens(iter(document) for document in corpus) == expected


def test_a_term_twice_in_one_document_is_no_hapax() -> None:
    # doc_freq 1 is only an upper bound: what counts is the collection frequency.
    stats = CorpusStats.from_frequencies(2, [1, 1, 2], [2, 1, 5])
    assert stats.htok == 1 / 8


def test_terms_that_occur_nowhere_are_left_out() -> None:
    assert CorpusStats.from_frequencies(2, [0, 1], [0, 1]).vocab_size == 1


def test_an_empty_corpus_has_no_hapaxes() -> None:
    for stats in (CorpusStats.from_tokens([]), CorpusStats.from_tokens([[], []])):
        assert (stats.num_tokens, stats.vocab_size, stats.htok) == (0, 0, 0.0)
        assert stats.type_token_ratio == 0.0
        assert stats.median_df is None
        assert stats.share_df_le_5 is None


def test_four_fields_make_one_by_hand() -> None:
    stats = CorpusStats(num_docs=182_440, num_tokens=2_300_000, vocab_size=144_938, htok=0.063)
    assert stats.type_token_ratio == 144_938 / 2_300_000
    assert stats.median_df is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"num_docs": -1}, "num_docs"),
        ({"num_tokens": -1}, "num_tokens"),
        ({"vocab_size": 11}, "exceeds num_tokens"),
        ({"htok": 1.5}, "htok"),
        ({"htok": math.nan}, "htok"),
        ({"htok_ci95": (0.5, 0.1)}, "ends before"),
        ({"htok_ci95": (-0.5, 0.1)}, "lower end"),
    ],
)
def test_impossible_counts_are_refused(fields: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"num_docs": 2, "num_tokens": 10, "vocab_size": 5, "htok": 0.1}
    with pytest.raises(InvalidArgumentError, match=message):
        CorpusStats(**{**good, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("doc_freqs", "collection_freqs"),
    [([1, 2], [1]), ([3], [3]), ([-1], [1]), ([2], [1]), ([0], [1]), ([[1]], [[1]])],
)
def test_frequencies_that_contradict_each_other_are_refused(
    doc_freqs: list[int], collection_freqs: list[int]
) -> None:
    with pytest.raises(InvalidArgumentError):
        CorpusStats.from_frequencies(2, doc_freqs, collection_freqs)


def test_texts_are_not_mistaken_for_token_lists() -> None:
    with pytest.raises(InvalidArgumentError, match="analyzer"):
        CorpusStats.from_tokens(["func main", "func init"])


def test_the_zipf_exponent_of_a_power_law_is_found(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("powerlaw", reason="the zipf extra is not installed")
    sample = np.random.default_rng(7).zipf(1.7, 5_000).clip(max=10_000)
    assert zipf_alpha(sample) == pytest.approx(1.7, abs=0.05)
    assert capfd.readouterr() == ("", "")


def test_the_zipf_exponent_is_given_on_request_only() -> None:
    pytest.importorskip("powerlaw", reason="the zipf extra is not installed")
    frequencies = np.random.default_rng(7).zipf(1.7, 500).clip(max=1_000)
    ones = np.ones_like(frequencies)
    with_alpha = CorpusStats.from_frequencies(1, ones, frequencies, zipf=True)
    assert with_alpha.zipf_alpha == zipf_alpha(frequencies)
    assert CorpusStats.from_frequencies(1, ones, frequencies).zipf_alpha is None


def test_a_corpus_too_small_for_a_power_law_is_refused() -> None:
    pytest.importorskip("powerlaw", reason="the zipf extra is not installed")
    with pytest.raises(InvalidArgumentError, match="too small"):
        CorpusStats.from_tokens([["a", "b"]], zipf=True)


def test_without_powerlaw_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "powerlaw", None)
    with pytest.raises(MissingExtraError, match=r"qidf\[zipf\]"):
        zipf_alpha([1, 1, 2, 5])
