"""Tokens and their numbers, loop by loop, against plain Python."""

from __future__ import annotations

import ctypes
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.analysis import PRESETS, Analyzer, TermTable
from qidf.analysis.batch import _Rules
from qidf.analysis.terms import StringBuffer
from qidf.native import analysis as native
from qidf.native import library
from qidf.native.library import address

WORD = 2**64 - 1
# Lengths around the sixteen bytes that loops read at a time, and around multiples of them.
STRINGS = st.one_of(
    st.binary(max_size=40),
    st.text("ab", min_size=13, max_size=18).map(str.encode),
    st.text("\0a", max_size=34).map(str.encode),
)


def hash_by_definition(data: bytes) -> int:
    value = len(data) * 0x9E3779B97F4A7C15 & WORD
    for start in range(0, len(data), 16):
        low = int.from_bytes(data[start : start + 8], "little")
        high = int.from_bytes(data[start + 8 : start + 16], "little")
        value = (value ^ low) * 0x9E3779B97F4A7C15 & WORD
        value = (value ^ value >> 32 ^ high) * 0xD6E8FEB86659FD93 & WORD
        value ^= value >> 32
    return (value * 0xFF51AFD7ED558CCD & WORD) >> 32


def buffer(strings: list[bytes]) -> StringBuffer:
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in strings])]).astype(np.int64)
    # What follows the last string must not matter.
    text = np.frombuffer(b"".join(strings) + b"\xa5" * native.PADDING, np.uint8)
    return StringBuffer.from_offsets(text, offsets)


@given(st.lists(STRINGS))
def test_hashes_are_those_of_the_definition(strings: list[bytes]) -> None:
    found = buffer(strings)
    hashes = np.empty(len(strings), np.uint32)
    native.hash_strings(found.text, found.starts, found.lengths, len(strings), hashes)
    assert hashes.tolist() == list(map(hash_by_definition, strings))


def test_the_hash_never_changes() -> None:
    known = {b"": 0, b"a": 4189054099, b"term": 557866631, b"0123456789abcdef": 425748137}
    known[b"handleWebSocketUpgrade"] = 3300478188
    assert buffer(list(known)).hashes.tolist() == list(known.values())
    assert list(map(hash_by_definition, known)) == list(known.values())


@given(st.lists(STRINGS, unique=True))
def test_a_slot_is_the_first_free_one_from_the_hash_on(strings: list[bytes]) -> None:
    num_slots = 128
    expected = [0] * num_slots
    for term, value in enumerate(map(hash_by_definition, strings)):
        slot = next(
            place
            for place in itertools.islice(itertools.cycle(range(num_slots)), value % 128, None)
            if expected[place] == 0
        )
        expected[slot] = value // 128 * 128 + term + 1
    slots = np.zeros(num_slots, np.uint32)
    native.fill_slots(buffer(strings).hashes, len(strings), slots, num_slots)
    assert slots.tolist() == expected


class SmallTable:
    """Room for eight terms of sixty-four bytes."""

    def __init__(self) -> None:
        self.slots = np.zeros(16, np.uint32)
        self.blob = np.full(64 + native.PADDING, 0xA5, np.uint8)
        self.offsets = np.zeros(9, np.int64)
        self.hashes = np.zeros(8, np.uint32)
        arrays = (self.slots, self.blob, self.offsets, self.hashes)
        self.native = native.Table(*map(address, arrays), 16, len(self.blob), 0)
        self.address = ctypes.addressof(self.native)


@settings(max_examples=200)
@given(st.lists(STRINGS), st.lists(STRINGS))
def test_strings_are_numbered_until_one_does_not_fit(
    strings: list[bytes], asked: list[bytes]
) -> None:
    expected: dict[bytes, int] = {}
    done = 0
    for string in strings:
        if string not in expected:
            if len(expected) == 8 or sum(map(len, expected)) + len(string) > 64:
                break
            expected[string] = len(expected)
        done += 1
    table = SmallTable()
    ids = np.full(len(strings), -7, np.int32)
    given_strings = buffer(strings)
    assert native.intern(table.address, given_strings.address, 0, len(strings), ids) == done
    assert ids.tolist() == [expected[string] for string in strings[:done]] + [-7] * (
        len(strings) - done
    )
    assert table.native.num_terms == len(expected)
    assert table.blob.tobytes().startswith(b"".join(expected))
    assert table.hashes[: len(expected)].tolist() == list(map(hash_by_definition, expected))

    both = [*strings, *asked]
    given_strings, found = buffer(both), np.empty(len(both), np.int32)
    native.look_up(table.address, given_strings.address, len(both), address(found))
    assert found.tolist() == [expected.get(string, -1) for string in both]


@given(st.lists(st.text("abc", max_size=20)), st.lists(st.text("abc", max_size=20)))
def test_another_tables_terms_are_looked_up_with_or_without_its_hashes(
    known: list[str], asked: list[str]
) -> None:
    table, other = TermTable.from_tokens(known), TermTable.from_tokens(asked)
    expected = {string: number for number, string in enumerate(dict.fromkeys(known))}
    for each in (other, TermTable.from_arrays(**other.arrays())):
        ids = np.empty(len(each), np.int32)
        native.look_up_terms(table.address, each.address, address(ids))
        assert ids.tolist() == [expected.get(string, -1) for string in dict.fromkeys(asked)]


