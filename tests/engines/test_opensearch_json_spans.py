"""JSON whose objects know their place: the values are json's, the bytes outside an edit stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.engines.opensearch.json_spans import parse, spans, splice
from qidf.errors import InputError

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
layouts = st.sampled_from([(None, None), (2, None), (None, (",", ":")), ("\t", (" ,", " : "))])


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, list):
        inner = [found for at, each in enumerate(value) for found in paths(each, (*here, at))]
    elif isinstance(value, dict):
        inner = [found for at, each in value.items() for found in paths(each, (*here, at))]
    else:
        inner = []
    return [here, *inner]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(values, layouts, st.booleans())
def test_values_and_places_are_those_json_reads(value: Any, layout: Any, ascii_only: bool) -> None:
    indent, separators = layout
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)
    found = parse(text)
    assert json.dumps(found) == json.dumps(json.loads(text))
    for path, (start, end) in zip(paths(found), spans(text, paths(found)), strict=True):
        assert json.loads(text[start:end]) == at(found, path)


@given(values, st.sampled_from([None, 2]))
def test_an_edit_changes_nothing_else(value: Any, indent: int | None) -> None:
    text = json.dumps({"before": 1.10, "node": {"inner": value}, "after": [1e5]}, indent=indent)
    [(start, end)] = spans(text, [["node"]])
    changed = splice(text, [(["node"], {"new": "text"})])
    assert changed == text[:start] + '{"new": "text"}' + text[end:]
    assert parse(changed)["node"] == {"new": "text"}
    assert splice(text, []) == text


def test_several_edits_may_come_in_any_order() -> None:
    text = '[ {"a":1} , {"b":2},{"c":3} ]'
    assert splice(text, [([2], 3), ([0], 1)]) == '[ 1 , {"b":2},3 ]'
    assert splice(text, [([1], [])]) == '[ {"a":1} , [],{"c":3} ]'


def test_half_a_pair_of_surrogates_goes_out_as_it_came() -> None:
    text = r'{"a": "\ud800", "b": {}}'
    changed = splice(text, [(["b"], {"was": parse(text)["a"]})])
    assert changed == r'{"a": "\ud800", "b": {"was": "\ud800"}}'
    assert changed.encode("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "{", "[", '{"a"}', '{"a":}', '{"a":1,}', "[1,]", "[1 2]", "{a:1}", "nul", "01",
        "+1", ".5", "1.", '"open', '"\\x"', '{"a":1}x', '{"a":1,"a":2}', "\ufeff{}", "NaN", "'a'",
        "[" * 100_000 + "]" * 100_000, '{"a":{"b":1,"b":2}}', "9" * 5_000,
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse(text)
