"""A sample as a BEIR folder, the same bytes for the same sample."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.corpora.functions import Function
from benchmarks.corpora.sample import Sample

CORPUS = "corpus.jsonl.gz"
QUERIES = "queries.jsonl.gz"
PUBLISHED = "queries.published.jsonl.gz"
QRELS = "qrels/test.tsv"


def _write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    # No file name and no time in the gzip header: equal rows give equal bytes.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def write_texts(
    folder: Path, documents: Mapping[str, str], queries: Mapping[str, str], right: Mapping[str, str]
) -> None:
    """Write texts by id, and for each query the id of the one right document."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for name, texts in ((CORPUS, documents), (QUERIES, queries)):
        _write_jsonl(folder / name, ({"_id": key, "text": text} for key, text in texts.items()))
    lines = ["query-id\tcorpus-id\tscore", *(f"{key}\t{right[key]}\t1" for key in queries)]
    (folder / QRELS).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _provenance(function: Function) -> dict[str, str]:
    return {
        "package": function.package,
        "version": function.version,
        "path": function.path,
        "symbol": function.symbol,
    }


def write(sample: Sample, folder: Path) -> dict[str, str]:
    """Write the folder; the SHA-256 of each file by its name.

    `queries.jsonl.gz` has the code without comments and docstring, `queries.published.jsonl.gz`
    the same ids with the code as CodeSearchNet publishes it.
    """
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    width = len(str(len(sample.documents)))
    doc_ids = [f"d{place:0{width}d}" for place in range(len(sample.documents))]
    query_ids = [f"q{place:0{width}d}" for place in range(len(sample.golds))]
    _write_jsonl(
        folder / CORPUS,
        (
            {"_id": doc_id, "title": "", "text": doc.documentation, "metadata": _provenance(doc)}
            for doc_id, doc in zip(doc_ids, sample.documents, strict=True)
        ),
    )
    for name, form in ((QUERIES, "stripped"), (PUBLISHED, "published")):
        _write_jsonl(
            folder / name,
            (
                {
                    "_id": query_id,
                    "text": getattr(sample.documents[gold], form),
                    "metadata": _provenance(sample.documents[gold]),
                }
                for query_id, gold in zip(query_ids, sample.golds, strict=True)
            ),
        )
    rows = [
        f"{query_id}\t{doc_ids[gold]}\t1"
        for query_id, gold in zip(query_ids, sample.golds, strict=True)
    ]
    text = "\n".join(["query-id\tcorpus-id\tscore", *rows]) + "\n"
    (folder / QRELS).write_text(text, encoding="utf-8")
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in (CORPUS, QUERIES, PUBLISHED, QRELS)
    }
