from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter")

from benchmarks.corpora.functions import Function
from benchmarks.questions import folders, message


def _function(name: str, code: str) -> Function:
    return Function("package", "1", "path", f"Class.{name}", f"Says what {name} does.", code, code)


def test_a_message_is_a_text_of_four_words_between_quotes() -> None:
    assert message('raise("key_name", "the file was not found")') == "the file was not found"
    assert message("fail('no such file at all') or fail('nothing here to see, go on')") == (
        "nothing here to see, go on"
    )
    assert message('open("path/to/file", "rb")') is None


def test_every_kind_of_question_has_the_one_function_it_is_about() -> None:
    functions = [
        _function("first", 'fail("the first thing went wrong")'),
        _function("again", 'fail("both of them say this")'),
        _function("again", 'pass("x"); fail("both of them say this")'),
    ]
    made = folders(functions, 10)
    assert made["function"][1]["qd0"] == functions[0].stripped
    assert made["documentation"][1]["qd1"] == "Says what again does."
    assert list(made["name"][1]) == ["qd0"]
    assert made["message"][1] == {"qd0": "the first thing went wrong"}
    for documents, asked, right in made.values():
        assert set(right) == set(asked)
        assert set(right.values()) <= set(documents)
