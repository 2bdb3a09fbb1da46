"""What only Xapian has: stemmed terms, prefixes, ids in data and values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import qidf
from qidf.errors import IndexNotFoundError, InvalidArgumentError, UnknownIdError, UnsupportedError

xapian = pytest.importorskip("xapian", reason="Xapian's Python package isn't there; see .ci/xapian")

TEXTS = ["Running tests", "a runner of 3d tests", "nothing here", "omega sleeps", "words words"]


def database(stemmer: str | None = None, prefix: str = "") -> Any:
    made = xapian.WritableDatabase("", xapian.DB_BACKEND_INMEMORY)
    generator = xapian.TermGenerator()
    if stemmer is not None:
        generator.set_stemmer(xapian.Stem(stemmer))
    for at, text in enumerate(TEXTS):
        document = xapian.Document()
        generator.set_document(document)
        generator.index_text(text, 1, prefix)
        document.set_data(json.dumps({"key": f"k{at}", "text": text}))
        document.add_value(3, f"v{at}")
        document.add_boolean_term(f"Q{at}")
        made.add_document(document)
    return made


def test_stemmed_terms_are_used_where_a_stemmer_is_named() -> None:
    made = database("english")
    with qidf.connect(made, stemmer="english") as engine:
        assert engine.analyze("Running 3D tests") == ["Zrun", "3d", "Ztest"]
        assert {hit.id for hit in engine.search("runs", 5, 1)} == {1}
        terms = {"Zrun": 1, "Ztest": 2, "3d": 1, "running": 1}
        assert engine.statistics(list(terms)).doc_freqs == terms
        # Stems and words that aren't stemmed, without the plain forms beside them.
        assert engine.corpus_stats().num_tokens == sum(len(text.split()) for text in TEXTS)
    with qidf.connect(made) as engine:
        assert engine.analyze("Running") == ["running"]


def test_a_prefix_is_a_field_of_its_own() -> None:
    with qidf.connect(database(prefix="XB"), prefix="XB") as engine:
        assert engine.analyze("omega") == ["XBomega"]
        assert [hit.id for hit in engine.search("Omega", 5, 0.5)] == [4]
        assert engine.corpus_stats().vocab_size == len(set(" ".join(TEXTS).lower().split()))


@pytest.mark.parametrize(
    ("source", "expected"),
    [("docid", 4), ("data.key", "k3"), ("value:3", "v3")],
)
def test_ids_come_from_where_they_are(source: str, expected: int | str) -> None:
    with qidf.connect(database(), id=source) as engine:
        hit = engine.search("omega", 1, 0.5)[0]
        assert hit.id == expected
        assert hit.metadata["text"] == "omega sleeps"
        assert engine.explain("omega", hit.id, 0.5).score == pytest.approx(hit.score)
        with pytest.raises(UnknownIdError):
            engine.explain("omega", "nobody", 0.5)


def test_a_database_that_grows_is_seen(tmp_path: Path) -> None:
    writer = xapian.WritableDatabase(str(tmp_path / "db"), xapian.DB_CREATE)
    generator = xapian.TermGenerator()

    def add(text: str) -> None:
        document = xapian.Document()
        generator.set_document(document)
        generator.index_text(text)
        writer.add_document(document)
        writer.commit()

    for text in TEXTS:
        add(text)
    with qidf.connect(f"xapian:{tmp_path}/db") as engine:
        assert engine.statistics(["omega"]).num_docs == 5
        # A reader is overtaken after two commits, and opens the database again.
        for _ in range(4):
            add("more words")
        assert len(engine.search("omega", 5, 0.5)) == 1


def test_wrong_options_are_refused_in_one_sentence(tmp_path: Path) -> None:
    made = database()
    with pytest.raises(InvalidArgumentError, match="no stemmer 'klingon'"):
        qidf.connect(made, stemmer="klingon")
    for source in ("key", "value:", "value:x", "docid:3"):
        with pytest.raises(InvalidArgumentError, match=r"id is docid, data, data.FIELD or value"):
            qidf.connect(made, id=source)
    with pytest.raises(IndexNotFoundError, match="there is no Xapian database at"):
        qidf.connect(f"xapian:{tmp_path}/none")
    with pytest.raises(IndexNotFoundError, match="Xapian can't open"):
        qidf.connect(f"xapian:{tmp_path}")
    with (
        qidf.connect(made) as engine,
        pytest.raises(InvalidArgumentError, match=r"filters by a xapian.Query"),
    ):
        engine.search("omega", 1, 0.5, filter="Q1")


def test_a_system_without_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "xapian", None)
    with pytest.raises(UnsupportedError, match="apt install python3-xapian"):
        qidf.connect("xapian:somewhere")
