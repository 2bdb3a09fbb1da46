"""DuckDB's full-text search: a weighted sum over the tables that its extension keeps.

DuckDB scores with log10(1 + (N - n + 0.5) / (n + 0.5)), k = 1.2, b = 0.75 and the factor (k + 1),
counts a repeated query word once, and indexes a table as it was when the index was made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from qidf.engines.boosts import BoostPlan
from qidf.engines.contract import Capabilities, EngineStats, Note, TermStatistics
from qidf.engines.frozen import FrozenEngine
from qidf.engines.sql import SqlQuery, condition, quoted
from qidf.engines.targets import Target, number
from qidf.errors import (
    EngineRejectedError,
    EngineUnavailableError,
    IndexNotFoundError,
    InputError,
    InvalidArgumentError,
    MissingExtraError,
    UnknownIdError,
)
from qidf.index.documents import DocId
from qidf.index.results import Hit
from qidf.statistics import CorpusStats

CAPABILITIES = Capabilities(
    exact_statistics=True,
    enumerates_vocabulary=True,
    # Terms come as a list, not as clauses.
    max_clauses=None,
    takes_negative_weights=True,
    keeps_k1_plus_1=True,
    quantises_length=False,
    # The index is a copy: rows deleted since it was made are still in it.
    counts_deleted=True,
    duplicate_terms="count once",
    float32_weights=False,
)
# The defaults of match_bm25.
DEFAULT_K1, DEFAULT_B = 1.2, 0.75
# At the ninth byte of a database file.
_MAGIC = b"DUCK"
_STEMMER = re.compile(r"stem\(unnest\([^)]*\)\),\s*'(\w+)'\)")


def open_target(target: Target, **options: Any) -> DuckDbEngine:
    """Open a database file, for reading only."""
    duckdb = _duckdb()
    path = Path(target.location)
    if not path.is_file():
        raise IndexNotFoundError(f"there is no database file at {path}; check the path")
    with open(path, "rb") as file:
        # Asked to open another kind of database, DuckDB would fetch an extension for it.
        if file.read(len(_MAGIC) + 8)[8:] != _MAGIC:
            raise InputError(f"{path} is not a DuckDB database; check the path")
    with _translated():
        connection = duckdb.connect(str(path), read_only=True)
    try:
        engine = wrap(connection, **options)
    except BaseException:
        connection.close()
        raise
    engine.owns_connection = True
    return engine


def wrap(
    connection: Any,
    table: str | None = None,
    schema: str | None = None,
    id: str | None = None,
    fields: str | Sequence[str] | None = None,
    k1: object = DEFAULT_K1,
    b: object = DEFAULT_B,
) -> DuckDbEngine:
    """Search through the caller's own connection."""
    if isinstance(fields, str):
        fields = fields.split(",")
    with _translated():
        return DuckDbEngine(
            connection, table, schema, id, fields, (number("k1", k1), number("b", b))
        )


