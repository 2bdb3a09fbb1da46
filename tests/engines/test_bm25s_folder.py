"""Rescaled bm25s indexes on disk: loadable by bm25s itself, restorable by qidf."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive_bm25 import METHODS, code_like_corpus

from qidf.engines.bm25s_index import SIDECAR_NAME, current_q, load, rescale, restore, save
from qidf.errors import (
    CorruptIndexError,
    IndexFormatError,
    IndexNotFoundError,
    MissingExtraError,
    UnsupportedError,
)

bm25s = pytest.importorskip("bm25s", reason="the bm25s extra is not installed")

CORPUS = code_like_corpus(60, seed=12)
QUERY = [CORPUS[7][0], "ownIdent7", "word0", "word1"]


def built(**options: Any) -> Any:
    retriever = bm25s.BM25(**options)
    retriever.index(CORPUS, show_progress=False)
    return retriever


def bits(retriever: Any) -> tuple[bytes, bytes | None]:
    absent = retriever.nonoccurrence_array
    data = np.ascontiguousarray(retriever.scores["data"])
    return data.tobytes(), None if absent is None else absent.tobytes()


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def originals(folder: Path) -> dict[str, Path]:
    """The files of original scores that the sidecar names."""
    (state,) = json.loads((folder / SIDECAR_NAME).read_text())["states"]
    return {name: folder / each["file"] for name, each in state["original"].items()}


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_unmodified_bm25s_loads_and_scores_a_rescaled_index(
    tmp_path: Path, method: str, mmap: bool
) -> None:
    retriever = built(method=method, idf_method="lucene")
    rescale(retriever, 0.3)
    retriever.save(tmp_path)
    loaded = bm25s.BM25.load(tmp_path, mmap=mmap)
    assert type(loaded) is bm25s.BM25
    assert bits(loaded) == bits(retriever)
    assert loaded.get_scores(QUERY).tolist() == retriever.get_scores(QUERY).tolist()


def test_bm25s_finds_the_files_it_wrote_itself_and_no_more_keys(tmp_path: Path) -> None:
    plain, rescaled = tmp_path / "plain", tmp_path / "rescaled"
    built().save(plain)
    retriever = built()
    rescale(retriever, 0.3)
    retriever.save(rescaled)
    assert files(rescaled) - files(plain) == {SIDECAR_NAME, originals(rescaled)["data"].name}
    name = "params.index.json"
    assert (plain / name).read_text() == (rescaled / name).read_text()


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_loaded_index_knows_its_q_and_gives_the_original_bits_back(
    tmp_path: Path, method: str, mmap: bool
) -> None:
    retriever = built(method=method, idf_method="lucene")
    untouched = bits(retriever)
    rescale(retriever, weighting="qlog(q=0.3, delta=0.4)")
    save(retriever, tmp_path)

    loaded = load(tmp_path, mmap=mmap)
    assert current_q(loaded) == 0.3
    assert bits(loaded) == bits(retriever)
    (state,) = json.loads((tmp_path / SIDECAR_NAME).read_text())["states"]
    assert (state["q"], state["formula"]) == (0.3, "qlog(q=0.3, delta=0.4)")

    rescale(loaded, 0.7)
    rescale(retriever, 0.7)
    assert bits(loaded) == bits(retriever)
    save(retriever, tmp_path)
    (state,) = json.loads((tmp_path / SIDECAR_NAME).read_text())["states"]
    assert state["formula"] == "qlog1p(q=0.7)"
    assert bits(load(tmp_path, mmap=mmap)) == bits(retriever)
    restore(loaded)
    assert bits(loaded) == untouched


@pytest.mark.parametrize("mmap", [False, True])
def test_a_plain_saved_index_is_rescaled_and_restored(tmp_path: Path, mmap: bool) -> None:
    fresh = built()
    fresh.save(tmp_path)
    for open_index in (bm25s.BM25.load, load):
        loaded = open_index(tmp_path, mmap=mmap)
        assert current_q(loaded) == 1.0
        rescale(loaded, 0.5)
        twin = built()
        # bm25s numbers terms by the order of a set, the same within one process.
        rescale(twin, 0.5)
        assert bits(loaded) == bits(twin)
        restore(loaded)
        assert bits(loaded) == bits(fresh)


def test_a_mapped_index_can_be_saved_over_itself(tmp_path: Path) -> None:
    fresh = built()
    untouched = bits(fresh)
    fresh.save(tmp_path)
    loaded = load(tmp_path, mmap=True)
    for q in (0.5, 0.2, 1.0, 0.9):
        rescale(loaded, q)
        loaded.save(tmp_path)
        loaded = load(tmp_path, mmap=True)
        assert current_q(loaded) == q
        rescale(fresh, q)
        assert bits(loaded) == bits(fresh)
        assert loaded.get_scores(QUERY).tolist() == fresh.get_scores(QUERY).tolist()
    restore(loaded)
    assert bits(loaded) == untouched


def test_saving_a_restored_index_removes_the_sidecar(tmp_path: Path) -> None:
    retriever = built(method="bm25+")
    rescale(retriever, 0.5)
    save(retriever, tmp_path)
    assert len([name for name in files(tmp_path) if name.startswith("qidf.")]) == 3
    rescale(retriever, 1)
    retriever.save(tmp_path)
    assert not any(name.startswith("qidf.") for name in files(tmp_path))
    assert current_q(load(tmp_path)) == 1.0


def test_an_index_that_was_never_rescaled_gets_no_sidecar(tmp_path: Path) -> None:
    save(built(), tmp_path)
    assert not any(name.startswith("qidf.") for name in files(tmp_path))


def test_options_go_through_to_bm25s(tmp_path: Path) -> None:
    texts = [" ".join(document) for document in CORPUS]
    retriever = built()
    rescale(retriever, 0.5)
    save(retriever, tmp_path, corpus=texts, data_name="scores.npy")
    loaded = load(tmp_path, load_corpus=True, data_name="scores.npy")
    assert loaded.corpus[3]["text"] == texts[3]
    assert current_q(loaded) == 0.5


def test_a_rescaled_index_loaded_by_bm25s_is_not_rescaled_on_top(tmp_path: Path) -> None:
    retriever = built()
    rescale(retriever, 0.5)
    retriever.save(tmp_path)
    with pytest.raises(UnsupportedError, match="qidf's load"):
        rescale(bm25s.BM25.load(tmp_path), 0.5)


def rescaled_folder(folder: Path, method: str = "lucene") -> Path:
    retriever = built(method=method)
    rescale(retriever, 0.5)
    retriever.save(folder)
    return folder


def test_an_index_that_bm25s_rebuilt_beneath_the_sidecar_is_noticed(tmp_path: Path) -> None:
    rescaled_folder(tmp_path)
    built().save(tmp_path)
    with pytest.raises(CorruptIndexError, match=r"qidf\.json belongs to other scores"):
        load(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format_version": 2}'])
def test_a_broken_sidecar_is_named(tmp_path: Path, text: str) -> None:
    (rescaled_folder(tmp_path) / SIDECAR_NAME).write_text(text)
    with pytest.raises(CorruptIndexError, match=r"qidf\.json"):
        load(tmp_path)


def test_a_sidecar_of_a_later_format_is_refused(tmp_path: Path) -> None:
    sidecar = rescaled_folder(tmp_path) / SIDECAR_NAME
    sidecar.write_text(json.dumps({**json.loads(sidecar.read_text()), "format_version": 3}))
    with pytest.raises(IndexFormatError, match="format version 3"):
        load(tmp_path)


@pytest.mark.parametrize("mmap", [False, True])
def test_a_flipped_bit_in_the_original_scores_is_noticed_before_they_return(
    tmp_path: Path, mmap: bool
) -> None:
    file = originals(rescaled_folder(tmp_path))["data"]
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)
    retriever = load(tmp_path, mmap=mmap)
    scores = bits(retriever)
    for attempt in (lambda: restore(retriever), lambda: rescale(retriever, 0.7)):
        with pytest.raises(CorruptIndexError, match=file.name):
            attempt()
    assert bits(retriever) == scores


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", ["data", "nonoccurrence"])
def test_missing_or_truncated_originals_are_named(tmp_path: Path, name: str, mmap: bool) -> None:
    file = originals(rescaled_folder(tmp_path, method="bm25+"))[name]
    for keep in (len(file.read_bytes()) - 4, 20, 0):
        file.write_bytes(file.read_bytes()[:keep])
        with pytest.raises(CorruptIndexError, match=file.name):
            load(tmp_path, mmap=mmap)
    file.unlink()
    with pytest.raises(CorruptIndexError, match=file.name):
        load(tmp_path, mmap=mmap)


def test_originals_of_another_index_are_refused(tmp_path: Path) -> None:
    folder = rescaled_folder(tmp_path)
    np.save(originals(folder)["data"], np.zeros(3, dtype=np.float32))
    with pytest.raises(CorruptIndexError, match="doesn't fit"):
        load(folder)


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    for nowhere in (tmp_path, tmp_path / "absent"):
        with pytest.raises(IndexNotFoundError, match="no bm25s index"):
            load(nowhere)


def test_without_bm25s_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtraError, match=r"qidf\[bm25s\]"):
        load(tmp_path)


def test_optional_and_heavy_packages_wait_until_they_are_needed() -> None:
    code = (
        "import sys, qidf.engines.bm25s_index, qidf.statistics;"
        "print(sorted({'bm25s', 'numba', 'powerlaw', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
