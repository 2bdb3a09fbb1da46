"""Files that break parsers: broken, deep, large, not text."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.syntax import LANGUAGES, outline, parsing
from qidf.syntax.definitions import MAX_SCOPE_DEPTH, TOO_LARGE, TOO_SLOW
from qidf.syntax.parsing import ParseTimeoutError, matches

PARSED = sorted(name for name, language in LANGUAGES.items() if language.grammar)
FIXTURES = {path.stem: path for path in (Path(__file__).parent / "fixtures").iterdir()}


@pytest.mark.parametrize("name", sorted(FIXTURES))
def test_a_file_cut_anywhere_still_gives_an_outline_within_it(name: str) -> None:
    source = FIXTURES[name].read_bytes()
    chance = random.Random(name)
    for _ in range(8):
        start, end = sorted(chance.randrange(len(source) + 1) for _ in range(2))
        piece = source[start:end]
        for definition in outline(piece, LANGUAGES[name]).definitions:
            assert 0 <= definition.start_byte < definition.end_byte <= len(piece)
            assert 1 <= definition.start_line <= definition.line <= definition.end_line
            assert definition.end_line <= piece.count(b"\n") + 1
            assert definition.name


def test_code_after_a_broken_function_is_still_found() -> None:
    source = b"def broken(:\n    return\n\n\ndef whole():\n    return 1\n"
    names = [each.name for each in outline(source, LANGUAGES["python"]).definitions]
    assert "whole" in names


@given(source=st.binary(max_size=300), name=st.sampled_from(PARSED))
@settings(max_examples=300)
def test_bytes_of_any_kind_give_an_outline(source: bytes, name: str) -> None:
    outline(source, LANGUAGES[name])


@pytest.mark.parametrize("name", ["python", "javascript", "c", "clojure", "rust"])
def test_nesting_of_any_depth_is_no_recursion(name: str) -> None:
    opening = {"clojure": b"(defn f [] "}.get(name, b"(")
    outline(opening * 20_000, LANGUAGES[name])
    outline(b"[" * 20_000 + b"]" * 20_000, LANGUAGES[name])


def test_functions_nested_deeply_keep_only_the_nearest_scopes() -> None:
    source = b"".join(b"function f%d() {\n" % depth for depth in range(5_000))
    found = outline(source + b"}" * 5_000, LANGUAGES["javascript"]).definitions
    assert len(found) == 5_000
    assert found[3].symbol == "f0.f1.f2.f3"
    assert found[-1].scope == tuple(f"f{n}" for n in range(4_999 - MAX_SCOPE_DEPTH, 4_999))


def test_a_file_beyond_the_limit_is_not_parsed_and_says_so() -> None:
    source = b"def f():\n    pass\n" * 10
    found = outline(source, LANGUAGES["python"], max_bytes=100)
    assert found.definitions == ()
    assert found.notice == TOO_LARGE


def test_a_parse_that_takes_too_long_is_given_up_and_the_parser_stays_usable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = b"x = [" + b"(1, 2), " * 100_000
    with pytest.raises(ParseTimeoutError):
        matches(source, LANGUAGES["python"], microseconds=1)
    assert len(matches(b"def f(): pass", LANGUAGES["python"], microseconds=1_000_000)) == 1

    def too_slow(*_: object) -> None:
        raise ParseTimeoutError

    monkeypatch.setattr("qidf.syntax.definitions.matches", too_slow)
    assert outline(source, LANGUAGES["python"]).notice == TOO_SLOW


def test_brackets_in_brackets_take_no_longer_than_they_may() -> None:
    with pytest.raises(ParseTimeoutError):
        matches(b"[" * 100_000, LANGUAGES["javascript"], microseconds=300_000)


def test_files_after_one_that_took_too_long_get_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_threads", threading.local())
    monkeypatch.setattr(parsing, "MAX_PARSE_MICROSECONDS", 40_000)
    monkeypatch.setattr(parsing, "MIN_PARSE_MICROSECONDS", 10_000)
    allowed = []
    for _ in range(4):
        allowed.append(parsing._patience())
        with pytest.raises(ParseTimeoutError):
            matches(b"[" * 100_000, LANGUAGES["javascript"])
    assert allowed == [40_000, 20_000, 10_000, 10_000]


def test_bytes_that_are_not_utf8_keep_their_lines() -> None:
    source = b"# caf\xe9\ndef f():\n    return '\xff'\n\n\ndef g(): pass\n"
    first, second = outline(source, LANGUAGES["python"]).definitions
    assert (first.name, first.start_line, first.end_line) == ("f", 1, 3)
    assert first.documentation is not None
    assert first.documentation.text == "caf\ufffd"
    assert (second.name, second.start_line) == ("g", 6)


def test_a_language_without_a_grammar_has_no_definitions() -> None:
    assert outline(b"# Title\n", LANGUAGES["markdown"]).definitions == ()


def test_threads_parse_side_by_side() -> None:
    source = FIXTURES["python"].read_bytes() * 50
    expected = outline(source, LANGUAGES["python"])
    found: list[object] = []

    def work() -> None:
        found.extend(outline(source, LANGUAGES["python"]) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 20
