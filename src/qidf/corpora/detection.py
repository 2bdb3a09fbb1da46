"""What is at this path? One answer for every command."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from qidf.corpora.corpus import Corpus
from qidf.corpora.folder import DEFAULT_MAX_BYTES, FileFolder, is_index
from qidf.corpora.jsonl import Bm25sCorpus, JsonLines
from qidf.errors import InputError

Kind = Literal["index", "bm25s", "beir", "jsonl", "files"]

INDEX: Kind = "index"
BM25S: Kind = "bm25s"
BEIR: Kind = "beir"
JSONL: Kind = "jsonl"
FILES: Kind = "files"

_BM25S_PARAMETERS = "params.index.json"
_CORPUS_NAMES = ("corpus.jsonl", "corpus.jsonl.gz")
_JSONL_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")


def detect(path: str | Path) -> Kind:
    """Say whether a path is a qidf index, a bm25s or BEIR folder, JSON Lines or a folder of files.

    A file counts as JSON Lines by its name or because it begins with a brace, a pipe always.
    """
    try:
        if os.path.isdir(path):
            names = os.listdir(path)
            if is_index(iter(names)):
                return INDEX
            if _BM25S_PARAMETERS in names:
                return BM25S
            return BEIR if any(name in names for name in _CORPUS_NAMES) else FILES
        # What is read from a pipe is gone, so it is taken on trust.
        if not os.path.isfile(path) and os.path.exists(path):
            return JSONL
        with open(path, "rb") as file:
            first = file.read(512)
    except FileNotFoundError:
        raise InputError(f"there is nothing at {path}; check the path") from None
    except OSError as error:
        raise InputError(
            f"{path} can't be read ({error.strerror}); check its path and permissions"
        ) from error
    if (
        str(path).lower().endswith(_JSONL_SUFFIXES)
        or first.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
    ):
        return JSONL
    raise InputError(
        f"{path} is not JSON Lines; give a .jsonl file, plain or gzipped, or a folder of files"
    )


def open_corpus(path: str | Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Corpus:
    """Return the reader for what is at a path; `max_bytes` limits files of a folder."""
    kind = detect(path)
    if kind == INDEX:
        raise InputError(
            f"{path} is a qidf index, which keeps no texts; give the documents it was made from"
        )
    if kind == FILES:
        return FileFolder(path, max_bytes=max_bytes)
    if kind == JSONL:
        return JsonLines(path)
    for name in _CORPUS_NAMES:
        if (file := Path(path, name)).is_file():
            return Bm25sCorpus(file) if kind == BM25S else JsonLines(file)
    raise InputError(
        f"the bm25s index {path} has no {_CORPUS_NAMES[0]}; save it again with corpus=..., or give"
        " the documents themselves"
    )
