"""Chunks partition a file's lines and follow its definitions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qidf.repository.chunks import WHOLE_FUNCTION_CHARACTERS, chunk_file
from qidf.repository.windows import WINDOW_CHARACTERS, WINDOW_LINES, windows

FIXTURES = sorted((Path(__file__).parent.parent / "syntax" / "fixtures").iterdir())


def assert_partition(path: str, text: str, *, parse: bool = True) -> None:
    found = chunk_file(path, text, parse=parse)
    covered: list[int] = []
    for chunk in found.chunks:
        assert chunk.start_line <= chunk.end_line
        covered.extend(range(chunk.start_line, chunk.end_line + 1))
    assert covered == sorted(set(covered))
    lines = text.split("\n")
    missing = set(range(1, len(lines) + 1)) - set(covered)
    assert not [number for number in missing if lines[number - 1].strip()]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("times", [1, 40])
def test_every_line_is_in_exactly_one_chunk(fixture: Path, times: int) -> None:
    text = fixture.read_text(encoding="utf-8") * times
    assert_partition(fixture.name, text)
    assert_partition(fixture.name, text, parse=False)
    assert_partition(fixture.name, text.replace("\n", "\r\n"))


@given(
    text=st.text(
        st.sampled_from(["a", " ", "\n", "\n\n", "def f():\n", "  ", "}", "{", "class C:\n", "# "])
        .filter(bool)
        .flatmap(lambda piece: st.just(piece[0])),
        max_size=200,
    ),
    name=st.sampled_from(["a.py", "a.js", "a.md", "a.rst", "a.c", "a", "a.go"]),
)
@settings(max_examples=150)
def test_any_text_is_partitioned(text: str, name: str) -> None:
    assert_partition(name, text)


def test_functions_are_chunks_with_their_documentation() -> None:
    text = (
        "import os\n\n# Doubles it.\ndef double(x):\n    return 2 * x\n\n\n"
        "@cache\ndef half(x):\n    return x / 2\n"
    )
    found = chunk_file("a.py", text)
    assert [(each.start_line, each.end_line, each.symbol) for each in found.chunks] == [
        (1, 5, "double"),
        (8, 10, "half"),
    ]


def test_a_large_class_gives_its_header_and_its_methods_apart() -> None:
    body = "".join(
        f"    def method_{n}(self):\n" + f"        return '{'x' * 60}'\n" * 5 for n in range(10)
    )
    head = 'class Big:\n    """A large class."""\n\n' + "    field = 1\n" * 20 + "\n"
    found = chunk_file("a.py", head + body)
    assert found.chunks[0].symbol == "Big"
    assert found.chunks[0].kind == "class"
    assert [each.symbol for each in found.chunks[1:]] == [f"Big.method_{n}" for n in range(10)]


def test_a_small_class_is_one_chunk() -> None:
    found = chunk_file("a.py", "class Small:\n    def one(self): pass\n\n    def two(self): pass\n")
    assert [(each.symbol, each.start_line, each.end_line) for each in found.chunks] == [
        ("Small", 1, 4)
    ]


def test_a_function_too_long_is_cut_into_windows_that_keep_its_name() -> None:
    body = "".join(f"    value_{n} = {n}\n" for n in range(600))
    found = chunk_file("a.py", "def long():\n" + body)
    assert len(found.chunks) > 2
    assert {each.symbol for each in found.chunks} == {"long"}
    for text in found.texts:
        assert len(text) <= WHOLE_FUNCTION_CHARACTERS


def test_prose_is_cut_at_headings() -> None:
    text = "# One\n\ntext\n\n## Two\n\nmore\n\nThree\n=====\n\nend\n"
    found = chunk_file("a.md", text)
    assert [(each.start_line, each.end_line) for each in found.chunks] == [(1, 3), (5, 7), (9, 12)]


def test_windows_stay_within_their_limits_and_prefer_blank_lines() -> None:
    lines = ["x" * 50 if number % 10 else "" for number in range(500)]
    cut = windows(lines, 1, 500)
    assert cut[0][0] == 1
    assert cut[-1][1] == 500
    for start, end in cut:
        assert end - start + 1 <= WINDOW_LINES
        assert sum(map(len, lines[start - 1 : end])) <= WINDOW_CHARACTERS
    assert all(not lines[end - 1] for _, end in cut[:-1])
    # A line longer than a window is a window.
    assert windows(["y" * 10_000, "z"], 1, 2) == [(1, 1), (2, 2)]
