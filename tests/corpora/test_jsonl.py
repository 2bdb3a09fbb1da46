"""JSON Lines: what is read, and what a broken line says."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.corpora import Bm25sCorpus, JsonLines
from qidf.errors import InputError
from qidf.index import Document

texts = st.text(max_size=40)
ids = st.text(max_size=8) | st.integers(-(2**40), 2**40)
values = st.none() | st.booleans() | st.integers() | texts
reserved = {"_id", "id", "text", "title"}
records = st.builds(
    lambda extra, key, identifier, text: {**extra, key: identifier, "text": text},
    st.dictionaries(texts.filter(lambda key: key not in reserved), values, max_size=3),
    st.sampled_from(["_id", "id"]),
    ids,
    texts,
)


def written(path: Path, lines: list[str], *, gzipped: bool = False) -> Path:
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    path.write_bytes(gzip.compress(data) if gzipped else data)
    return path


@given(st.lists(records, max_size=6), st.booleans(), st.booleans())
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    documents: list[dict[str, object]],
    gzipped: bool,
    escaped: bool,
) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "corpus.jsonl"
    lines = [json.dumps(document, ensure_ascii=escaped) for document in documents]
    written(path, lines, gzipped=gzipped)
    corpus = JsonLines(path)
    if not escaped and any("\ud800" <= char <= "\udfff" for line in lines for char in line):
        return  # lone surrogates have no UTF-8
    assert list(corpus) == [Document.from_record(document) for document in documents]
    assert corpus.done == corpus.total == path.stat().st_size or not documents


def test_a_title_is_searched_and_kept_as_metadata(tmp_path: Path) -> None:
    path = written(tmp_path / "c.jsonl", ['{"_id": "a", "title": "T", "text": "x", "year": 1}'])
    assert list(JsonLines(path)) == [Document("T x", "a", {"title": "T", "year": 1})]


def test_gzip_is_told_by_the_bytes_and_not_by_the_name(tmp_path: Path) -> None:
    path = written(tmp_path / "plain-name.jsonl", ['{"text": "x"}'], gzipped=True)
    assert [document.text for document in JsonLines(path)] == ["x"]


def test_blank_lines_and_a_byte_order_mark_hold_no_document(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "x"}\r\n\r\n   \n{"text": "y"}')
    assert [document.text for document in JsonLines(path)] == ["x", "y"]


def test_an_empty_file_has_no_documents(tmp_path: Path) -> None:
    for gzipped in (False, True):
        assert list(JsonLines(written(tmp_path / "c.jsonl", [], gzipped=gzipped))) == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"text": "x"', "not valid JSON"),
        ("null", "is null"),
        ("[1]", "is a list"),
        ('"words"', "is a string"),
        ("7", "is a number"),
        ("true", "is true or false"),
        ('{"_id": "a"}', "no 'text' string"),
        ('{"text": null}', "no 'text' string"),
        ('{"text": ["x"]}', "no 'text' string"),
        ('{"text": "x", "_id": 1.5}', "id of type float"),
        ('{"text": "x", "id": true}', "id of type bool"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
@pytest.mark.parametrize("gzipped", [False, True])
def test_a_broken_line_is_named_with_its_file_and_number(
    tmp_path: Path, line: str, complaint: str, gzipped: bool
) -> None:
    path = written(tmp_path / "c.jsonl", ['{"text": "fine"}', "", line], gzipped=gzipped)
    with pytest.raises(InputError) as caught:
        list(JsonLines(path))
    assert f"{path}, line 3: " in str(caught.value)
    assert complaint in str(caught.value)


def test_bytes_that_are_not_utf8_are_a_broken_line(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"text": "caf\xe9"}\n')
    with pytest.raises(InputError, match="line 1: the line is not valid JSON in UTF-8"):
        list(JsonLines(path))


@pytest.mark.parametrize("keep", [5, 40, -4])
def test_a_gzip_file_that_breaks_off_is_named(tmp_path: Path, keep: int) -> None:
    lines = [json.dumps({"text": f"document {number} " * 5}) for number in range(500)]
    path = written(tmp_path / "c.jsonl.gz", lines, gzipped=True)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match="breaks off or is damaged"):
        list(JsonLines(path))


def test_a_damaged_gzip_file_is_named(tmp_path: Path) -> None:
    lines = [json.dumps({"text": f"document {number}"}) for number in range(500)]
    path = written(tmp_path / "c.jsonl.gz", lines, gzipped=True)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(InputError):
        list(JsonLines(path))


def test_reading_again_starts_afresh(tmp_path: Path) -> None:
    corpus = JsonLines(written(tmp_path / "c.jsonl", ['{"text": "x"}', '{"text": "y"}']))
    assert list(corpus) == list(corpus)


def test_documents_come_one_at_a_time(tmp_path: Path) -> None:
    corpus = iter(JsonLines(written(tmp_path / "c.jsonl", ['{"text": "x"}', "broken"])))
    assert next(corpus).text == "x"
    with pytest.raises(InputError):
        next(corpus)


def test_bm25s_corpora_may_hold_lists(tmp_path: Path) -> None:
    path = written(
        tmp_path / "corpus.jsonl", ['{"id": 0, "text": "x y"}', '["title", 3, "words here"]']
    )
    assert [document.text for document in Bm25sCorpus(path)] == ["x y", "title words here"]
