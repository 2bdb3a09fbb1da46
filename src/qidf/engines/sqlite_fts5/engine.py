"""Searching an FTS5 table with weights of our own, in one statement of SQL."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import numpy as np

from qidf.engines.boosts import BoostPlan
from qidf.engines.contract import Capabilities, EngineStats, Note, TermStatistics
from qidf.engines.frozen import FrozenEngine
from qidf.engines.sql import SqlQuery, condition, quoted
from qidf.engines.sqlite_fts5.declaration import Declaration, parse_weights, read_declaration
from qidf.engines.sqlite_fts5.tokenizer import Tokenizer
from qidf.engines.targets import Target
from qidf.errors import (
    EngineRejectedError,
    EngineUnavailableError,
    IndexNotFoundError,
    InvalidArgumentError,
    UnknownIdError,
    UnsupportedError,
)
from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.statistics import CorpusStats

CAPABILITIES = Capabilities(
    exact_statistics=True,
    enumerates_vocabulary=True,
    # Terms come from a table of JSON, not from clauses.
    max_clauses=None,
    takes_negative_weights=True,
    keeps_k1_plus_1=True,
    quantises_length=False,
    counts_deleted=False,
    duplicate_terms="add up",
    float32_weights=False,
)
# FTS5's idf of a term in half of the rows or more (fts5_aux.c).
SMALLEST_IDF = 1e-6
# "AS MATERIALIZED", without which bm25() is asked for outside of its scan.
MINIMUM_VERSION = (3, 35)
ID_COLUMNS = ("_id", "id")
# The row of FTS5's data table that holds the number of rows and of tokens in each column.
AVERAGES_ROW = 1
# Engines over one connection need tables of their own.
_NUMBERS = count()


def open_target(target: Target, **options: Any) -> Fts5Engine:
    """Open a database file, for reading only."""
    path = Path(target.location)
    if not path.is_file():
        raise IndexNotFoundError(f"there is no database file at {path}; check the path")
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False
    )
    try:
        engine = wrap(connection, **options)
    except BaseException:
        connection.close()
        raise
    engine.owns_connection = True
    return engine


def wrap(
    connection: sqlite3.Connection,
    table: str | None = None,
    id: str | None = None,
    weights: str | Sequence[float] | None = None,
) -> Fts5Engine:
    """Search through the caller's own connection."""
    if sqlite3.sqlite_version_info < MINIMUM_VERSION:
        raise UnsupportedError(
            f"SQLite {sqlite3.sqlite_version} is too old for one weighted statement; use 3.35 or"
            " later."
        )
    with _translated():
        return Fts5Engine(connection, read_declaration(connection, table), id, weights)


