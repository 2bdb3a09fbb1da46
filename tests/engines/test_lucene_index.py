"""What only Lucene has: a JVM to find, jars to name, an analyzer to guess."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lucene_under_test import Lucene

import qidf
from qidf.engines.lucene_index.engine import LuceneQuery
from qidf.errors import (
    EngineRejectedError,
    EngineUnavailableError,
    IndexNotFoundError,
    InvalidArgumentError,
    UnknownIdError,
    UnsupportedError,
)

TEXTS = {"a": "quick brown fox", "b": "lazy dogs sleep", "c": "Foxes run", "d": "stop", "e": "go"}


def test_fields_ids_and_analyzers_are_chosen_or_refused(tmp_path: Path) -> None:
    Lucene(TEXTS, tmp_path)
    with qidf.connect(f"lucene:{tmp_path}?analyzer=english") as engine:
        assert engine.name.startswith("lucene ")
        assert engine.analyze("Lazy dogs") == ["lazi", "dog"]
    with qidf.connect(f"lucene:{tmp_path}") as engine:
        assert [hit.id for hit in engine.search("FOX & dogs?", 5, 0.5)] == ["a", "b"]
        assert engine.search("fox", 5, 0.5)[0].metadata == {"id": "a"}
        with pytest.raises(InvalidArgumentError, match="filters by a mapping of fields"):
            engine.search("fox", 5, 0.5, filter="id:a")
        engine.close()
        with pytest.raises(EngineUnavailableError, match="JVM has stopped"):
            engine.search("fox", 5, 0.5)
    for option, sentence in (
        ("field=text", "has no field 'text'; its text fields are body"),
        ("field=id", "'id' keeps no term frequencies"),
        ("id=key", "has no field 'key' to take ids from"),
    ):
        with pytest.raises(InvalidArgumentError, match=sentence):
            qidf.connect(f"lucene:{tmp_path}?{option}")
    with pytest.raises(EngineRejectedError, match="there is no analyzer klingon; use standard"):
        qidf.connect(f"lucene:{tmp_path}?analyzer=klingon")
    (tmp_path / "empty").mkdir()
    with pytest.raises(IndexNotFoundError, match="there is no Lucene index at"):
        qidf.connect(f"lucene:{tmp_path}/empty")


def test_an_index_that_is_not_there_starts_no_jvm(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFoundError, match="there is no Lucene index at"):
        qidf.connect(f"lucene:{tmp_path}/none")


def test_missing_jars_and_a_missing_jdk_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(UnsupportedError, match="a JDK of version 11 or later"):
        qidf.connect(f"lucene:{tmp_path}")
    monkeypatch.undo()
    monkeypatch.setattr("qidf.engines.lucene_index.worker._java", lambda: "java")
    monkeypatch.delenv("QIDF_LUCENE_JARS", raising=False)
    with pytest.raises(UnsupportedError, match="name it with jars= or QIDF_LUCENE_JARS"):
        qidf.connect(f"lucene:{tmp_path}")
    with pytest.raises(UnsupportedError, match=r"there is no lucene-core-\*\.jar in"):
        qidf.connect(f"lucene:{tmp_path}?jars={tmp_path}")


def test_a_query_reads_as_lucene_writes_it() -> None:
    query = LuceneQuery("body", (("fox", 2.5), ("a-b", None)))
    assert str(query) == r"body:fox^2.5 body:a\-b"


def test_no_object_holds_a_lucene_index() -> None:
    from qidf.engines.lucene_index import wrap

    with pytest.raises(InvalidArgumentError, match="write lucene:PATH"):
        wrap(object())


def test_an_unknown_id_is_refused(tmp_path: Path) -> None:
    Lucene(TEXTS, tmp_path)
    with qidf.connect(f"lucene:{tmp_path}") as engine, pytest.raises(UnknownIdError):
        engine.explain("fox", "z", 0.5)
