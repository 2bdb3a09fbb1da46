"""What only Tantivy has: schemas, tokenizers of one's own, fields without positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import qidf
from qidf.errors import (
    EngineRejectedError,
    IndexNotFoundError,
    InvalidArgumentError,
    StoredIndexError,
)

tantivy = pytest.importorskip("tantivy")

TEXTS = ["the quick brown fox", "a lazy dog sleeps", "quick quick thinking", "foxes run", "stop"]


def index(path: Path | None = None, **fields: Any) -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    for name, options in (fields or {"body": {}}).items():
        builder.add_text_field(name, **options)
    return tantivy.Index(builder.build(), path=None if path is None else str(path))


def fill(made: Any, *names: str) -> Any:
    writer = made.writer(20_000_000, 1)
    for at, text in enumerate(TEXTS):
        writer.add_document(tantivy.Document(key=f"k{at}", **dict.fromkeys(names, text)))
    writer.commit()
    writer.wait_merging_threads()
    made.reload()
    return made


def test_a_field_without_positions_is_analyzed_word_by_word() -> None:
    made = fill(
        index(body={"index_option": "freq"}, stems={"tokenizer_name": "en_stem"}), "body", "stems"
    )
    with qidf.connect(made, field="body", id="key") as engine:
        assert engine.analyze('Quick-brown "fox" (dog)') == ["quick", "brown", "fox", "dog"]
        assert [hit.id for hit in engine.search("Lazy-dog!", 5, 0.5)] == ["k1"]
    with qidf.connect(made, field="stems") as engine:
        assert engine.analyze("running foxes") == ["run", "fox"]


def test_a_tokenizer_of_ones_own_is_used_where_it_is_registered(tmp_path: Path) -> None:
    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    made = index(tmp_path, body={"tokenizer_name": "mine"})
    made.register_tokenizer("mine", analyzer)
    fill(made, "body")
    with qidf.connect(made) as engine:
        assert engine.analyze("Quick_Brown, fox") == ["Quick_Brown,", "fox"]
    with (
        qidf.connect(f"tantivy:{tmp_path}") as engine,
        pytest.raises(EngineRejectedError, match=r"pass the tantivy.Index to qidf.connect"),
    ):
        engine.search("quick", 5, 0.5)


@pytest.mark.parametrize(
    "text",
    ['say "it"', "back\\slash", "tab\there", "line\nbreak", "naïve 日本語 \U0001f600x", "it's"],
)
def test_odd_characters_come_through_the_analysis(text: str) -> None:
    made = index(body={"tokenizer_name": "whitespace"})
    with qidf.connect(made) as engine:
        assert engine.analyze(text) == text.split()


def test_fields_and_ids_are_chosen_or_asked_for() -> None:
    made = fill(index(title={}, body={}), "title", "body")
    with pytest.raises(InvalidArgumentError, match="name one with field=: title, body"):
        qidf.connect(made)
    with pytest.raises(InvalidArgumentError, match="no field 'text'; its text fields are title"):
        qidf.connect(made, field="text")
    with pytest.raises(InvalidArgumentError, match="'key' is no text with term frequencies"):
        qidf.connect(made, field="key")
    with pytest.raises(InvalidArgumentError, match="stores no field 'body' to take ids from"):
        qidf.connect(made, field="body", id="body")
    with qidf.connect(made, field="body") as engine:
        hit = engine.search("lazy", 5, 0.5)[0]
        assert str(hit.id).count(":") == 1
        assert hit.metadata["key"] == "k1"
        assert engine.explain("lazy", hit.id, 0.5).score == pytest.approx(hit.score)


def test_an_index_that_grows_is_seen(tmp_path: Path) -> None:
    made = fill(index(tmp_path), "body")
    with qidf.connect(made, id="key") as engine:
        assert engine.statistics(["fox"]).num_docs == 5
        writer = made.writer(20_000_000, 1)
        writer.add_document(tantivy.Document(key="new", body="one more fox"))
        writer.commit()
        made.reload()
        found = engine.statistics(["fox"])
        assert (found.num_docs, found.doc_freqs["fox"]) == (6, 2)
        assert {hit.id for hit in engine.search("fox", 5, 0.5)} == {"k0", "new"}


def test_an_empty_index_has_nothing_to_say() -> None:
    with qidf.connect(index()) as engine:
        assert engine.corpus_stats().num_tokens == 0
        assert engine.decide().weighting.is_bm25
        assert engine.search("word", 5).hits == ()


def test_a_wrong_filter_is_refused() -> None:
    with (
        qidf.connect(fill(index(), "body")) as engine,
        pytest.raises(InvalidArgumentError, match=r"filters by a tantivy.Query, not a str"),
    ):
        engine.search("fox", 5, 0.5, filter="key:k0")


def test_wrong_paths_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFoundError, match="there is no Tantivy index at"):
        qidf.connect(f"tantivy:{tmp_path}/none")
    with pytest.raises(IndexNotFoundError, match="there is no Tantivy index at"):
        qidf.connect(f"tantivy:{tmp_path}")
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(StoredIndexError, match="can't open"):
        qidf.connect(f"tantivy:{tmp_path}")
