"""qidf index, add, delete, compact, verify: an index's life from the shell."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from shell import RECORDS, Run

import qidf


@pytest.mark.parametrize("gzipped", [False, True])
def test_a_jsonl_is_indexed_with_its_ids_and_titles(
    tmp_path: Path, corpus: Path, run: Run, gzipped: bool
) -> None:
    if gzipped:
        corpus = tmp_path / "corpus.jsonl.gz"
        corpus.write_bytes(gzip.compress((tmp_path / "corpus.jsonl").read_bytes()))
    result = run("index", corpus, "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{len(RECORDS)} documents, ")
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""
    opened = qidf.Index.open(tmp_path / "out")
    built = qidf.Index.build(RECORDS)
    assert opened.stats == built.stats
    assert opened.search("auth upgrade") == built.search("auth upgrade")


def test_a_folder_of_files_is_indexed_and_what_is_skipped_is_said(tmp_path: Path, run: Run) -> None:
    source = tmp_path / "src"
    (source / "pkg").mkdir(parents=True)
    (source / "pkg" / "a.py").write_text("def alpha(): pass")
    (source / "b.bin").write_bytes(b"\0\1")
    (source / "big.txt").write_text("word " * 100)
    result = run("index", source, "-o", tmp_path / "out", "--max-bytes", 100)
    assert result.exit_code == 0
    assert "skipped 2: 1 too large, 1 binary" in result.stderr or (
        "skipped 2: 1 binary, 1 too large" in result.stderr
    )
    (hit,) = qidf.Index.open(tmp_path / "out").search("alpha", q=1)
    assert hit.id == "pkg/a.py"
    assert hit.metadata == {"path": str(source.resolve() / "pkg" / "a.py")}


def test_the_analyzer_is_saved_with_the_index(tmp_path: Path, corpus: Path, run: Run) -> None:
    run("index", corpus, "-o", tmp_path / "out", "--analyzer", "identifier")
    assert str(qidf.Index.open(tmp_path / "out").analyzer) == "identifier"


def test_an_unknown_analyzer_is_an_error_that_leaves_no_folder(
    tmp_path: Path, corpus: Path, run: Run
) -> None:
    result = run("index", corpus, "-o", tmp_path / "out", "--analyzer", "magic")
    assert result.exit_code == 1
    assert "choose one of: generic" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_broken_line_is_an_error_with_file_and_line(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"text": "x"}\n{"text": \n')
    result = run("index", path, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"qidf: {path}, line 2: ")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_duplicate_id_is_an_error(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n')
    result = run("index", path, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "'a' occurs twice" in result.stderr


def test_nothing_to_index_is_an_error(tmp_path: Path, run: Run) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / ".hidden").write_text("x")
    result = run("index", tmp_path / "src", "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "no documents to index" in result.stderr
    assert "1 hidden" in result.stderr


def test_an_index_is_replaced_but_nothing_else_is(tmp_path: Path, corpus: Path, run: Run) -> None:
    for _ in range(2):
        assert run("index", corpus, "-o", tmp_path / "out").exit_code == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    result = run("index", corpus, "-o", tmp_path / "mine")
    assert result.exit_code == 1
    assert "choose an empty or new folder" in result.stderr
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_an_index_inside_the_folder_it_indexes_does_not_index_itself(
    tmp_path: Path, run: Run
) -> None:
    (tmp_path / "a.txt").write_text("alpha")
    for _ in range(2):
        run("index", tmp_path, "-o", tmp_path / "idx")
    assert len(qidf.Index.open(tmp_path / "idx")) == 1


def test_documents_are_added_replaced_and_deleted(tmp_path: Path, index: Path, run: Run) -> None:
    more = tmp_path / "more.jsonl"
    more.write_text('{"_id": "new", "text": "fresh words"}\n')
    count = len(RECORDS)
    assert run("add", index, more).stdout.startswith(f"added 1 documents: {count + 1} in all")
    again = run("add", index, more)
    assert again.exit_code == 1
    assert "already has a document with the id 'new'" in again.stderr
    assert run("add", index, more, "--replace").exit_code == 0
    deleted = run("delete", index, "new", "ws")
    assert deleted.stdout.startswith(f"deleted 2 documents: {count - 1} left")
    assert "new" not in qidf.Index.open(index)
    assert run("compact", index).stdout.startswith(f"{count - 1} documents, ")
    assert run("verify", index).stdout.startswith(f"intact: {count - 1} documents in 2 files")


def test_an_unknown_id_deletes_nothing(index: Path, run: Run) -> None:
    result = run("delete", index, "ws", "nobody")
    assert result.exit_code == 1
    assert "'nobody'" in result.stderr
    assert "ws" in qidf.Index.open(index)


def test_integer_ids_can_be_typed(tmp_path: Path, run: Run) -> None:
    qidf.Index.build(["one word", "two words", "three words"]).save(tmp_path / "index")
    assert run("delete", tmp_path / "index", "1").exit_code == 0
    assert 1 not in qidf.Index.open(tmp_path / "index")
    assert run("explain", tmp_path / "index", "three", "2").exit_code == 0


def test_verify_names_the_file_that_was_altered(index: Path, run: Run) -> None:
    assert run("verify", index).exit_code == 0
    (segment,) = index.glob("segment-*")
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    for position in range(len(data) - 64, len(data)):
        data[position] ^= 1
    segment.write_bytes(data)
    result = run("verify", index)
    assert result.exit_code == 1
    assert segment.name in result.stderr
    assert "corrupt" in result.stderr


@pytest.mark.parametrize(
    "command", ["search INDEX x", "explain INDEX x y", "verify INDEX", "compact INDEX"]
)
def test_a_missing_index_says_how_to_make_one(tmp_path: Path, run: Run, command: str) -> None:
    result = run(*(tmp_path / "none" if word == "INDEX" else word for word in command.split()))
    assert result.exit_code == 1
    assert f"make one with: qidf index PATH -o {tmp_path / 'none'}" in result.stderr


def test_metadata_survives_the_trip_through_the_shell(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "c.jsonl"
    record = {"_id": "a", "text": "naïve", "lang": "go", "lines": [1, 2]}
    path.write_text(json.dumps(record) + "\n")
    run("index", path, "-o", tmp_path / "out")
    found = json.loads(run("search", tmp_path / "out", "naïve", "--q", 1, "--json").stdout)
    assert found["hits"][0]["metadata"] == {"lang": "go", "lines": [1, 2]}
