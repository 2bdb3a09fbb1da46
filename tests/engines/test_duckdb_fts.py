"""What only DuckDB has: fields, constants of one's own, an index older than its table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import qidf
from qidf.errors import (
    EngineRejectedError,
    IndexNotFoundError,
    InputError,
    InvalidArgumentError,
)

duckdb = pytest.importorskip("duckdb")
extension = pytest.importorskip("duckdb_extension_fts")

ROWS = [
    (1, "alpha report", "running tests of generalizations"),
    (2, "beta", "runner of a report"),
    (3, "gamma", "nothing in particular"),
    (4, "delta", "omega sleeps"),
    (5, "epsilon", "words words report"),
]


def database(path: str = ":memory:", options: str = "") -> Any:
    connection = duckdb.connect(path)
    file = next(Path(extension.__file__).parent.rglob("*.duckdb_extension"))
    connection.execute(f"LOAD '{file}'")
    connection.execute("CREATE TABLE notes (key INTEGER, title VARCHAR, body VARCHAR)")
    connection.executemany("INSERT INTO notes VALUES (?, ?, ?)", ROWS)
    connection.execute(f"PRAGMA create_fts_index('notes', 'key', 'title', 'body'{options})")
    return connection


def test_fields_narrow_a_search() -> None:
    connection = database()
    with qidf.connect(connection) as engine:
        assert {hit.id for hit in engine.search("report", 5, 0.5, weighting="paper")} == set()
        assert {hit.id for hit in engine.search("report", 5, 0.5)} == {1, 2, 5}
        assert {hit.id for hit in engine.search("report", 5, 1)} == {1, 2, 5}
    with qidf.connect(connection, fields="title") as engine:
        assert {hit.id for hit in engine.search("report", 5, 1)} == {1}
        assert {hit.id for hit in engine.search("alpha", 5, 0.5)} == {1}
        explained = engine.explain("alpha report", 1, 0.5)
        assert [term.engine_contribution > 0 for term in explained.terms] == [True, True]


def test_constants_of_ones_own_are_used() -> None:
    connection = database()
    theirs = connection.execute(
        "SELECT key, fts_main_notes.match_bm25(key, 'words omega', k := 2.0, b := 0.1) AS s"
        " FROM notes WHERE s IS NOT NULL ORDER BY s DESC"
    ).fetchall()
    with qidf.connect(connection, k1=2, b="0.1") as engine:
        ours = [(hit.id, hit.score) for hit in engine.search("words omega", 5, 1)]
        assert ours == [(key, pytest.approx(score)) for key, score in theirs]


@pytest.mark.parametrize("stemmer", ["none", "english", "german"])
def test_the_stemmer_is_the_indexs_own(stemmer: str) -> None:
    connection = database(options=f", stemmer = '{stemmer}'")
    (expected,) = connection.execute(f"SELECT stem('generalizations', '{stemmer}')").fetchone()
    with qidf.connect(connection) as engine:
        assert engine.analyze("Generalizations!") == [expected]
        assert [hit.id for hit in engine.search("generalizations", 5, 0.5)] == [1]


def test_rows_changed_since_the_index_was_made_make_no_difference() -> None:
    connection = database()
    connection.execute("DELETE FROM notes WHERE key = 4")
    with qidf.connect(connection) as engine:
        assert engine.statistics(["omega"]).num_docs == 5
        assert [hit.id for hit in engine.search("omega", 5, 0.5)] == [4]


def test_results_of_the_callers_own_statement_are_left_alone() -> None:
    connection = database()
    connection.execute("SELECT key FROM notes ORDER BY key")
    with qidf.connect(connection) as engine:
        engine.search("omega", 5, 0.5)
        assert connection.fetchone() == (1,)
    assert connection.fetchone() == (2,)


def test_wrong_tables_and_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    connection = database()
    connection.execute("CREATE TABLE other (x VARCHAR)")
    with pytest.raises(EngineRejectedError, match="no FTS index of a table 'other'; the indexed"):
        qidf.connect(connection, table="other")
    with pytest.raises(EngineRejectedError, match="no table of the database has an FTS index"):
        qidf.connect(duckdb.connect())
    with pytest.raises(InvalidArgumentError, match="no field 'x'; its fields are title, body"):
        qidf.connect(connection, fields="x")
    with pytest.raises(InvalidArgumentError, match="k1 is a number, not 'many'"):
        qidf.connect(connection, k1="many")
    with pytest.raises(InvalidArgumentError, match="'notes' has no column 'x'"):
        qidf.connect(connection, id="x")
    with (
        qidf.connect(connection) as engine,
        pytest.raises(InvalidArgumentError, match="name it with id="),
    ):
        engine.search("omega", 5, 0.5, filter="key = 1")
    with pytest.raises(IndexNotFoundError, match="there is no database file at"):
        qidf.connect(f"duckdb:{tmp_path}/none.duckdb")
    (tmp_path / "text.duckdb").write_text("no database")
    with pytest.raises(InputError, match="is not a DuckDB database"):
        qidf.connect(f"duckdb:{tmp_path}/text.duckdb")


def test_a_file_is_opened_for_reading(tmp_path: Path) -> None:
    file = tmp_path / "notes.duckdb"
    database(str(file)).close()
    before = file.read_bytes()
    with qidf.connect(f"duckdb:{file}?id=key") as engine:
        hit = engine.search("omega", 5, 0.5)[0]
        assert hit.metadata == {"key": 4, "title": "delta", "body": "omega sleeps"}
    assert file.read_bytes() == before
    # Closed: a writer may have it now.
    duckdb.connect(str(file)).close()