class DuckDbEngine(FrozenEngine):
    """One table with an FTS index.

    Ids are those the index was made with. With `id` naming their column, hits carry the table's
    columns and `filter` is an SQL condition over them.
    """

    def __init__(
        self,
        connection: Any,
        table: str | None,
        schema: str | None,
        id: str | None,
        fields: Sequence[str] | None,
        parameters: tuple[float, float],
    ) -> None:
        """Find the index of the table."""
        super().__init__()
        self.owns_connection = False
        # A cursor of its own: results of the caller's statements are left alone.
        self._connection = connection.cursor()
        self.k1, self.b = parameters
        _load_extension(self._connection)
        self.schema, self.table = _find(self._connection, table, schema)
        self._fts = quoted(f"fts_{self.schema}_{self.table}")
        self.id_column = self._checked_column(id)
        self._fields = self._field_ids(fields)
        self._fields_argument = None if fields is None else ",".join(fields)
        self._stemmer = self._find_stemmer()

    @property
    def name(self) -> str:
        """DuckDB's version."""
        return f"duckdb fts {self._one('SELECT version()')[0]}"

    @property
    def capabilities(self) -> Capabilities:
        """What DuckDB's extension can do."""
        return CAPABILITIES

    def analyze(self, text: str) -> list[str]:
        """The words that match_bm25 would look for, in order; stop words are among them."""
        words = self._one(
            f"SELECT [stem(word, '{self._stemmer}') for word in {self._fts}.tokenize(?)]", [text]
        )
        return [token for token in words[0] or () if token]

    def statistics(self, terms: Sequence[str]) -> TermStatistics:
        """Counts as they were when the index was made."""
        rows = self._all(
            f"SELECT (SELECT num_docs FROM {self._fts}.stats), NULL, NULL UNION ALL"
            f" SELECT NULL, term, df FROM {self._fts}.dict"
            " WHERE term IN (SELECT unnest(?::VARCHAR[]))",
            [list(terms)],
        )
        found = {term: int(df) for _, term, df in rows if term is not None}
        num_docs = next(int(count) for count, term, _ in rows if term is None)
        return TermStatistics(num_docs, {term: found.get(term, 0) for term in terms})

    def corpus_stats(self, sample: int | None = None) -> EngineStats:
        """Exact counts; `sample` makes no difference."""
        rows = self._all(
            f"SELECT dict.df, count(*) FROM {self._fts}.terms JOIN {self._fts}.dict"
            " USING (termid) GROUP BY termid, dict.df"
        )
        counts = np.array(rows, np.int64).reshape(-1, 2)
        num_docs = int(self._one(f"SELECT num_docs FROM {self._fts}.stats")[0])
        stats = CorpusStats.from_frequencies(num_docs, counts[:, 0], counts[:, 1])
        return EngineStats(**{name: getattr(stats, name) for name in CorpusStats.__slots__})

    def engine_idf(self, doc_freq: int, num_docs: int) -> float:
        """Lucene's idf, to base 10."""
        return math.log10(1 + (num_docs - doc_freq + 0.5) / (doc_freq + 0.5))

    def count_factor(self, count: int) -> float:
        """A word said twice is looked for once."""
        return 1.0

    def own_query(
        self, text: str, tokens: Sequence[str], filter: Any | None
    ) -> tuple[SqlQuery, tuple[Note, ...]]:
        """match_bm25 itself."""
        join, where, parameters = self._restriction(filter)
        return SqlQuery(
            f"SELECT id, score FROM (SELECT indexed.name AS id, indexed.docid AS place,"
            f" {self._fts}.match_bm25(indexed.name, ?, fields := ?, k := ?, b := ?) AS score"
            f" FROM {self._fts}.docs AS indexed{join}{where})"
            " WHERE score IS NOT NULL ORDER BY score DESC, place",
            (text, self._fields_argument, self.k1, self.b, *parameters),
        ), ()

    def boosted_query(self, text: str, plan: BoostPlan, filter: Any | None) -> SqlQuery:
        """The same sum with the weights put in, over the documents where it is above zero."""
        join, where, parameters = self._restriction(filter)
        only = ""
        if self._fields is not None:
            only = f" WHERE fieldid IN ({', '.join(map(str, self._fields))})"
        # idf_q itself rather than a ratio: the tables hold counts, and no idf to divide by.
        weights = [boost.weight * boost.engine_idf for boost in plan.boosts]
        return SqlQuery(
            "WITH words AS MATERIALIZED (SELECT termid, weight FROM"
            " (SELECT unnest(?::VARCHAR[]) AS term, unnest(?::DOUBLE[]) AS weight)"
            f" JOIN {self._fts}.dict USING (term)),"
            " counts AS (SELECT docid, termid, count(*) AS tf"
            f" FROM {self._fts}.terms SEMI JOIN words USING (termid){only}"
            " GROUP BY docid, termid),"
            " average AS (SELECT avgdl FROM" + f" {self._fts}.stats)"
            " SELECT indexed.name AS id, sum(weight * tf * (?::DOUBLE + 1) / (tf + ?::DOUBLE *"
            " (1 - ?::DOUBLE + ?::DOUBLE * indexed.len / (SELECT avgdl FROM average)))) AS score"
            f" FROM counts JOIN words USING (termid) JOIN {self._fts}.docs AS indexed"
            f" USING (docid){join}{where}"
            " GROUP BY indexed.name, indexed.docid HAVING score > 0"
            " ORDER BY score DESC, indexed.docid",
            (
                [boost.term for boost in plan.boosts],
                weights,
                self.k1,
                self.k1,
                self.b,
                self.b,
                *parameters,
            ),
        )

    def run(self, query: SqlQuery, k: int) -> list[Hit]:
        """Run the statement, and fetch the rows of the table where their id column is known."""
        rows = self._all(f"{query.sql} LIMIT {k}", list(query.parameters))
        columns = self._columns([identifier for identifier, _ in rows])
        return [
            Hit(identifier, float(score), rank, columns.get(identifier, _NOTHING))
            for rank, (identifier, score) in enumerate(rows, 1)
        ]

    def term_scores(self, text: str, terms: Sequence[str], doc_id: DocId) -> Mapping[str, float]:
        """Each term's summand in one document."""
        found = self._one(f"SELECT docid, len FROM {self._fts}.docs WHERE name = ?", [doc_id])
        if found is None:
            raise UnknownIdError(f"no document has the id {doc_id!r}; check its spelling and type")
        docid, length = found
        num_docs, average = self._one(f"SELECT num_docs, avgdl FROM {self._fts}.stats")
        only = ""
        if self._fields is not None:
            only = f" AND fieldid IN ({', '.join(map(str, self._fields))})"
        rows = self._all(
            f"SELECT term, df, count(*) FROM {self._fts}.terms JOIN {self._fts}.dict USING (termid)"
            f" WHERE docid = ? AND term IN (SELECT unnest(?::VARCHAR[])){only} GROUP BY term, df",
            [docid, list(terms)],
        )
        norm = self.k1 * (1 - self.b + self.b * length / average)
        scores = dict.fromkeys(terms, 0.0)
        for term, doc_freq, tf in rows:
            scores[term] = self.engine_idf(doc_freq, num_docs) * tf * (self.k1 + 1) / (tf + norm)
        return scores

    def close(self) -> None:
        """Close the cursor, and the connection if it isn't the user's."""
        self._connection.close()

    def _all(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with _translated():
            rows: list[tuple[Any, ...]] = self._connection.execute(sql, parameters).fetchall()
        return rows

    def _one(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        rows = self._all(sql, parameters)
        return rows[0] if rows else None

    def _checked_column(self, wanted: str | None) -> str | None:
        if wanted is None:
            return None
        columns = self._base_columns()
        if wanted not in columns:
            raise InvalidArgumentError(
                f"{self.table!r} has no column {wanted!r}; its columns are {', '.join(columns)}."
            )
        return wanted

    def _base_columns(self) -> list[str]:
        rows = self._all(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = ?"
            " AND table_name = ? ORDER BY ordinal_position",
            [self.schema, self.table],
        )
        return [name for (name,) in rows]

    def _field_ids(self, fields: Sequence[str] | None) -> list[int] | None:
        if fields is None:
            return None
        known = dict(self._all(f"SELECT field, fieldid FROM {self._fts}.fields"))
        for field in fields:
            if field not in known:
                raise InvalidArgumentError(
                    f"the index has no field {field!r}; its fields are {', '.join(known)}."
                )
        return [int(known[field]) for field in fields]

    def _find_stemmer(self) -> str:
        """The stemmer that the index was made with, as written in its own macro."""
        row = self._one(
            "SELECT macro_definition FROM duckdb_functions() WHERE schema_name = ?"
            " AND function_name = 'match_bm25'",
            [f"fts_{self.schema}_{self.table}"],
        )
        match = None if row is None else _STEMMER.search(row[0])
        if match is None:
            raise EngineRejectedError(
                f"the index of {self.table!r} doesn't say how it stems words, as this version of"
                " DuckDB's do; make it again with PRAGMA create_fts_index."
            )
        return match[1]

    def _restriction(self, filter: Any | None) -> tuple[str, str, tuple[Any, ...]]:
        if filter is None:
            return "", "", ()
        sql, parameters = condition(filter)
        source, column = self._source("a filter")
        return (
            "",
            f" WHERE indexed.name IN (SELECT {quoted(column)} FROM {source} WHERE {sql})",
            parameters,
        )

    def _source(self, what: str) -> tuple[str, str]:
        if self.id_column is None:
            raise InvalidArgumentError(
                f"{what} needs to know the column the index took its ids from; name it with id=."
            )
        return f"{quoted(self.schema)}.{quoted(self.table)}", self.id_column

    def _columns(self, ids: list[Any]) -> dict[Any, Mapping[str, Any]]:
        if self.id_column is None or not ids:
            return {}
        source, column = self._source("hits")
        names = self._base_columns()
        rows = self._all(
            f"SELECT * FROM {source} WHERE {quoted(column)} IN ({', '.join('?' * len(ids))})", ids
        )
        at = names.index(column)
        return {row[at]: MappingProxyType(dict(zip(names, row, strict=True))) for row in rows}


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _find(connection: Any, table: str | None, schema: str | None) -> tuple[str, str]:
    """The schema and name of the table whose index is meant."""
    rows = connection.execute(
        "SELECT tables.schema_name, tables.table_name FROM duckdb_tables() AS tables"
        " JOIN duckdb_schemas() AS indexes ON indexes.schema_name ="
        " 'fts_' || tables.schema_name || '_' || tables.table_name"
        " AND indexes.database_name = tables.database_name"
        " WHERE tables.database_name = current_database() ORDER BY ALL"
    ).fetchall()
    names = ", ".join(name for _, name in rows) or "none"
    found = [row for row in rows if table in (None, row[1]) and schema in (None, row[0])]
    if len(found) == 1:
        return str(found[0][0]), str(found[0][1])
    if found:
        raise InvalidArgumentError(
            f"several tables have an FTS index; name one with table=, and schema= if need be:"
            f" {names}."
        )
    if table is None:
        raise EngineRejectedError("no table of the database has an FTS index; make one first.")
    raise EngineRejectedError(
        f"there is no FTS index of a table {table!r}; the indexed tables are {names}."
    )


def _load_extension(connection: Any) -> None:
    """Load the extension from where DuckDB keeps it, or from the package that brings it."""
    duckdb = _duckdb()
    try:
        connection.execute("LOAD fts")
        return
    except duckdb.Error:
        pass
    try:
        import duckdb_extension_fts
    except ImportError:
        raise MissingExtraError("duckdb-extension-fts", "duckdb") from None
    folder = Path(str(duckdb_extension_fts.__file__)).parent
    for file in sorted(folder.rglob("*.duckdb_extension")):
        try:
            connection.execute(f"LOAD '{file}'")
            return
        except duckdb.Error:
            continue
    raise EngineRejectedError(
        f"duckdb-extension-fts doesn't fit duckdb {duckdb.__version__}; install it at the same"
        " version."
    )


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("duckdb", "duckdb") from None
    return duckdb


@contextmanager
def _translated() -> Iterator[None]:
    """Say what DuckDB says as one of this package's errors."""
    duckdb = _duckdb()
    try:
        yield
    except duckdb.Error as error:
        first = str(error).strip().partition("\n")[0].rstrip(".")
        if "lock" in first.lower():
            raise EngineUnavailableError(
                f"the database is in use by another process ({first}); close it there first."
            ) from error
        raise EngineRejectedError(f"DuckDB refuses: {first}.") from error
