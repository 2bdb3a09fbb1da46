"""JSON whose objects know their place: the values are json's, the bytes outside an edit stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.engines.opensearch.json_spans import Spanned, parse, splice
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


def objects(value: Any) -> list[Spanned]:
    if isinstance(value, list):
        return [found for each in value for found in objects(each)]
    if isinstance(value, dict):
        return [value, *(found for each in value.values() for found in objects(each))]
    return []


@given(values, layouts, st.booleans())
def test_values_are_those_json_reads(value: Any, layout: Any, ascii_only: bool) -> None:
    indent, separators = layout
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)
    found = parse(text)
    assert json.dumps(found) == json.dumps(json.loads(text))
    for node in objects(found):
        assert json.loads(text[node.start : node.end]) == node


@given(values, st.sampled_from([None, 2]))
def test_an_edit_changes_nothing_else(value: Any, indent: int | None) -> None:
    text = json.dumps({"before": 1.10, "node": {"inner": value}, "after": [1e5]}, indent=indent)
    node = parse(text)["node"]
    changed = splice(text, [(node, {"new": "täxt"})])
    assert changed == text[: node.start] + '{"new": "täxt"}' + text[node.end :]
    assert parse(changed)["node"] == {"new": "täxt"}
    assert splice(text, []) == text


def test_several_edits_may_come_in_any_order() -> None:
    text = '[ {"a":1} , {"b":2},{"c":3} ]'
    first, second, third = parse(text)
    assert splice(text, [(third, 3), (first, 1)]) == '[ 1 , {"b":2},3 ]'
    assert splice(text, [(second, [])]) == '[ {"a":1} , [],{"c":3} ]'


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "{", "[", '{"a"}', '{"a":}', '{"a":1,}', "[1,]", "[1 2]", "{a:1}", "nul", "01",
        "+1", ".5", "1.", '"open', '"\\x"', '{"a":1}x', '{"a":1,"a":2}', "\ufeff{}", "NaN", "'a'",
        "[" * 300 + "]" * 300,
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse(text)
