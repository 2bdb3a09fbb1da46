"""Runs inside semble's own environment.

`index FOLDER ROOT DEPTH` indexes, keeps the index in a folder, and then takes questions on stdin
and gives spans on stdout, one JSON a line. `ask FOLDER QUESTION` answers one from what was kept.

semble's search mixes BM25 with an embedding model. The model is replaced by zeros and its share set
to none, which leaves semble's own chunks, BM25 and reranking.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import orjson
from semble.index.bm25 import BM25
from semble.index.create import create_index_from_path
from semble.index.dense import SelectableBasicBackend
from semble.search import search
from semble.types import Chunk


class NoModel:
    dim = 1

    def encode(self, texts, **_):
        return np.ones((len(texts), 1), np.float32)


def main() -> None:
    if sys.argv[1] == "index":
        index(Path(sys.argv[2]), Path(sys.argv[3]).resolve(), int(sys.argv[4]))
    else:
        ask(Path(sys.argv[2]), sys.argv[3])


def index(folder: Path, root: Path, depth: int) -> None:
    started = perf_counter()
    bm25, vectors, chunks, _ = create_index_from_path(root, NoModel(), display_root=root)
    told = {"index_seconds": perf_counter() - started, "cpu_seconds": process_time()}
    print(json.dumps(told), flush=True)
    bm25.save(folder / "bm25")
    vectors.save(folder / "vectors")
    (folder / "chunks.json").write_bytes(orjson.dumps(chunks))
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), vectors, bm25, chunks, depth)), flush=True)


def ask(folder: Path, question: str) -> None:
    bm25 = BM25.load(folder / "bm25")
    vectors = SelectableBasicBackend.load(folder / "vectors")
    chunks = [Chunk.from_dict(each) for each in orjson.loads((folder / "chunks.json").read_bytes())]
    print(json.dumps(answer(question, vectors, bm25, chunks, 10)))


def answer(question, vectors, bm25, chunks, depth) -> dict:
    found = search(question, NoModel(), vectors, bm25, chunks, depth, alpha=0.0)
    spans = [[hit.chunk.file_path, hit.chunk.start_line, hit.chunk.end_line] for hit in found]
    return {"spans": spans, "cpu_seconds": process_time()}


main()
