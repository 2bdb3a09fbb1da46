"""Every engine as the contract suite meets it: built by its own library, asked by its own library.

To test another: write a class like these and list it in UNDER_TEST.
"""

from __future__ import annotations

import json
import sqlite3
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from engine_reference import Conventions, byte4

import qidf
from qidf.engines import Engine


class UnderTest(ABC):
    """An engine over one corpus: `target` for `qidf.connect`, and how to ask it without qidf."""

    name: ClassVar[str]
    conventions: ClassVar[Conventions]
    options: ClassVar[dict[str, Any]] = {}
    # What to say of it beside its name.
    setting: ClassVar[str] = ""
    target: Any
    folder: Path | None = None

    @abstractmethod
    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        """Build the index."""

    def connect(self) -> Engine:
        """Open it as a user would."""
        return qidf.connect(self.target, **self.options)

    def tokens(self, engine: Engine, text: str) -> list[str]:
        """What the index holds of a text."""
        return engine.analyze(text)

    @abstractmethod
    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        """The engine's own BM25, asked through its library."""

    @abstractmethod
    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        """A rewritten query, run through the engine's library."""

    @abstractmethod
    def filter_to(self, ids: list[str]) -> Any:
        """A filter that lets only these documents through."""

    def delete(self, ids: list[str]) -> bool:
        """Delete documents; False where the engine can't."""
        return False

    def close(self) -> None:
        """Let go."""
        return


class Tantivy(UnderTest):
    name = "tantivy"
    conventions = Conventions(1.2, 0.75, True, False, repeats=False, stored_length=byte4)

    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        self.tantivy = pytest.importorskip("tantivy")
        builder = self.tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_text_field("body", stored=False)
        self.index = self.tantivy.Index(builder.build(), path=str(folder))
        writer = self.index.writer(30_000_000, 1)
        for key, text in documents.items():
            writer.add_document(self.tantivy.Document(id=key, body=text))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.folder = folder
        self.target = f"tantivy:{folder}?field=body"

    def _run(self, query: Any, k: int) -> list[tuple[Any, float]]:
        searcher = self.index.searcher()
        found = searcher.search(query, k).hits
        return [(searcher.doc(at).get_first("id"), score) for score, at in found]

    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        words = " ".join(f'"{token}"' for token in tokens)
        return self._run(self.index.parse_query(words, ["body"]), k)

    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        return self._run(query, k)

    def filter_to(self, ids: list[str]) -> Any:
        return self.tantivy.Query.term_set_query(self.index.schema, "id", ids)

    def delete(self, ids: list[str]) -> bool:
        writer = self.index.writer(30_000_000, 1)
        for key in ids:
            writer.delete_documents_by_term("id", key)
        writer.commit()
        self.index.reload()
        self.target, self.options = self.index, {"field": "body"}
        return True


class Sqlite(UnderTest):
    name = "sqlite"
    conventions = Conventions(1.2, 0.75, True, True)

    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        self.folder = folder
        self.file = folder / "notes.db"
        self.connection = sqlite3.connect(self.file)
        self.connection.execute("CREATE VIRTUAL TABLE notes USING fts5(id UNINDEXED, body)")
        self.connection.executemany("INSERT INTO notes VALUES (?, ?)", documents.items())
        self.connection.commit()
        self.target = f"sqlite:{self.file}?table=notes&id=id"

    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        match = " OR ".join(f'"{token}"' for token in tokens)
        return self.connection.execute(
            "SELECT id, -bm25(notes) FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?",
            (match, k),
        ).fetchall()

    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        rows = self.connection.execute(f"{query.sql} LIMIT {k}", query.parameters).fetchall()
        name = "SELECT id FROM notes WHERE rowid = ?"
        return [(self.connection.execute(name, (at,)).fetchone()[0], score) for at, score in rows]

    def filter_to(self, ids: list[str]) -> Any:
        return f"id IN ({', '.join('?' * len(ids))})", ids

    def delete(self, ids: list[str]) -> bool:
        for key in ids:
            self.connection.execute("DELETE FROM notes WHERE id = ?", (key,))
        self.connection.commit()
        return True

    def close(self) -> None:
        self.connection.close()


class DuckDb(UnderTest):
    name = "duckdb"
    conventions = Conventions(1.2, 0.75, True, True, repeats=False)

    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        duckdb = pytest.importorskip("duckdb")
        extension = pytest.importorskip("duckdb_extension_fts")
        self.connection = duckdb.connect(str(folder / "notes.duckdb"))
        file = next(Path(extension.__file__).parent.rglob("*.duckdb_extension"))
        self.connection.execute(f"LOAD '{file}'")
        self.connection.execute("CREATE TABLE notes (id VARCHAR, body VARCHAR)")
        # One statement with lists: row by row takes seconds.
        self.connection.execute(
            "INSERT INTO notes SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
            [list(documents), list(documents.values())],
        )
        self.connection.execute("PRAGMA create_fts_index('notes', 'id', 'body')")
        rows = self.connection.execute("SELECT sw FROM fts_main_notes.stopwords").fetchall()
        self.stopwords = {word for (word,) in rows}
        # DuckDB lets one connection at a time write, and readers only without it.
        self.target, self.options = self.connection, {"table": "notes", "id": "id"}

    def tokens(self, engine: Engine, text: str) -> list[str]:
        words, stems = self.connection.execute(
            "SELECT words, [stem(word, 'porter') for word in words]"
            " FROM (SELECT fts_main_notes.tokenize(?) AS words)",
            [text],
        ).fetchone()
        return [
            stem
            for word, stem in zip(words, stems, strict=True)
            if word and word not in self.stopwords
        ]

    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        return self.connection.execute(
            "SELECT id, fts_main_notes.match_bm25(id, ?) AS score FROM notes"
            " WHERE score IS NOT NULL ORDER BY score DESC, rowid LIMIT ?",
            [text, k],
        ).fetchall()

    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        return self.connection.execute(f"{query.sql} LIMIT {k}", list(query.parameters)).fetchall()

    def filter_to(self, ids: list[str]) -> Any:
        return f"id IN ({', '.join('?' * len(ids))})", ids

    def close(self) -> None:
        self.connection.close()


