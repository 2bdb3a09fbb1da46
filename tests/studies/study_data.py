"""Small test collections with a tail of rare names, as BEIR folders and as datasets."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

from qidf.datasets import Dataset, Texts
from qidf.studies import Workbench

MakeBench = Callable[..., Workbench]

COMMON = [f"word{number}" for number in range(30)]


def code_like(num_docs: int = 60, num_queries: int = 30, seed: int = 7) -> Dataset:
    """Docstrings that begin with a name, and functions that hold the name and common words."""
    draw = random.Random(seed)
    documents, queries, judgements = {}, {}, {}
    for number in range(num_docs):
        name = f"handleThing{number}" if number % 3 else "handle"
        words = draw.choices(COMMON, weights=range(len(COMMON), 0, -1), k=draw.randint(4, 12))
        documents[f"d{number}"] = " ".join([name, *words])
        if number < num_queries:
            noise = draw.choices(COMMON, k=8)
            queries[f"q{number}"] = " ".join(["func", name, *noise, *words[:2], "os.Exit"])
            judgements[f"q{number}"] = {f"d{number}": 1}
    return Dataset(
        "small",
        "a test",
        Texts(list(documents), list(documents.values())),
        Texts(list(queries), list(queries.values())),
        judgements,
    )


def write_folder(folder: Path, data: Dataset, *, published: bool = False) -> Path:
    """A dataset as a BEIR folder; published queries contain the document they look for."""
    (folder / "qrels").mkdir(parents=True)
    _write(folder / "corpus.jsonl", list(data.documents))
    _write(folder / "queries.jsonl", list(data.queries))
    if published:
        texts = dict(data.documents)
        whole = [
            (query_id, f"{text} {texts[next(iter(data.judgements[query_id]))]}")
            for query_id, text in data.queries
        ]
        path = folder / "queries.published.jsonl.gz"
        path.write_bytes(gzip.compress(_lines(whole).encode()))
    lines = ["query-id\tcorpus-id\tscore"]
    for query_id, grades in data.judgements.items():
        lines += [f"{query_id}\t{doc_id}\t{grade}" for doc_id, grade in grades.items()]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n")
    return folder


def _lines(pairs: list[tuple[str, str]]) -> str:
    return "".join(json.dumps({"_id": key, "text": text}) + "\n" for key, text in pairs)


def _write(path: Path, pairs: list[tuple[str, str]]) -> None:
    path.write_text(_lines(pairs))
