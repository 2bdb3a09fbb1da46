"""What only FTS5 has: tokenizers, columns with weights, tables without content, transactions."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path

import pytest

import qidf
from qidf.engines.sqlite_fts5.tokenizer import Tokenizer
from qidf.errors import (
    EngineRejectedError,
    IndexNotFoundError,
    InvalidArgumentError,
    UnsupportedError,
)

ROWS = [
    ("alpha report", "running tests generalizations of the report"),
    ("beta", "the runner runs a report on generalization"),
    ("gamma alpha", "nothing in common"),
    ("delta", "another text about alpha and omega"),
    ("epsilon", "words words words"),
]


def table(options: str = "", columns: str = "title, body") -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE notes USING fts5({columns}{options})")
    connection.executemany("INSERT INTO notes VALUES (?, ?)", ROWS)
    connection.commit()
    return connection


def idf_q(doc_freq: int, num_docs: int, q: float) -> float:
    odds = (num_docs - doc_freq + 0.5) / (doc_freq + 0.5)
    return float(((1 + odds) ** (1 - q) - 1) / (1 - q))


@pytest.mark.parametrize(
    ("declared", "text", "tokens"),
    [
        (None, "Foo_bar Café", ["foo", "bar", "cafe"]),
        ("'porter unicode61'", "Running generalizations", ["run", "gener"]),
        ("porter", "Running", ["run"]),
        ("'ascii'", "Café foo", ["café", "foo"]),
        ("\"unicode61 tokenchars '_'\"", "foo_bar baz", ["foo_bar", "baz"]),
        ("'unicode61 remove_diacritics 0'", "Café", ["café"]),
        ("'trigram'", "abcd", ["abc", "bcd"]),
    ],
)
def test_texts_are_tokenized_as_the_table_does(
    declared: str | None, text: str, tokens: list[str]
) -> None:
    tokenizer = Tokenizer(declared)
    assert tokenizer.tokens(text) == tokens
    # Twice: what was analyzed before is gone.
    assert tokenizer.tokens(text) == tokens
    option = "" if declared is None else f", tokenize={declared}"
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(x{option})")
    connection.execute("INSERT INTO t VALUES (?)", (text,))
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, row)")
    stored = {term for (term,) in connection.execute("SELECT term FROM v")}
    assert set(tokenizer.tokens(text)) == stored


def test_a_stem_is_not_stemmed_twice() -> None:
    # Porter makes "gener" of "generalizations" and could go on from there with other words.
    connection = table(", tokenize='porter'")
    with qidf.connect(connection) as engine:
        for word in ("generalizations", "generalization", "running", "ponies", "agreed"):
            rewritten = engine.rewrite(word, 0.5)
            assert rewritten.query is None or f'"{word}"' in rewritten.query.parameters[0].replace(
                '\\"', '"'
            )
        assert {hit.id for hit in engine.search("generalizations", 5, 0.5)} == {1, 2}
        explained = engine.explain("generalizations", 1, 0.5)
        assert explained.score == pytest.approx(engine.search("generalizations", 5, 0.5)[0].score)


@pytest.mark.parametrize("weights", ["10,1", [10.0, 1.0]])
def test_columns_have_weights(weights: str | list[float]) -> None:
    connection = table()
    lengths = [len(f"{title} {body}".split()) for title, body in ROWS]
    average = sum(lengths) / len(lengths)
    with qidf.connect(connection, weights=weights) as engine:
        hits = {hit.id: hit.score for hit in engine.search("report", 5, 0.5)}
        assert set(hits) == {1, 2}
        for rowid, score in hits.items():
            title, body = (text.split().count("report") for text in ROWS[rowid - 1])
            tf = 10 * title + body
            norm = 1.2 * (0.25 + 0.75 * lengths[rowid - 1] / average)
            assert score == pytest.approx(idf_q(2, 5, 0.5) * tf * 2.2 / (tf + norm))


def test_negative_weights_leave_only_documents_above_zero() -> None:
    with qidf.connect(table()) as engine:
        # "alpha" is in three of five rows.
        assert engine.search("alpha", 5, 0.5, weighting="paper").hits == ()
        found = engine.search("alpha omega", 5, 0.5, weighting="paper")
        assert [hit.id for hit in found] == [4]


def test_a_question_of_common_words_finds_what_they_are_in() -> None:
    with qidf.connect(table()) as engine:
        assert len(engine.search("alpha", 5, 0.5)) == 3
        assert len(engine.search("alpha", 5, "auto")) == 3


def test_own_ranking_uses_the_tables_own_rank() -> None:
    connection = table()
    connection.execute("INSERT INTO notes(notes, rank) VALUES ('rank', 'bm25(10.0, 1.0)')")
    theirs = connection.execute(
        "SELECT rowid, -rank FROM notes WHERE notes MATCH 'report OR words' ORDER BY rank"
    ).fetchall()
    with qidf.connect(connection) as engine:
        assert [(hit.id, hit.score) for hit in engine.search("report words", 5, 1)] == theirs
        weighted = {hit.id: hit.score for hit in engine.search("report words", 5, 0.5)}
    with qidf.connect(connection, weights="10,1") as engine:
        assert {hit.id: hit.score for hit in engine.search("report words", 5, 0.5)} == weighted


def test_a_rank_that_is_not_bm25_is_refused() -> None:
    connection = table()
    connection.execute("INSERT INTO notes(notes, rank) VALUES ('rank', 'mine(1)')")
    with pytest.raises(UnsupportedError, match=r"rather than bm25\(\)"):
        qidf.connect(connection)


@pytest.mark.parametrize(
    "options", [", content=''", ", content='', columnsize=1", ", content=docs, content_rowid=key"]
)
def test_tables_without_content_of_their_own_give_rowids(options: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE docs (key INTEGER PRIMARY KEY, title, body)")
    connection.execute(f"CREATE VIRTUAL TABLE notes USING fts5(title, body{options})")
    for key, (title, body) in enumerate(ROWS, 101):
        connection.execute("INSERT INTO docs VALUES (?, ?, ?)", (key, title, body))
        connection.execute(
            "INSERT INTO notes(rowid, title, body) VALUES (?, ?, ?)", (key, title, body)
        )
    with qidf.connect(connection) as engine, qidf.connect(table()) as plain:
        found = engine.search("omega report", 5, 0.5)
        expected = plain.search("omega report", 5, 0.5)
        assert [(hit.id, hit.score) for hit in found] == [
            (int(str(hit.id)) + 100, hit.score) for hit in expected
        ]
        titles = {hit.metadata.get("title") for hit in found}
        assert titles == ({None} if "content=''" in options else {"delta", "beta", "alpha report"})


def test_an_id_column_gives_the_ids() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE notes USING fts5(id UNINDEXED, body)")
    connection.executemany("INSERT INTO notes VALUES (?, ?)", [(f"n{i}", b) for i, b in ROWS])
    with qidf.connect(connection) as engine:
        assert engine.search("omega", 1, 0.5)[0].id == "ndelta"
        assert engine.explain("omega", "ndelta", 0.5).score > 0
    with qidf.connect(connection, id="rowid") as engine:
        assert engine.search("omega", 1, 0.5)[0].id == 4


def test_an_open_transaction_is_seen_and_left_alone() -> None:
    connection = table()
    with qidf.connect(connection) as engine:
        assert engine.statistics(["omega"]).num_docs == 5
        connection.execute("INSERT INTO notes VALUES ('zeta', 'omega again')")
        assert connection.in_transaction
        found = engine.statistics(["omega"])
        assert (found.num_docs, found.doc_freqs["omega"]) == (6, 2)
        connection.rollback()
        found = engine.statistics(["omega"])
        assert (found.num_docs, found.doc_freqs["omega"]) == (5, 1)
        assert not connection.in_transaction
        assert len(engine.search("omega", 5, 0.5)) == 1


def test_a_callers_row_factory_changes_nothing() -> None:
    connection = table()
    connection.row_factory = sqlite3.Row
    with qidf.connect(connection) as engine:
        assert engine.search("omega", 5, 0.5)[0].id == 4
    assert connection.row_factory is sqlite3.Row
    assert isinstance(connection.execute("SELECT 1 AS one").fetchone(), sqlite3.Row)


def test_closing_leaves_the_callers_connection_open_and_clean() -> None:
    connection = table()
    first, second = qidf.connect(connection), qidf.connect(connection)
    first.close()
    assert second.search("omega", 5, 0.5)[0].id == 4
    second.close()
    assert connection.execute("SELECT name FROM temp.sqlite_master").fetchall() == []


def test_the_idf_of_a_common_word_is_folded_into_its_weight() -> None:
    with qidf.connect(table()) as engine:
        plan = engine.plan(["alpha"], qidf.Weighting("qlog1p", 0.5, None))  # type: ignore[attr-defined]
        assert plan.boosts[0].engine_idf == 1e-6
        assert plan.boosts[0].weight == pytest.approx(idf_q(3, 5, 0.5) / 1e-6)
        assert math.log(2.5 / 3.5) < 0


def test_tables_that_keep_no_counts_ask_for_a_q() -> None:
    with qidf.connect(table(", detail=none")) as engine:
        assert len(engine.search("omega", 5, 0.5)) == 1
        with pytest.raises(UnsupportedError, match="give q as a number"):
            engine.search("omega", 5)


def test_wrong_tables_and_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    connection = table()
    connection.execute("CREATE TABLE plain (x)")
    with pytest.raises(EngineRejectedError, match="there is no table 'other'; the FTS5 tables are"):
        qidf.connect(connection, table="other")
    with pytest.raises(EngineRejectedError, match="'plain' is no FTS5 table"):
        qidf.connect(connection, table="plain")
    with pytest.raises(InvalidArgumentError, match="has no column 'key'; its columns are title"):
        qidf.connect(connection, id="key")
    with pytest.raises(InvalidArgumentError, match="there are 3 weights for 2 columns"):
        qidf.connect(connection, weights="1,2,3")
    with pytest.raises(EngineRejectedError, match="has no FTS5 table"):
        qidf.connect(sqlite3.connect(":memory:"))
    connection.execute("CREATE VIRTUAL TABLE more USING fts5(x)")
    with pytest.raises(InvalidArgumentError, match="has 2 FTS5 tables; name one with table="):
        qidf.connect(connection)
    with pytest.raises(IndexNotFoundError, match="there is no database file at"):
        qidf.connect(f"sqlite:{tmp_path}/none.db")
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(EngineRejectedError, match="SQLite refuses: file is not a database"):
        qidf.connect(f"sqlite:{tmp_path}/text.db")
    connection = table()
    connection.execute("PRAGMA query_only = 1")
    with pytest.raises(UnsupportedError, match="turn PRAGMA query_only off"):
        qidf.connect(connection)


def test_a_wrong_filter_is_refused() -> None:
    with qidf.connect(table()) as engine:
        with pytest.raises(InvalidArgumentError, match="a filter here is an SQL condition"):
            engine.search("omega", 5, 0.5, filter=3)
        with pytest.raises(EngineRejectedError, match="SQLite refuses: no such column"):
            engine.search("omega", 5, 0.5, filter="nocolumn = 3")


def test_attached_databases_are_found(tmp_path: Path) -> None:
    side = sqlite3.connect(tmp_path / "side.db")
    side.execute("CREATE VIRTUAL TABLE notes USING fts5(title, body)")
    side.executemany("INSERT INTO notes VALUES (?, ?)", ROWS)
    side.commit()
    connection = sqlite3.connect(":memory:")
    connection.execute("ATTACH ? AS side", (str(tmp_path / "side.db"),))
    with qidf.connect(connection, table="notes") as engine:
        assert engine.search("omega", 5, 0.5)[0].id == 4
