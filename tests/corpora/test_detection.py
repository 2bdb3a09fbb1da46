"""What a path is, told from what is there."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import bm25s
import pytest

import qidf
from qidf.corpora import Bm25sCorpus, FileFolder, JsonLines, detect, open_corpus
from qidf.errors import InputError


def test_each_kind_is_recognised(tmp_path: Path) -> None:
    qidf.Index.build(["one"]).save(tmp_path / "index")
    retriever = bm25s.BM25(corpus=["one word", "two words"])
    retriever.index([["one", "word"], ["two", "words"]], show_progress=False)
    retriever.save(tmp_path / "bm25s", show_progress=False)
    (tmp_path / "beir").mkdir()
    (tmp_path / "beir" / "corpus.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}\n'))
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "manifest.json").write_text("{}")
    (tmp_path / "docs.ndjson").write_text("")
    (tmp_path / "docs.json").write_text('\n {"text": "x"}\n')
    kinds = {name: detect(tmp_path / name) for name in ("index", "bm25s", "beir", "files")}
    assert kinds == {name: name for name in kinds}
    assert detect(tmp_path / "docs.ndjson") == detect(tmp_path / "docs.json") == "jsonl"


def test_each_kind_has_its_reader(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"text": "x"}\n')
    assert type(open_corpus(tmp_path / "corpus.jsonl")) is JsonLines
    assert [document.text for document in open_corpus(tmp_path)] == ["x"]
    (tmp_path / "params.index.json").write_text("{}")
    assert type(open_corpus(tmp_path)) is Bm25sCorpus
    (tmp_path / "corpus.jsonl").unlink()
    with pytest.raises(InputError, match=r"has no corpus\.jsonl"):
        open_corpus(tmp_path)
    (tmp_path / "params.index.json").unlink()
    assert type(open_corpus(tmp_path)) is FileFolder


def test_a_qidf_index_has_no_texts_to_read(tmp_path: Path) -> None:
    qidf.Index.build(["one"]).save(tmp_path)
    with pytest.raises(InputError, match="keeps no texts"):
        open_corpus(tmp_path)


def test_an_index_with_a_damaged_manifest_is_still_an_index(tmp_path: Path) -> None:
    qidf.Index.build(["one"]).save(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    assert detect(tmp_path) == "index"


def test_what_is_not_there_or_not_json_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing at"):
        detect(tmp_path / "nowhere")
    (tmp_path / "notes.txt").write_text("words")
    with pytest.raises(InputError, match="is not JSON Lines"):
        detect(tmp_path / "notes.txt")
    with pytest.raises(InputError, match="can't be read"):
        detect(tmp_path / "notes.txt" / "below")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes of this kind")
def test_a_pipe_is_read_once_and_whole(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    lines = "".join(f'{{"text": "document {number}"}}\n' for number in range(500))
    for data in (lines.encode(), gzip.compress(lines.encode())):
        writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,))
        writer.start()
        assert len(list(open_corpus(tmp_path / "pipe"))) == 500
        writer.join()
