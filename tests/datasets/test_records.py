"""JSON Lines in blocks give what line after line gives, and name the line that is wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.datasets import records
from qidf.datasets.records import read_jsonl
from qidf.errors import DuplicateIdError, InputError


def written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@given(
    texts=st.lists(st.text(), max_size=30),
    titles=st.lists(st.one_of(st.none(), st.text(max_size=4)), min_size=30, max_size=30),
    blanks=st.sets(st.integers(0, 29)),
    block=st.integers(1, 200),
    packed=st.booleans(),
    titled=st.booleans(),
)
def test_blocks_of_any_size_give_what_single_lines_give(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    titles: list[str | None],
    blanks: set[int],
    block: int,
    packed: bool,
    titled: bool,
) -> None:
    path = tmp_path_factory.mktemp("records") / "corpus.jsonl"
    lines = []
    for number, (text, title) in enumerate(zip(texts, titles, strict=False)):
        record = {"_id": f"d{number}", "text": text, "extra": {"nested": [1, "}"]}}
        lines.append(json.dumps(record if title is None else {**record, "title": title}))
        if number in blanks:
            lines.append("  ")
    data = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "BLOCK_BYTES", block)
        found = read_jsonl(path, "document", titled=titled)
    assert list(found.ids) == [f"d{number}" for number in range(len(texts))]
    assert list(found.texts) == [
        f"{title} {text}" if title and titled else text
        for text, title in zip(texts, titles, strict=False)
    ]


def test_ids_may_be_integers_and_may_be_called_id(tmp_path: Path) -> None:
    path = written(tmp_path / "c.jsonl", '{"_id": 7, "text": "a"}', '{"id": "x", "text": "b"}')
    assert list(read_jsonl(path, "document")) == [("7", "a"), ("x", "b")]


def test_a_byte_order_mark_and_carriage_returns_are_no_part_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"_id": "a", "text": "x"}\r\n{"_id": "b", "text": "y"}\r\n')
    assert list(read_jsonl(path, "document")) == [("a", "x"), ("b", "y")]


def test_progress_ends_with_the_size_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "c.jsonl", *(f'{{"_id": "{n}", "text": "t"}}' for n in range(50)))
    seen: list[tuple[int, int]] = []
    read_jsonl(path, "document", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"_id": "b", "text": "unfinished', "not valid JSON"),
        ('{"_id": "b", "text": "x"} {"_id": "c", "text": "y"}', "not valid JSON"),
        ('{"_id": "b", "text": "x"},{"_id": "c", "text": "y"}', "not valid JSON"),
        ('["a list"]', "not an object"),
        ('{"_id": "b"}', "no 'text' string"),
        ('{"_id": "b", "text": null}', "no 'text' string"),
        ('{"text": "x"}', "no '_id' string"),
        ('{"_id": true, "text": "x"}', "no '_id' string"),
        ('{"_id": 1.5, "text": "x"}', "no '_id' string"),
    ],
)
def test_a_broken_line_is_named_with_its_file(tmp_path: Path, line: str, sentence: str) -> None:
    good = '{"_id": "a", "text": "x"}'
    path = written(tmp_path / "corpus.jsonl", good, "", line, good.replace("a", "z", 1))
    with pytest.raises(InputError, match=sentence) as caught:
        read_jsonl(path, "document")
    assert str(caught.value).startswith(f"{path}, line 3: ")


def test_halves_of_an_object_on_two_lines_are_two_broken_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "c.jsonl", '{"_id": "a", "text": "x"', '"more": 1}')
    with pytest.raises(InputError, match="line 1: the line is not valid JSON"):
        read_jsonl(path, "document")


def test_bytes_that_are_not_utf8_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"_id": "a", "text": "x"}\n{"_id": "b", "text": "\xff"}\n')
    with pytest.raises(InputError, match="line 2: the line is not valid JSON in UTF-8"):
        read_jsonl(path, "document")


@pytest.mark.parametrize("between", [0, 40])
def test_a_repeated_id_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, between: int
) -> None:
    lines = ['{"_id": "a", "text": "x"}']
    lines += [f'{{"_id": "b{n}", "text": "y"}}' for n in range(between)]
    path = written(tmp_path / "c.jsonl", *lines, '{"_id": "a", "text": "z"}')
    monkeypatch.setattr(records, "BLOCK_BYTES", 100)
    with pytest.raises(DuplicateIdError, match=rf"line {between + 2}: the document id 'a'"):
        read_jsonl(path, "document")


def test_a_gzip_file_that_breaks_off_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"_id": "a", "text": "x"}\n' * 100)[:-20])
    with pytest.raises(InputError, match=r"corpus\.jsonl\.gz breaks off or is damaged"):
        read_jsonl(path, "document")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_jsonl(tmp_path / "nothing.jsonl", "document")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read_jsonl(tmp_path, "document")
