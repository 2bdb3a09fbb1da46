"""Runs inside semble's own environment: questions on stdin, spans on stdout, one JSON a line.

semble's search mixes BM25 with an embedding model. The model is replaced by zeros and its share set
to none, which leaves semble's own chunks, BM25 and reranking.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from semble.index.create import create_index_from_path
from semble.search import search


class NoModel:
    dim = 1

    def encode(self, texts, **_):
        return np.ones((len(texts), 1), np.float32)


def main() -> None:
    root, depth = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    started = perf_counter()
    bm25, vectors, chunks, _ = create_index_from_path(root, NoModel(), display_root=root)
    told = {"index_seconds": perf_counter() - started, "cpu_seconds": process_time()}
    print(json.dumps(told), flush=True)
    for line in sys.stdin:
        found = search(json.loads(line), NoModel(), vectors, bm25, chunks, depth, alpha=0.0)
        spans = [[hit.chunk.file_path, hit.chunk.start_line, hit.chunk.end_line] for hit in found]
        print(json.dumps({"spans": spans, "cpu_seconds": process_time()}), flush=True)


main()
