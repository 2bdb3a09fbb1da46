"""What an FTS5 table's CREATE statement and configuration say about it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from qidf.engines.sql import quoted
from qidf.errors import EngineRejectedError, InvalidArgumentError, UnsupportedError

_USING = re.compile(r"\busing\s+fts5\s*\(", re.IGNORECASE)
_OPTION = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*\Z", re.DOTALL)
_RANK = re.compile(r"\s*bm25\s*\(([^()]*)\)\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A table: its schema and name, its columns, its tokenizer as SQL, how it ranks."""

    schema: str
    table: str
    columns: tuple[str, ...]
    tokenizer: str | None
    detail: str
    contentless: bool
    # The weights that the table's own rank gives its columns; empty for 1 each.
    rank_weights: tuple[float, ...]

    @property
    def source(self) -> str:
        """The table as SQL names it."""
        return f"{quoted(self.schema)}.{quoted(self.table)}"

    def shadow(self, name: str) -> str:
        """One of FTS5's own tables beside it."""
        return f"{quoted(self.schema)}.{quoted(f'{self.table}_{name}')}"


def read_declaration(connection: sqlite3.Connection, table: str | None) -> Declaration:
    """Find an FTS5 table: the named one, or the only one there is."""
    found = [
        (schema, name, sql)
        for schema in _schemas(connection)
        for name, sql in _rows(
            connection,
            f"SELECT name, sql FROM {quoted(schema)}.sqlite_master"
            " WHERE type = 'table' AND sql IS NOT NULL",
        )
    ]
    tables = {name: (schema, sql) for schema, name, sql in reversed(found) if _USING.search(sql)}
    if table is None:
        if len(tables) == 1:
            table = next(iter(tables))
        elif tables:
            raise InvalidArgumentError(
                f"the database has {len(tables)} FTS5 tables; name one with table=:"
                f" {', '.join(tables)}."
            )
        else:
            raise EngineRejectedError("the database has no FTS5 table; give another file.")
    name = next((each for each in tables if each.lower() == table.lower()), None)
    if name is None:
        other = next((sql for _, each, sql in found if each.lower() == table.lower()), None)
        if other is None:
            raise EngineRejectedError(
                f"there is no table {table!r}; the FTS5 tables are {', '.join(tables) or 'none'}."
            )
        raise EngineRejectedError(
            f"{table!r} is no FTS5 table; the FTS5 tables are {', '.join(tables) or 'none'}."
        )
    schema, sql = tables[name]
    options = dict(_options(sql))
    return Declaration(
        schema,
        name,
        _columns(connection, schema, name),
        options.get("tokenize"),
        options.get("detail", "full").strip("'\"").lower(),
        options.get("content", "x").strip() in ("''", '""', "``", "[]", ""),
        _rank_weights(connection, schema, name),
    )


def _options(sql: str) -> Iterator[tuple[str, str]]:
    """The name = value arguments of a CREATE VIRTUAL TABLE, values as they were written."""
    start = _USING.search(sql)
    body = sql[start.end() if start else 0 : sql.rindex(")")]
    for argument in _split(body):
        option = _OPTION.match(argument)
        if option is not None:
            yield option[1].lower(), option[2]


def _split(arguments: str) -> Iterator[str]:
    """Split at commas outside quotes and brackets."""
    piece: list[str] = []
    closing = ""
    for character in arguments:
        if closing:
            closing = "" if character == closing else closing
        elif character in "'\"`[":
            closing = "]" if character == "[" else character
        elif character == ",":
            yield "".join(piece)
            piece = []
            continue
        piece.append(character)
    yield "".join(piece)


def _columns(connection: sqlite3.Connection, schema: str, table: str) -> tuple[str, ...]:
    rows = _rows(connection, f"PRAGMA {quoted(schema)}.table_info({quoted(table)})")
    return tuple(str(row[1]) for row in rows)


def _schemas(connection: sqlite3.Connection) -> list[str]:
    # main first, then what is attached; temp holds what this package makes itself.
    names = [str(row[1]) for row in _rows(connection, "PRAGMA database_list")]
    return sorted((name for name in names if name != "temp"), key=lambda name: name != "main")


def _rank_weights(connection: sqlite3.Connection, schema: str, table: str) -> tuple[float, ...]:
    """The column weights of the table's own rank, which has to be bm25()."""
    config = f"{quoted(schema)}.{quoted(f'{table}_config')}"
    rows = _rows(connection, f"SELECT v FROM {config} WHERE k = 'rank'")
    if not rows:
        return ()
    match = _RANK.match(str(rows[0][0]))
    if match is None:
        raise UnsupportedError(
            f"{table!r} ranks by {rows[0][0]!r} rather than bm25(), which q-log can't reweigh."
        )
    return parse_weights(match[1]) if match[1].strip() else ()


def parse_weights(weights: str | Sequence[float]) -> tuple[float, ...]:
    """Read column weights, in the order of the columns."""
    try:
        parts = weights.split(",") if isinstance(weights, str) else weights
        return tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"weights are numbers in the order of the columns, such as 2,1, not {weights!r}."
        ) from None


def _rows(connection: sqlite3.Connection, sql: str) -> list[Any]:
    cursor = connection.cursor()
    # The caller's own row_factory would change what comes back.
    cursor.row_factory = None
    return cursor.execute(sql).fetchall()
