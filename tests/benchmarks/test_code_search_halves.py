"""Settings are chosen on other questions than runs measure."""

from __future__ import annotations

from pathlib import Path

from benchmarks.code_search.halves import Half, half_of
from benchmarks.code_search.held_back import make_questions

FUNCTION = '''
def step_{number}(value):
    """Turn the given value into number {number} of the whole series, or say why not."""
    first = value + {number}
    return first
'''


def test_a_key_is_always_in_the_same_half_and_both_halves_are_about_as_large():
    keys = [f"src/file{number}.py:{number}" for number in range(2_000)]
    halves = [half_of(key) for key in keys]
    assert halves == [half_of(key) for key in keys]
    assert 900 < halves.count(Half.CHOOSING) < 1_100


def test_no_function_is_asked_for_in_both_halves_and_each_half_blanks_only_its_own(tmp_path: Path):
    source = tmp_path / "source"
    source.mkdir()
    for number in range(40):
        (source / f"part{number}.py").write_text(FUNCTION.format(number=number))
    asked = {}
    for half in Half:
        questions = make_questions(source, tmp_path / half.value, 100, 7, half)
        asked[half] = {question.path for question in questions}
        for path in source.iterdir():
            copy = (tmp_path / half.value / path.name).read_text()
            assert ("whole series" in copy) == (path.name not in asked[half])
    assert asked[Half.CHOOSING]
    assert asked[Half.MEASURING]
    assert not asked[Half.CHOOSING] & asked[Half.MEASURING]
    assert len(asked[Half.CHOOSING] | asked[Half.MEASURING]) == 40


def test_questions_are_of_the_measuring_half_unless_told_otherwise(tmp_path: Path):
    source = tmp_path / "source"
    source.mkdir()
    for number in range(10):
        (source / f"part{number}.py").write_text(FUNCTION.format(number=number))
    told = make_questions(source, tmp_path / "a", 100, 7, Half.MEASURING)
    assert make_questions(source, tmp_path / "b", 100, 7) == told
