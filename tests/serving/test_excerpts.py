"""The line that is shown is the line that says most."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qidf.analysis import parse_analyzer
from qidf.serving.web.collection import Text
from qidf.serving.web.excerpts import EXCERPT_CHARACTERS, best_line, excerpt, marked

GENERIC = parse_analyzer("generic")
WORDS = st.sampled_from(["needle", "Needle", "hay", "stack", "İneedle", "the", "x"])
TEXTS = st.lists(st.lists(WORDS, max_size=5).map(" ".join), min_size=1, max_size=6)


@given(TEXTS, st.dictionaries(st.sampled_from(["needle", "hay", "stack"]), st.integers(1, 9)))
def test_the_best_line_is_worth_as_much_as_any_other(
    lines: list[str], worth: dict[str, int]
) -> None:
    values = [sum(worth.get(token, 0) for token in set(GENERIC.tokens(line))) for line in lines]
    found = best_line("\n".join(lines), worth, GENERIC)
    # Folding may change lengths, and then upper-case spellings aren't looked for.
    if "İ" not in "".join(lines):
        assert values[found - 1] == max(values)
        assert found == values.index(max(values)) + 1 or not any(values)


@given(st.text(max_size=2000), st.sampled_from(["generic", "identifier", "whitespace"]))
def test_runs_put_together_are_the_line_up_to_the_limit(line: str, name: str) -> None:
    analyzer = parse_analyzer(name)
    line = line.replace("\n", " ")
    worth = dict.fromkeys(analyzer.tokens(line)[-1:], 1.0)
    text = "".join(run for run, _ in marked(line, worth, analyzer))
    assert len(text) <= EXCERPT_CHARACTERS + 2
    assert text.strip("…") in line.expandtabs(4)


def test_parts_of_identifiers_mark_the_whole_word() -> None:
    analyzer = parse_analyzer("identifier")
    runs = marked("call handleUpgrade(x)", {"upgrade": 1.0}, analyzer)
    assert ("handleUpgrade", True) in runs


def test_a_long_line_is_cut_around_its_match() -> None:
    line = "word " * 5000 + "needle " + "word " * 5000
    runs = marked(line, {"needle": 1.0}, GENERIC)
    assert ("needle", True) in runs
    assert runs[0][0].startswith("…")
    assert runs[-1][0].endswith("…")


def test_the_only_line_has_no_number_and_context_stops_at_the_ends() -> None:
    text = Text.of("needle\n")
    (only, _) = excerpt(
        text.content, {"needle": 1.0}, GENERIC, context=3, first_line=text.first_line
    )
    assert only.number is None
    (inner,) = excerpt("needle", {"needle": 1.0}, GENERIC, first_line=7)
    assert inner.number == 7
    lines = excerpt("a\nb\nneedle\nc", {"needle": 1.0}, GENERIC, context=2)
    assert [line.number for line in lines] == [1, 2, 3, 4]
