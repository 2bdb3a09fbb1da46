"""A BEIR folder in each engine, as its own users would load it.

qidf never writes to an engine's index; this does, so that there is one to try it on.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from qidf.datasets import Dataset, Texts, open_dataset
from qidf.engines.targets import Target, parse_target
from qidf.errors import InvalidArgumentError

TABLE = "documents"
SEED = 20190923


def load(folder: str, address: str) -> str:
    """Load a BEIR folder into what an address names, and return the address to search it with."""
    target = parse_target(address)
    loader = LOADERS.get(target.scheme)
    if loader is None:
        raise InvalidArgumentError(
            f"there is no loader for {target.scheme}; use {', '.join(LOADERS)}."
        )
    place = Path(target.location)
    if place.exists():
        raise InvalidArgumentError(f"{place} exists already; give another place or remove it.")
    place.parent.mkdir(parents=True, exist_ok=True)
    return loader(open_dataset(folder).documents, target)


def sample(folder: str, out: Path, num_docs: int, num_queries: int) -> None:
    """Write a smaller BEIR folder: queries first, their relevant documents, then others."""
    dataset = open_dataset(folder)
    order = random.Random(SEED).sample(range(dataset.num_queries), dataset.num_queries)
    queries = [dataset.queries.ids[at] for at in order[:num_queries]]
    judged = {doc_id for query in queries for doc_id in dataset.judgements[query]}
    others = [doc_id for doc_id in dataset.documents.ids if doc_id not in judged]
    random.Random(SEED + 1).shuffle(others)
    chosen = judged | set(others[: max(num_docs - len(judged), 0)])
    (out / "qrels").mkdir(parents=True)
    _write_lines(
        out / "corpus.jsonl",
        (
            {"_id": key, "title": "", "text": text}
            for key, text in dataset.documents
            if key in chosen
        ),
    )
    wanted = set(queries)
    _write_lines(
        out / "queries.jsonl",
        ({"_id": key, "text": text} for key, text in dataset.queries if key in wanted),
    )
    with open(out / "qrels" / "test.tsv", "w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        for query in queries:
            for doc_id, grade in dataset.judgements[query].items():
                file.write(f"{query}\t{doc_id}\t{grade}\n")


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")


def _sqlite(documents: Texts, target: Target) -> str:
    with sqlite3.connect(target.location) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE {TABLE} USING fts5(id UNINDEXED, text)")
        connection.executemany(f"INSERT INTO {TABLE} VALUES (?, ?)", iter(documents))
        connection.execute(f"INSERT INTO {TABLE}({TABLE}) VALUES ('optimize')")
    connection.close()
    return f"sqlite:{target.location}?table={TABLE}&id=id"


def _tantivy(documents: Texts, target: Target) -> str:
    import tantivy

    Path(target.location).mkdir()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text")
    index = tantivy.Index(builder.build(), path=target.location)
    writer = index.writer(128_000_000, 1)
    for key, text in documents:
        writer.add_document(tantivy.Document(id=key, text=text))
    writer.commit()
    writer.wait_merging_threads()
    return f"tantivy:{target.location}?field=text&id=id"


def _duckdb(documents: Texts, target: Target) -> str:
    import duckdb
    import duckdb_extension_fts

    connection = duckdb.connect(target.location)
    folder = Path(duckdb_extension_fts.__file__).parent
    connection.execute(f"LOAD '{next(folder.rglob('*.duckdb_extension'))}'")
    connection.execute(f"CREATE TABLE {TABLE} (id VARCHAR, text VARCHAR)")
    for part in _parts(documents):
        connection.execute(
            f"INSERT INTO {TABLE} SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
            [[key for key, _ in part], [text for _, text in part]],
        )
    connection.execute(f"PRAGMA create_fts_index('{TABLE}', 'id', 'text')")
    connection.close()
    return f"duckdb:{target.location}?table={TABLE}"


def _xapian(documents: Texts, target: Target) -> str:
    import xapian

    database = xapian.WritableDatabase(target.location, xapian.DB_CREATE)
    generator = xapian.TermGenerator()
    for key, text in documents:
        document = xapian.Document()
        generator.set_document(document)
        generator.set_termpos(0)
        generator.index_text(text)
        document.add_value(0, key)
        database.add_document(document)
    database.commit()
    database.close()
    return f"xapian:{target.location}?id=value:0"


def _bm25s(documents: Texts, target: Target) -> str:
    import bm25s

    retriever = bm25s.BM25()
    tokens = bm25s.tokenize(list(documents.texts), show_progress=False)
    retriever.index(tokens, show_progress=False)
    corpus = [{"id": key, "text": text} for key, text in documents]
    retriever.save(target.location, corpus=corpus)
    return f"bm25s:{target.location}"


def _qidf(documents: Texts, target: Target) -> str:
    from qidf import Index

    Index.build([{"id": key, "text": text} for key, text in documents]).save(target.location)
    return f"qidf:{target.location}"


def _parts(documents: Texts, size: int = 10_000) -> Iterator[list[tuple[str, str]]]:
    pairs = list(documents)
    for start in range(0, len(pairs), size):
        yield pairs[start : start + size]


LOADERS: dict[str, Callable[[Texts, Target], str]] = {
    "sqlite": _sqlite,
    "tantivy": _tantivy,
    "duckdb": _duckdb,
    "xapian": _xapian,
    "bm25s": _bm25s,
    "qidf": _qidf,
}

__all__ = ["LOADERS", "Dataset", "load", "sample"]