@given(st.lists(st.text("a:b", max_size=6), unique=True))
def test_a_prefix_begins_where_it_differs_from_the_one_before(strings: list[str]) -> None:
    expected, before = [], None
    for number, string in enumerate(strings):
        prefix = string[: string.rfind(":") + 1]
        if prefix != before:
            expected.append(number)
        before = prefix
    table, firsts = TermTable.from_tokens(strings), np.empty(len(strings), np.int64)
    count = native.find_prefixes(table.address, ord(":"), firsts)
    if all(":" in string for string in strings):
        assert firsts[:count].tolist() == expected
    else:
        assert count == -1


ASCII = st.text(st.characters(max_codepoint=127), max_size=80)
CODE = st.text("aAbBsSyYieExX019_ .-\n", max_size=80)
ANALYZERS = [
    *PRESETS.values(),
    Analyzer(stopwords="none"),
    Analyzer(parts="both", plurals="fold"),
    Analyzer(parts="only", plurals="fold", stopwords=("the", "bs", "a")),
    Analyzer(words="whitespace", parts="both", lowercase=False, stopwords=("a", "As")),
    # Too long for a key, and too many to be kept apart by one.
    Analyzer(stopwords=tuple("".join(pair) * 5 for pair in itertools.product("abs", repeat=2))),
    Analyzer(stopwords=tuple(map("".join, itertools.product("abs019", repeat=3)))),
]


@pytest.mark.parametrize("analyzer", ANALYZERS, ids=lambda analyzer: str(analyzer)[:40])
@settings(max_examples=150, deadline=None)
@given(texts=st.lists(st.one_of(ASCII, CODE), min_size=1, max_size=5))
def test_tokens_are_those_of_the_definition(analyzer: Analyzer, texts: list[str]) -> None:
    found, token_ends = find_tokens(analyzer, texts)
    expected = [analyzer.tokens(text) for text in texts]
    assert found == [token.encode() for tokens in expected for token in tokens]
    assert token_ends == list(itertools.accumulate(map(len, expected)))


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 2047, 2048, 2049, 4096, 5000])
def test_a_word_may_cross_groups_and_blocks_of_bytes(size: int) -> None:
    """Words that end, begin and go on at every boundary, at the end of the text too."""
    for text in ("b" * size, " " * size + "bc", "b" * size + " cd", ("bc " * size)[:size]):
        found, _ = find_tokens(Analyzer(), [text])
        assert found == [token.encode() for token in Analyzer().tokens(text)]


def find_tokens(analyzer: Analyzer, texts: list[str]) -> tuple[list[bytes], list[int]]:
    data = "\n".join(texts).encode()
    size = len(data)
    tokens = StringBuffer(
        np.full(2 * size + native.PADDING, 0xA5, np.uint8),
        np.empty(size + 1, np.int64),
        np.empty(size + 1, np.uint32),
        np.empty(size + 1, np.uint32),
    )
    doc_ends = np.cumsum([len(text) + 1 for text in texts])
    token_ends = np.empty(len(texts), np.int64)
    rules = _Rules(analyzer)
    count = native.find_tokens(
        data,
        size,
        rules.address,
        address(doc_ends),
        len(texts),
        tokens.address,
        address(token_ends),
    )
    text = tokens.text.tobytes()
    places = zip(tokens.starts[:count].tolist(), tokens.lengths[:count].tolist(), strict=True)
    found = [text[start : start + length] for start, length in places]
    assert tokens.hashes[:count].tolist() == list(map(hash_by_definition, found))
    return found, token_ends.tolist()


def test_structures_have_the_fields_that_the_header_gives_them() -> None:
    header = Path(library.__file__).with_name("qidf.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    kinds = {"int64_t": "c_long", "int32_t": "c_int", "uint32_t": "c_uint", "qidf_table": "Table"}
    for name, structure in (
        ("qidf_strings", native.Strings),
        ("qidf_table", native.Table),
        ("qidf_rules", native.Rules),
    ):
        body = re.search(rf"typedef struct \{{([^}}]*)\}} {name};", header)
        assert body is not None
        fields = re.findall(r"(\w+) (\*?)(\w+)(\[\w+\])?;", body[1])
        assert [field for _, _, field, _ in fields] == [field[0] for field in structure._fields_]
        for (kind, pointer, field, length), (_, declared) in zip(
            fields, structure._fields_, strict=True
        ):
            if pointer:
                assert declared is library.ADDRESS, field
            elif length:
                assert ctypes.sizeof(declared) == getattr(native.Rules, field).size
            else:
                assert declared.__name__.replace("longlong", "long") == kinds[kind], field


def test_constants_are_those_of_the_header() -> None:
    header = Path(library.__file__).with_name("qidf.h").read_text(encoding="utf-8")
    for name, value in re.findall(r"#define QIDF_(\w+) (\d+)", header):
        if hasattr(native, name):
            assert getattr(native, name) == int(value), name
    assert TermTable.empty().arrays()["blob"].size == native.PADDING
