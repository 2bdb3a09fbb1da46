"""The loop over bm25s: tokenize, index, then rescale, retrieve and measure for each q.

It prints JSON: the measures for each q, and the seconds of wall and CPU time of each part. It
computes no confidence intervals, which `qidf eval` does; that saves it work.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np


def read_texts(path: Path) -> dict[str, str]:
    """Texts by id."""
    with path.open(encoding="utf-8") as file:
        rows = (json.loads(line) for line in file)
        return {row["_id"]: row["text"] for row in rows}


def read_golds(path: Path) -> dict[str, str]:
    """The one relevant document of each query."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return {query: doc for query, doc, _ in (line.split("\t") for line in lines)}


def ratios(doc_freqs: np.ndarray, num_docs: int, q: float) -> np.ndarray:
    """What each term's column is multiplied by: its q-log idf over its Lucene idf.

    Terms that no document has keep 1: their columns are empty.
    """
    if q == 1:
        return np.ones(len(doc_freqs))
    odds = (num_docs - doc_freqs + 0.5) / (doc_freqs + 0.5)
    scaled = (odds ** (1 - q) - 1) / (1 - q) / np.log1p(odds)
    return np.where(doc_freqs > 0, scaled, 1.0)


def measures(found: np.ndarray, golds: np.ndarray) -> dict[str, float]:
    """NDCG@10, MRR@10 and recall at the depth, with one relevant document for each query."""
    hits = found == golds[:, None]
    ranks = np.where(hits.any(axis=1), hits.argmax(axis=1) + 1, np.inf)
    top = ranks <= 10
    return {
        "ndcg@10": float(np.where(top, 1 / np.log2(ranks + 1), 0).mean()),
        "mrr@10": float(np.where(top, 1 / ranks, 0).mean()),
        "recall": float(np.isfinite(ranks).mean()),
    }


def main(folder: str, k: str, *qs: str) -> None:
    """Run the loop over a BEIR folder of plain files."""
    seconds: dict[str, dict[str, float]] = {"wall": {}, "cpu": {}}
    clocks = {"wall": time.perf_counter, "cpu": time.process_time}
    last = {name: clock() for name, clock in clocks.items()}

    def lap(part: str) -> None:
        for name, clock in clocks.items():
            now = clock()
            seconds[name][part] = seconds[name].get(part, 0.0) + now - last[name]
            last[name] = now

    import bm25s

    lap("import")
    documents = read_texts(Path(folder) / "corpus.jsonl")
    queries = read_texts(Path(folder) / "queries.jsonl")
    gold_ids = read_golds(Path(folder) / "qrels" / "test.tsv")
    positions = {doc_id: at for at, doc_id in enumerate(documents)}
    golds = np.array([positions[gold_ids[query_id]] for query_id in queries])
    lap("read")
    retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numba")
    tokens = bm25s.tokenize(list(documents.values()), show_progress=False)
    lap("tokenize")
    retriever.index(tokens, show_progress=False)
    lap("index")
    asked = bm25s.tokenize(list(queries.values()), show_progress=False)
    lap("tokenize")
    # bm25s keeps no compiled code: every process compiles with its first retrieval.
    first = bm25s.tokenize(list(queries.values())[:1], show_progress=False)
    retriever.retrieve(first, k=int(k), n_threads=0, show_progress=False)
    lap("compile")
    built = retriever.scores["data"]
    doc_freqs = np.diff(retriever.scores["indptr"])
    rows: list[dict[str, Any]] = []
    for q in map(float, qs):
        factors = ratios(doc_freqs, len(documents), q).astype(built.dtype)
        retriever.scores["data"] = built * np.repeat(factors, doc_freqs)
        lap("rescale")
        found = retriever.retrieve(asked, k=int(k), n_threads=0, show_progress=False)
        lap("retrieve")
        rows.append({"q": q, **measures(np.asarray(found.documents), golds)})
        lap("measure")
    print(json.dumps({"rows": rows, "seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
