"""A term table behaves as a dictionary from strings to the order they came in."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.analysis import TermTable
from qidf.analysis.terms import StringBuffer, _filled_slots
from qidf.errors import CorruptIndexError, InvalidArgumentError
from qidf.native.analysis import PADDING

# Lengths around the sixteen bytes that kernels read at a time, and around multiples of them.
STRINGS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=40),
    st.text("ab", min_size=13, max_size=18),
    st.text("\0a", max_size=34),
)
LISTS = st.lists(STRINGS, max_size=60)


def in_order(strings: list[str]) -> dict[str, int]:
    return {string: i for i, string in enumerate(dict.fromkeys(strings))}


@settings(max_examples=200, deadline=None)
@given(first=LISTS, second=LISTS)
def test_strings_are_numbered_as_they_are_first_seen(first: list[str], second: list[str]) -> None:
    expected = in_order(first + second)
    table = TermTable.from_tokens(first)
    assert table.intern(second).tolist() == [expected[string] for string in second]
    assert table.tokens() == list(expected)
    assert [table.token(i) for i in range(len(table))] == list(expected)


@settings(max_examples=200, deadline=None)
@given(known=LISTS, asked=LISTS)
def test_strings_are_found_by_name_and_by_table(known: list[str], asked: list[str]) -> None:
    expected = in_order(known)
    growing = TermTable.from_tokens(known)
    for table in (growing, TermTable.from_arrays(**growing.arrays()), growing.copy()):
        assert table.lookup(known + asked).tolist() == [expected.get(s, -1) for s in known + asked]
        assert table.lookup_table(TermTable.from_tokens(asked)).tolist() == [
            expected.get(s, -1) for s in in_order(asked)
        ]
        assert all((string in table) == (string in expected) for string in asked)
    assert len(growing) == len(expected)


@settings(max_examples=100, deadline=None)
@given(first=LISTS, second=LISTS)
def test_one_table_can_be_merged_into_another(first: list[str], second: list[str]) -> None:
    expected = in_order(first + second)
    table = TermTable.from_tokens(first)
    other = TermTable.from_arrays(**TermTable.from_tokens(second).arrays())
    assert table.intern_table(other).tolist() == [expected[string] for string in in_order(second)]
    assert table.tokens() == list(expected)


@settings(max_examples=100, deadline=None)
@given(strings=LISTS, cut=st.integers(0, 60))
def test_equal_tables_have_equal_arrays_however_they_came_to_be(
    strings: list[str], cut: int
) -> None:
    at_once = TermTable.from_tokens(strings)
    in_two = TermTable.from_tokens(strings[:cut])
    in_two.arrays()
    in_two.reserve(1000)
    in_two.intern(strings[cut:])
    for name, array in at_once.arrays().items():
        assert np.array_equal(array, in_two.arrays()[name]), name
        assert np.array_equal(array, at_once.copy().arrays()[name]), name


def test_a_hundred_thousand_strings_survive_growth_saving_and_mapping(tmp_path: Path) -> None:
    strings = [f"document-{i * 7919 % 100_003:08d}" for i in range(100_000)]
    table = TermTable.from_tokens(strings)
    for name, array in table.arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
    mapped = TermTable.from_arrays(
        *(np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("blob", "offsets", "slots"))
    )
    assert mapped.tokens() == strings
    assert mapped.lookup(strings[::997]).tolist() == list(range(0, 100_000, 997))
    assert np.array_equal(mapped.lookup_table(table), np.arange(100_000))
    grown = mapped.copy()
    assert grown.intern(["new", strings[5]]).tolist() == [100_000, 5]
    assert len(mapped) == 100_000


def test_strings_of_equal_hash_are_told_apart() -> None:
    seen: dict[int, str] = {}
    pairs = []
    for number in itertools.count():
        string = f"s{number}"
        twin = seen.setdefault(int(TermTable.from_tokens([string]).strings().hashes[0]), string)
        if twin != string:
            pairs.append((twin, string))
            if len(pairs) == 2:
                break
    strings = [string for pair in pairs for string in pair]
    table = TermTable.from_tokens(strings)
    assert len(table) == 4
    assert table.lookup(strings).tolist() == [0, 1, 2, 3]
    assert table.lookup_table(TermTable.from_tokens(strings[::-1])).tolist() == [3, 2, 1, 0]
    without = TermTable.from_tokens(strings[::2])
    assert without.lookup(strings).tolist() == [0, -1, 1, -1]


def test_numbers_run_out_of_range_with_a_sentence() -> None:
    with pytest.raises(InvalidArgumentError, match="no term has number 1; there are 1"):
        TermTable.from_tokens(["alpha"]).token(1)


def test_a_table_from_arrays_refuses_to_grow() -> None:
    table = TermTable.from_arrays(**TermTable.from_tokens(["alpha"]).arrays())
    assert table.read_only
    for grow in (lambda: table.intern(["beta"]), lambda: table.reserve(10)):
        with pytest.raises(InvalidArgumentError, match="copy"):
            grow()


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("offsets", lambda array: array[:0]),
        ("offsets", lambda array: array + 1),
        ("offsets", lambda array: array[:-1]),
        ("offsets", lambda array: array.astype(np.int32)),
        ("blob", lambda array: array[:-1]),
        ("blob", lambda array: array.reshape(1, -1)),
        ("slots", lambda array: array[:-1]),
        ("slots", lambda array: array[:8]),
        ("slots", lambda array: array.astype(np.int64)),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(name: str, damage: object) -> None:
    arrays = TermTable.from_tokens([f"term{i}" for i in range(50)]).arrays()
    arrays[name] = damage(arrays[name])  # type: ignore[operator]
    with pytest.raises(CorruptIndexError):
        TermTable.from_arrays(**arrays)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_damaged_arrays_end_in_an_answer_or_an_error_but_never_in_a_loop(
    data: st.DataObject,
) -> None:
    strings = [f"term{i}" for i in range(20)]
    arrays = {name: a.copy() for name, a in TermTable.from_tokens(strings).arrays().items()}
    if data.draw(st.booleans()):
        # Every string has its slot, wherever that may be.
        arrays["slots"] = arrays["slots"][data.draw(st.permutations(range(len(arrays["slots"]))))]
    elif data.draw(st.booleans()):
        # No empty slot left to stop at.
        arrays["slots"][:] |= data.draw(st.integers(1, 2**32 - 1))
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(arrays["slots"]) - 1))
        arrays["slots"][place] ^= data.draw(st.integers(0, 2**32 - 1))
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(1, len(strings) - 1))
        arrays["offsets"][place] = data.draw(st.integers(-(2**62), 2**62) | st.integers(0, 110))
    try:
        table = TermTable.from_arrays(**arrays)
    except CorruptIndexError:
        return
    asked = [*strings, "unknown", ""]
    found = table.lookup(asked)
    assert ((found >= -1) & (found < 20)).all()
    for merge in (table.copy, lambda: TermTable.empty().intern_table(table)):
        with contextlib.suppress(CorruptIndexError):
            merge()


def test_bytes_that_are_no_text_are_reported_as_corrupt() -> None:
    arrays = TermTable.from_tokens(["alpha"]).arrays()
    # As the arrays of a table that somebody made of such bytes.
    arrays["blob"] = np.array([*b"\xff" * 5, *bytes(PADDING)], np.uint8)
    strings = StringBuffer.from_offsets(arrays["blob"], arrays["offsets"])
    arrays["slots"] = _filled_slots(strings.hashes, 1, len(arrays["slots"]))
    table = TermTable.from_arrays(**arrays)
    assert not table.is_sound()
    for read in (table.tokens, lambda: table.token(0)):
        with pytest.raises(CorruptIndexError, match="aren't text"):
            read()
