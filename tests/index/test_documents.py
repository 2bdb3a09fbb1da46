"""However documents are spelled, in however many batches, the index is the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qidf.analysis import Analyzer
from qidf.index import Document, Index, documents

TEXTS = ["first text here", "second text there", "", "naïve café text", "third"]


def answers(index: Index) -> list[object]:
    return [
        index.stats,
        [(hit.id, hit.score) for hit in index.search("first second café text", q=1)],
        index.scores("third text", 0.4).tobytes(),
    ]


def test_strings_documents_records_and_generators_are_indexed_alike() -> None:
    expected = answers(Index.build(TEXTS))
    for spelled in (
        [Document(text) for text in TEXTS],
        [{"text": text} for text in TEXTS],
        tuple(TEXTS),
        (text for text in TEXTS),
        [TEXTS[0], Document(TEXTS[1]), {"text": TEXTS[2]}, *TEXTS[3:]],
        [{"_id": place, "text": text} for place, text in enumerate(TEXTS)],
        [Document(text, place) for place, text in enumerate(TEXTS)],
    ):
        assert answers(Index.build(spelled)) == expected


def test_batches_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answers(Index.build(TEXTS))
    for size in (1, 15, 16, 31, 1000):
        monkeypatch.setattr(documents, "BATCH_CHARACTERS", size)
        assert answers(Index.build(TEXTS)) == expected
        assert answers(Index.build(Document(text) for text in TEXTS)) == expected


def test_a_source_is_read_once_and_no_further_than_needed() -> None:
    read: list[int] = []

    def source() -> Iterator[str]:
        for number in range(5):
            read.append(number)
            yield f"text {number}"

    assert len(Index.build(source())) == 5
    assert read == [0, 1, 2, 3, 4]


def test_a_records_id_title_and_rest_go_where_they_belong() -> None:
    index = Index.build(
        [
            {"_id": "one", "title": "A heading", "text": "and its text", "url": "x", "n": [1, {}]},
            {"id": "two", "text": "no heading", "title": ""},
            {"_id": "three", "id": "kept", "text": "two ids"},
            {"_id": "four", "text": "a heading that is none", "title": None},
        ]
    )
    assert {hit.id for hit in index.search("heading", q=1)} == {"one", "two", "four"}
    assert index.explain("heading text", "one").terms[1].tf == 1
    assert index.metadata("one") == {"title": "A heading", "url": "x", "n": [1, {}]}
    assert index.metadata("two") == {"title": ""}
    assert index.metadata("three") == {"id": "kept"}
    assert [hit.id for hit in index.search("ids", q=1)] == ["three"]


def test_a_hit_carries_metadata_that_cannot_be_changed() -> None:
    record = {"lang": "go", "tags": ["x"]}
    index = Index.build([Document("some text", "a", record), Document("other", "b")])
    record["lang"] = "changed later"
    (hit,) = index.search("some", q=1)
    assert hit.metadata == {"lang": "go", "tags": ["x"]}
    with pytest.raises(TypeError):
        hit.metadata["lang"] = "python"
    index.metadata("a")["lang"] = "python"
    assert index.metadata("a")["lang"] == "go"
    assert index.metadata("b") == {}


@pytest.mark.parametrize(
    "metadata",
    [
        {"text": "naïve ☕ \U0001f600", "quote": '"\\\n\t\0'},
        {"lone": "\ud800 surrogate"},
        {"numbers": [0, -1, 2**70, 1.5, 1e300], "none": None, "yes": True},
        {"deep": {"er": [{"and": [[]]}]}},
        {"": ""},
    ],
    ids=lambda metadata: next(iter(metadata)) or "empty",
)
def test_metadata_comes_back_as_it_was(metadata: dict[str, object], tmp_path: Path) -> None:
    index = Index.build([Document("some text", "a", metadata), Document("some more", "b")])
    index.save(tmp_path / "index")
    for found in (index, Index.open(tmp_path / "index")):
        assert found.metadata("a") == metadata
        assert [dict(hit.metadata) for hit in found.search("some", q=1)] == [metadata, {}]
    stored = Index.open(tmp_path / "index")
    stored.delete("b")
    stored.compact()
    assert Index.open(tmp_path / "index").metadata("a") == metadata


@pytest.mark.parametrize("name", ["", " ", "a/b.go:f", "naïve ☕", "\ud800", "x" * 5000, "\0"])
def test_any_string_may_be_an_id(name: str, tmp_path: Path) -> None:
    index = Index.build([Document("some text", "other"), Document("more text", name)])
    index.save(tmp_path / "index")
    stored = Index.open(tmp_path / "index")
    assert [hit.id for hit in stored.search("more", q=1)] == [name]
    assert stored.delete(name) == 1
    assert name not in stored


@pytest.mark.parametrize(
    "analyzer",
    ["generic", "whitespace", "identifier", "subtoken", "identifier(stopwords=none)",
     Analyzer(lowercase=False, stopwords=("naïve", "and, more")),],
    ids=str,
)  # fmt: skip
def test_the_analyzer_is_kept_with_the_index(analyzer: str | Analyzer, tmp_path: Path) -> None:
    texts = ["parseHTTPHeader(naïve)", "the parse_http header", "HTTP and, more"]
    index = Index.build(texts, analyzer=analyzer)
    index.save(tmp_path / "index")
    stored = Index.open(tmp_path / "index")
    assert stored.analyzer == index.analyzer
    for query in ("parseHTTPHeader", "http header", "Naïve the"):
        assert stored.scores(query, 1).tobytes() == index.scores(query, 1).tobytes()
    stored.add(["http again parseHTTPHeader"])
    fresh = Index.build([*texts, "http again parseHTTPHeader"], analyzer=analyzer)
    assert stored.stats == fresh.stats