class Fts5Engine(FrozenEngine):
    """One FTS5 table; hits carry its columns, and `filter` is an SQL condition over them."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        declaration: Declaration,
        id: str | None,
        weights: str | Sequence[float] | None,
    ) -> None:
        """Ids are the values of a column, of `_id` or `id` where it has one, else rowids."""
        super().__init__()
        self.owns_connection = False
        self.declaration = declaration
        self._connection = connection
        self._tokenizer = Tokenizer(declaration.tokenizer)
        self.id_column = _id_column(declaration, id)
        self._given_weights = None if weights is None else parse_weights(weights)
        if self._given_weights is not None and len(self._given_weights) > len(declaration.columns):
            raise InvalidArgumentError(
                f"there are {len(self._given_weights)} weights for"
                f" {len(declaration.columns)} columns: {', '.join(declaration.columns)}."
            )
        self._vocabulary = f"temp.qidf_vocabulary_{next(_NUMBERS)}"
        self._open_vocabulary()

    @property
    def name(self) -> str:
        """SQLite's version."""
        return f"sqlite fts5 {sqlite3.sqlite_version}"

    @property
    def capabilities(self) -> Capabilities:
        """What FTS5 can do."""
        return CAPABILITIES

    def analyze(self, text: str) -> list[str]:
        """The tokens of a text by the table's own tokenizer."""
        return self._tokenizer.tokens(text)

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Live rows and, for each term, those that hold it in any column."""
        self._open_vocabulary()
        # The vocabulary first: reading it makes FTS5 write out what it holds in memory.
        rows = self._execute(
            f"SELECT term, doc FROM json_each(?) AS wanted CROSS JOIN {self._vocabulary} AS found"
            " WHERE found.term = wanted.value",
            (json.dumps(list(terms)),),
        ).fetchall()
        found = {term: int(doc) for term, doc in rows}
        return TermStatistics(self._totals()[0], {term: found.get(term, 0) for term in terms})

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """Exact counts from the vocabulary; `sample` makes no difference."""
        if self.declaration.detail != "full":
            raise UnsupportedError(
                f"the table was made with detail={self.declaration.detail}, which keeps no counts"
                " of tokens; give q as a number, or advise on the documents themselves."
            )
        self._open_vocabulary()
        rows = self._execute(f"SELECT doc, cnt FROM {self._vocabulary}").fetchall()
        counts = np.array(rows, np.int64).reshape(-1, 2)
        stats = CorpusStats.from_frequencies(self._totals()[0], counts[:, 0], counts[:, 1])
        return EngineStats(**{name: getattr(stats, name) for name in CorpusStats.__slots__})

    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """FTS5's idf, which never falls to zero."""
        return max(math.log((num_docs - doc_freq + 0.5) / (doc_freq + 0.5)), SMALLEST_IDF)

    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[SqlQuery, tuple[Note, ...]]:
        """Any of the words, ordered by the table's own rank."""
        match = " OR ".join(_phrase(word) for _, word in self._tokenizer.pairs(text))
        where, parameters = self._where(filter)
        source, rank = self.declaration.source, ""
        if self._given_weights is not None:
            rank = f" AND rank MATCH 'bm25({_numbers(self._given_weights)})'"
        return SqlQuery(
            f"SELECT rowid AS id, -rank AS score FROM {source}"
            f" WHERE {quoted(self.declaration.table)} MATCH ?{rank}{where} ORDER BY rank",
            (match, *parameters),
        ), ()

    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> SqlQuery:
        """The weighted sum of every term's own bm25(), over the rows where it is above zero."""
        spoken = self._tokenizer.words(text)
        words = [
            [_phrase(spoken.get(boost.term, boost.term)), boost.weight] for boost in plan.boosts
        ]
        where, parameters = self._where(filter)
        table = quoted(self.declaration.table)
        weights = self._given_weights or self.declaration.rank_weights
        arguments = f"{table}, {_numbers(weights)}" if weights else table
        return SqlQuery(
            "WITH words(word, weight) AS MATERIALIZED (SELECT json_extract(value, '$[0]'),"
            " json_extract(value, '$[1]') FROM json_each(?)),"
            " parts(id, part) AS MATERIALIZED"
            f" (SELECT {table}.rowid, -words.weight * bm25({arguments})"
            f" FROM words CROSS JOIN {self.declaration.source}"
            f" WHERE {table} MATCH words.word{where})"
            " SELECT id, sum(part) AS score FROM parts GROUP BY id HAVING sum(part) > 0"
            " ORDER BY score DESC, id",
            (json.dumps(words), *parameters),
        )

    def run(self, query: SqlQuery, k: int) -> list[Hit]:
        """Run the statement, and fetch the columns of the rows it found."""
        rows = self._execute(f"{query.sql} LIMIT {k}", query.parameters).fetchall()
        columns = self._columns([rowid for rowid, _ in rows])
        return [
            Hit(self._id(rowid, columns), float(score), rank, columns.get(rowid, _NOTHING))
            for rank, (rowid, score) in enumerate(rows, 1)
        ]

    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """Each term's own bm25() in one row."""
        rowid = self._rowid(doc_id)
        table = quoted(self.declaration.table)
        weights = self._given_weights or self.declaration.rank_weights
        arguments = f"{table}, {_numbers(weights)}" if weights else table
        scores, spoken = dict.fromkeys(terms, 0.0), self._tokenizer.words(text)
        for term in terms:
            for (score,) in self._execute(
                f"SELECT -bm25({arguments}) FROM {self.declaration.source}"
                f" WHERE {table} MATCH ? AND rowid = ?",
                (_phrase(spoken.get(term, term)), rowid),
            ):
                scores[term] = float(score)
        return scores

    def close(self) -> None:
        """Drop what was made beside the table, and close the connection if it isn't the user's."""
        self._tokenizer.close()
        if self.owns_connection:
            self._connection.close()
            return
        with _translated():
            self._execute(f"DROP TABLE IF EXISTS {self._vocabulary}")

    def _execute(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        cursor = self._connection.cursor()
        # The caller's own row_factory would change what comes back.
        cursor.row_factory = None
        with _translated():
            return cursor.execute(sql, parameters)

    def _open_vocabulary(self) -> None:
        """Make the table of terms in the temporary schema, again if a rollback took it away."""
        declared = self.declaration
        self._execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {self._vocabulary} USING"
            f" fts5vocab({quoted(declared.schema)}, {quoted(declared.table)}, row)"
        )

    def _totals(self) -> tuple[int, int]:
        """Rows and tokens, from the record that FTS5's own bm25() reads them from."""
        row = self._execute(
            f"SELECT block FROM {self.declaration.shadow('data')} WHERE id = {AVERAGES_ROW}"
        ).fetchone()
        numbers = list(_varints(row[0])) if row is not None else []
        return (numbers[0], sum(numbers[1:])) if numbers else (0, 0)

    def _where(self, filter: Any | None) -> tuple[str, tuple[Any, ...]]:
        if filter is None:
            return "", ()
        sql, parameters = condition(filter)
        source, table = self.declaration.source, quoted(self.declaration.table)
        return f" AND {table}.rowid IN (SELECT rowid FROM {source} WHERE {sql})", parameters

    def _columns(self, rowids: list[int]) -> dict[int, Mapping[str, Any]]:
        if self.declaration.contentless or not rowids:
            return {}
        names = self.declaration.columns
        cells = "".join(f", {quoted(name)}" for name in names)
        # One lookup for each hit: a list of rowids would make FTS5 scan the table.
        found: dict[int, Mapping[str, Any]] = {}
        for rowid in rowids:
            row = self._execute(
                f"SELECT rowid{cells} FROM {self.declaration.source} WHERE rowid = ?", (rowid,)
            ).fetchone()
            if row is not None:
                found[rowid] = MappingProxyType(dict(zip(names, row[1:], strict=True)))
        return found

    def _id(self, rowid: int, columns: Mapping[int, Mapping[str, Any]]) -> DocId:
        if self.id_column is None:
            return rowid
        value = columns.get(rowid, _NOTHING).get(self.id_column)
        if not isinstance(value, str | int):
            raise EngineRejectedError(
                f"row {rowid} has no id in the column {self.id_column!r}; name another column."
            )
        return value

    def _rowid(self, doc_id: DocId) -> int:
        column = "rowid" if self.id_column is None else quoted(self.id_column)
        row = self._execute(
            f"SELECT rowid FROM {self.declaration.source} WHERE {column} = ? LIMIT 1", (doc_id,)
        ).fetchone()
        if row is None:
            raise UnknownIdError(f"no document has the id {doc_id!r}; check its spelling and type")
        return int(row[0])


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _id_column(declaration: Declaration, wanted: str | None) -> str | None:
    if wanted == "rowid":
        return None
    if declaration.contentless:
        if wanted is not None:
            raise UnsupportedError(
                f"{declaration.table!r} is contentless, so it has no values of {wanted!r};"
                " leave id out and take rowids."
            )
        return None
    if wanted is None:
        return next((name for name in ID_COLUMNS if name in declaration.columns), None)
    if wanted not in declaration.columns:
        raise InvalidArgumentError(
            f"{declaration.table!r} has no column {wanted!r}; its columns are"
            f" {', '.join(declaration.columns)}."
        )
    return wanted


def _phrase(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _numbers(weights: Sequence[float]) -> str:
    return ", ".join(repr(weight) for weight in weights)


def _varints(block: bytes) -> Iterator[int]:
    """SQLite's variable-length integers: seven bits a byte, all eight of a ninth."""
    value = length = 0
    for byte in block:
        length += 1
        value = value << 8 | byte if length == 9 else value << 7 | byte & 0x7F
        if byte < 0x80 or length == 9:
            yield value
            value = length = 0


@contextmanager
def _translated() -> Iterator[None]:
    """Say what SQLite says as one of this package's errors."""
    try:
        yield
    except sqlite3.Error as error:
        message = str(error)
        if "locked" in message or "busy" in message:
            raise EngineUnavailableError(
                f"the database is busy ({message}); try again when its writer is done."
            ) from error
        if "readonly" in message:
            raise UnsupportedError(
                "the connection takes no temporary table, which qidf reads term counts through;"
                " turn PRAGMA query_only off, or give sqlite:FILE?table=TABLE."
            ) from error
        if "no such module: fts5" in message:
            raise UnsupportedError("this SQLite was built without FTS5.") from error
        raise EngineRejectedError(f"SQLite refuses: {message}.") from error
