"""Messages, errors and names: questions with one exact answer."""

from __future__ import annotations

from pathlib import Path

from benchmarks.code_search.exact import error_questions, message_questions, name_questions
from benchmarks.code_search.halves import Half
from benchmarks.code_search.questions import Question, RightFile, all_files_within, span_within

CART = """class Cart:
    def add(self, item):
        if self.is_full:
            raise CartError("there is no room for %s in this cart")
        log("an item was put into the cart")


def total(cart):
    log("an item was put into the cart")
    raise CartError("the total of a cart can't be known yet")
"""


def asked(root: Path, make: object) -> dict[str, RightFile]:
    """All questions of both halves by their texts."""
    found = [each for half in Half for each in make(root, 10, 7, half)]  # type: ignore[operator]
    return {each.text: each.right[0] for each in found}


def test_a_message_that_stands_in_one_line_is_asked_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "cart.py").write_text(CART)
    found = asked(tmp_path, message_questions)
    assert found == {
        "there is no room for %s in this cart": RightFile("cart.py", ((4, 4),)),
        "the total of a cart can't be known yet": RightFile("cart.py", ((10, 10),)),
    }


def test_an_error_has_values_where_its_message_has_placeholders(tmp_path: Path) -> None:
    (tmp_path / "cart.py").write_text(CART)
    (text,) = asked(tmp_path, error_questions)
    assert text.startswith("there is no room for ")
    assert text.endswith(" in this cart")
    assert "%s" not in text


def test_names_that_are_defined_once_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "cart.py").write_text(CART)
    (tmp_path / "bill.py").write_text("def total(bill):\n    return sum(bill)\n")
    found = asked(tmp_path, name_questions)
    assert {text.rpartition(".")[2] for text in found} == {"Cart", "add"}


def test_all_right_files_must_be_there_and_one_right_span() -> None:
    right = (RightFile("a", ((5, 5),)), RightFile("b", ((1, 2),)))
    question = Question("1", "text", right)
    answer = [("a", 1, 4), ("a", 5, 9), ("c", 1, 9), ("b", 7, 9)]
    assert [all_files_within(answer, question, depth) for depth in (1, 2, 3)] == [
        False,
        False,
        True,
    ]
    assert [span_within(answer, question, depth) for depth in (1, 2)] == [False, True]
