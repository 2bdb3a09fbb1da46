"""How answers to questions about code are judged."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from benchmarks.code_search.questions import (
    LineTokens,
    Question,
    RightFile,
    file_ndcg,
    is_within,
    span_ndcg,
)

from qidf.errors import InvalidArgumentError
from qidf.token_counts import token_counter

ONE = Question("a", "where?", (RightFile("right.py", ((5, 5),)),))
TWO = Question(
    "b", "where?", (RightFile("one.py", ((3, 4), (20, 22))), RightFile("two.py", ((1, 1),)))
)


def test_with_one_right_answer_ndcg_is_the_discount_of_its_rank() -> None:
    answer = [("other.py", 1, 9), ("right.py", 1, 4), ("right.py", 5, 9)]
    assert span_ndcg(answer, ONE) == pytest.approx(1 / math.log2(4))
    assert file_ndcg(answer, ONE) == pytest.approx(1 / math.log2(3))


def test_all_right_answers_first_is_the_best_there_is() -> None:
    answer = [("two.py", 1, 1), ("one.py", 22, 30), ("other.py", 1, 1)]
    assert span_ndcg(answer, TWO) == pytest.approx(1.0)
    assert file_ndcg(answer, TWO) == pytest.approx(1.0)


def test_one_of_two_right_answers_is_a_share_of_the_best() -> None:
    answer = [("other.py", 1, 1), ("one.py", 3, 3)]
    best = 1 + 1 / math.log2(3)
    assert span_ndcg(answer, TWO) == pytest.approx(1 / math.log2(3) / best)


def test_a_right_file_counts_once_however_many_of_its_places_are_found() -> None:
    once = [("one.py", 3, 3), ("other.py", 1, 1)]
    twice = [("one.py", 3, 3), ("one.py", 20, 20)]
    assert span_ndcg(once, TWO) == span_ndcg(twice, TWO)


def test_a_span_beside_every_place_is_a_right_file_and_no_right_span() -> None:
    answer = [("one.py", 5, 19)]
    assert span_ndcg(answer, TWO) == 0.0
    assert file_ndcg(answer, TWO) > 0.0


def test_what_comes_after_ten_answers_gains_nothing() -> None:
    others = [(f"other{number}.py", 1, 1) for number in range(10)]
    assert span_ndcg([*others, ("right.py", 1, 9)], ONE) == 0.0
    assert file_ndcg([*others[:9], ("right.py", 1, 9)], ONE) > 0.0


def test_no_answer_gains_nothing() -> None:
    assert span_ndcg([], TWO) == file_ndcg([], TWO) == 0.0


def test_a_place_is_within_a_budget_when_one_of_its_lines_is(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("".join(f"line = {n}\n" for n in range(1, 31)))
    (tmp_path / "other.py").write_text("x = 1\n")
    lines = LineTokens(tmp_path)
    shown = [*lines.of("other.py", 1, 1), *lines.of("one.py", 1, 3)]
    needed = sum(tokens for _, tokens in shown)
    answer = [("other.py", 1, 1), ("one.py", 1, 30)]
    assert is_within(answer, TWO, needed, lines)
    assert not is_within(answer, TWO, needed - 1, lines)
    assert not is_within([("one.py", 5, 19)], TWO, 8_000, lines)


def test_tokens_of_a_long_file_are_those_of_its_lines_one_by_one(tmp_path: Path) -> None:
    texts = [f"value_{number} = {number * number}" for number in range(1, 601)]
    (tmp_path / "long.py").write_text("\n".join(texts))
    counter = token_counter()
    expected = [(n, counter.count(f"{text}\n")) for n, text in enumerate(texts, 1)]
    assert list(LineTokens(tmp_path).of("long.py", 1, 10_000)) == expected
    assert list(LineTokens(tmp_path).of("long.py", 255, 258)) == expected[254:258]


@pytest.mark.parametrize(
    "right",
    [(), (RightFile("a.py", ()),), (RightFile("a.py", ((1, 1),)), RightFile("a.py", ((2, 2),)))],
)
def test_a_question_without_a_right_answer_is_refused(right: tuple[RightFile, ...]) -> None:
    with pytest.raises(InvalidArgumentError):
        Question("a", "where?", right)