class Xapian(UnderTest):
    name = "xapian"
    conventions = Conventions(1.0, 0.5, True, False, shortest=0.5)
    options: ClassVar[dict[str, Any]] = {"id": "data.id"}

    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        self.xapian = pytest.importorskip(
            "xapian", reason="Xapian's Python package isn't there; see .ci/xapian"
        )
        database = self.xapian.WritableDatabase(str(folder), self.xapian.DB_CREATE_OR_OPEN)
        self.docids = {}
        for key, text in documents.items():
            document = self.xapian.Document()
            generator = self.xapian.TermGenerator()
            generator.set_document(document)
            generator.index_text(text)
            document.set_data(json.dumps({"id": key}))
            document.add_boolean_term("Q" + key)
            self.docids[key] = database.add_document(document)
        database.commit()
        database.close()
        self.folder = folder
        self.target = f"xapian:{folder}"

    def _run(self, query: Any, k: int) -> list[tuple[Any, float]]:
        database = self.xapian.Database(str(self.folder))
        enquire = self.xapian.Enquire(database)
        enquire.set_query(query)
        return [
            (json.loads(match.document.get_data())["id"], match.weight)
            for match in enquire.get_mset(0, k)
        ]

    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        parser = self.xapian.QueryParser()
        parser.set_default_op(self.xapian.Query.OP_OR)
        # Words one by one: the parser would make phrases of what punctuation joins.
        words = [parser.parse_query(token, 0) for token in tokens]
        return self._run(self.xapian.Query(self.xapian.Query.OP_OR, words), k)

    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        return self._run(query, k)

    def filter_to(self, ids: list[str]) -> Any:
        query = self.xapian.Query
        return query(query.OP_OR, [query("Q" + key) for key in ids])

    def delete(self, ids: list[str]) -> bool:
        database = self.xapian.WritableDatabase(str(self.folder), self.xapian.DB_OPEN)
        for key in ids:
            database.delete_document("Q" + key)
        database.commit()
        database.close()
        return True


class Bm25s(UnderTest):
    name = "bm25s"
    conventions = Conventions(1.5, 0.75, False, True)

    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        bm25s = pytest.importorskip("bm25s")
        self.ids = list(documents)
        self.retriever = bm25s.BM25()
        tokens = bm25s.tokenize(list(documents.values()), show_progress=False)
        self.retriever.index(tokens, show_progress=False)
        corpus = [{"id": key, "text": text} for key, text in documents.items()]
        self.retriever.save(folder, corpus=corpus)
        self.folder = folder
        self.target = f"bm25s:{folder}"

    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        known = [token for token in tokens if token in self.retriever.vocab_dict]
        if not known:
            return []
        found = self.retriever.retrieve([known], k=k, show_progress=False)
        return [
            (self.ids[at], float(score))
            for at, score in zip(found.documents[0], found.scores[0], strict=True)
            if score > 0
        ]

    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        # A rewritten query is columns and weights; the retriever's own arrays take them.
        scores = np.zeros(len(self.ids))
        arrays = self.retriever.scores
        for column, weight in zip(query.columns, query.weights, strict=True):
            start, stop = arrays["indptr"][column], arrays["indptr"][column + 1]
            scores[arrays["indices"][start:stop]] += weight * arrays["data"][start:stop]
        order = np.argsort(-scores, kind="stable")[:k]
        return [(self.ids[at], float(scores[at])) for at in order if scores[at] > 0]

    def filter_to(self, ids: list[str]) -> Any:
        return ids


class Qidf(UnderTest):
    name = "qidf"
    conventions = Conventions(1.5, 0.75, False, True)

    def __init__(self, documents: dict[str, str], folder: Path) -> None:
        self.index = qidf.Index.build([{"id": k, "text": t} for k, t in documents.items()])
        self.index.save(folder)
        self.folder = folder
        self.target = str(folder)

    def own_ranking(self, text: str, tokens: list[str], k: int) -> list[tuple[Any, float]]:
        return [(hit.id, hit.score) for hit in self.index.search(text, k, 1.0)]

    def run_native(self, query: Any, k: int) -> list[tuple[Any, float]]:
        return [(hit.id, hit.score) for hit in self.index.search(k=k, **query)]

    def filter_to(self, ids: list[str]) -> Any:
        return ids

    def delete(self, ids: list[str]) -> bool:
        self.index.delete(ids)
        return True


UNDER_TEST: tuple[type[UnderTest], ...] = (Tantivy, Sqlite, DuckDb, Xapian, Bm25s, Qidf)
