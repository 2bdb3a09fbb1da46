"""A folder of files: what is read, what is skipped, and that skipping is counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qidf
from qidf.corpora import FileFolder
from qidf.corpora.confinement import open_below
from qidf.errors import InputError

name = st.text("abcXYZ_.é ", min_size=1, max_size=6).filter(
    lambda text: text.strip() == text and not text.startswith(".") and set(text) != {"."}
)
contents = st.text(min_size=1, max_size=60).filter(lambda text: "\0" not in text)


def ids(folder: FileFolder) -> list[object]:
    return [document.id for document in folder]


@given(st.dictionaries(st.tuples(name, name), contents, max_size=6))
def test_every_text_file_is_one_document(
    tmp_path_factory: pytest.TempPathFactory, files: dict[tuple[str, str], str]
) -> None:
    root = tmp_path_factory.mktemp("folder")
    encodable = {
        key: text
        for key, text in files.items()
        if not any("\ud800" <= char <= "\udfff" for char in text)
    }
    for (folder, file), text in encodable.items():
        (root / folder).mkdir(exist_ok=True)
        (root / folder / file).write_bytes(text.encode())
    corpus = FileFolder(root)
    found = {document.id: document for document in corpus}
    assert {key: document.text for key, document in found.items()} == {
        f"{folder}/{file}": text for (folder, file), text in encodable.items()
    }
    assert not corpus.skipped
    assert corpus.done == corpus.total == len(encodable)
    for key, document in found.items():
        assert document.metadata == {"path": str(root.resolve() / str(key))}


def test_the_order_is_that_of_the_paths(tmp_path: Path) -> None:
    for path in ("b/x.go", "a.go", "b.go", "a/z.go", "a/b/c.go"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("package main")
    assert ids(FileFolder(tmp_path)) == ["a.go", "a/b/c.go", "a/z.go", "b.go", "b/x.go"]


def test_what_is_not_text_is_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text("x = 1")
    (tmp_path / "late-nul.txt").write_bytes(b"a" * 8_192 + b"\0")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "dump.sql").write_bytes(b"a" * 10_001)
    (tmp_path / "full.txt").write_bytes(b"a" * 10_000)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("[core]")
    (tmp_path / ".env").write_text("SECRET=1")
    corpus = FileFolder(tmp_path, max_bytes=10_000)
    assert ids(corpus) == ["full.txt", "kept.py", "late-nul.txt"]
    assert corpus.skipped == {"binary": 1, "empty": 1, "too large": 1, "hidden": 2}


def test_broken_encodings_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "latin1.txt").write_bytes(b"caf\xe9 noir")
    assert [document.text for document in FileFolder(tmp_path)] == ["caf\ufffd noir"]


@pytest.mark.skipif(os.name == "nt", reason="Windows restricts symbolic links")
def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_text("x")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "copy.txt").symlink_to(tmp_path / "a" / "x.txt")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    corpus = FileFolder(tmp_path)
    assert ids(corpus) == ["a/x.txt"]
    assert corpus.skipped == {"symbolic link": 3}
    (tmp_path / "named").symlink_to(tmp_path / "a")
    assert ids(FileFolder(tmp_path / "named")) == ["x.txt"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes of this kind")
def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    corpus = FileFolder(tmp_path)
    assert ids(corpus) == []
    assert corpus.skipped == {"not a regular file": 1}


def test_files_that_vanish_while_reading_are_counted(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("text")
    corpus = FileFolder(tmp_path)
    found = []
    for document in corpus:
        found.append(document.id)
        (tmp_path / "1.txt").unlink(missing_ok=True)
    assert found == ["0.txt", "2.txt"]
    assert corpus.skipped == {"vanished": 1}
    assert (corpus.done, corpus.total) == (3, 3)


def test_files_that_cannot_be_read_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.txt").write_text("text")
    (tmp_path / "theirs.txt").write_text("text")

    def refuse(root: str, name: str) -> int:
        if name == "theirs.txt":
            raise PermissionError(13, "Permission denied", name)
        return open_below(root, name)

    monkeypatch.setattr("qidf.corpora.folder.open_below", refuse)
    corpus = FileFolder(tmp_path)
    assert ids(corpus) == ["mine.txt"]
    assert corpus.skipped == {"unreadable": 1}


def test_an_index_inside_the_folder_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("some text")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "manifest.json").write_text("{}")
    qidf.Index.build(["one", "two"]).save(tmp_path / "idx")
    corpus = FileFolder(tmp_path)
    assert ids(corpus) == ["app/manifest.json", "x.txt"]
    assert corpus.skipped == {"a qidf index": 1}


def test_counts_start_afresh_with_every_pass(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("x")
    corpus = FileFolder(tmp_path)
    assert ids(corpus) == ids(corpus) == []
    assert corpus.skipped == {"hidden": 1}


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        list(FileFolder(tmp_path / "nowhere"))
