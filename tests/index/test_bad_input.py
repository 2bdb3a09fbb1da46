"""What can't be used is refused with the right error and one sentence of advice, at no loss."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from search_paths import all_paths, searching

from qidf.errors import (
    DuplicateIdError,
    IndexNotFoundError,
    InputError,
    InvalidArgumentError,
    QidfError,
    UnknownIdError,
)
from qidf.index import Document, Index

NESTED: list[object] = []
for _ in range(100_000):
    NESTED = [NESTED]
CIRCULAR: dict[str, object] = {}
CIRCULAR["self"] = CIRCULAR

BAD_DOCUMENTS: dict[str, tuple[object, type[QidfError]]] = {
    "no iterable": (5, InvalidArgumentError),
    "nothing": (None, InvalidArgumentError),
    "a single text": ("just one text", InvalidArgumentError),
    "a single record": ({"text": "just one record"}, InvalidArgumentError),
    "a single document": (Document("just one"), InvalidArgumentError),
    "bytes": ([b"bytes"], InvalidArgumentError),
    "a number": (["text", 7], InvalidArgumentError),
    "None": ([None], InvalidArgumentError),
    "a list of tokens": ([["some", "tokens"]], InvalidArgumentError),
    "a record without text": ([{"_id": "new", "body": "text"}], InvalidArgumentError),
    "a record whose text is None": ([{"_id": "new", "text": None}], InvalidArgumentError),
    "a document whose text is None": ([Document(None, "new")], InvalidArgumentError),
    "a document whose text is a number": ([Document(5, "new")], InvalidArgumentError),
    "a document whose text is bytes": ([Document(b"x", "new")], InvalidArgumentError),
    "an id twice": ([Document("one", "new"), Document("two", "new")], DuplicateIdError),
    "an id that is taken": ([Document("one", "new"), Document("two", "a")], DuplicateIdError),
    "ids for some only": ([Document("one", "new"), Document("two")], InvalidArgumentError),
    "ids of two kinds": ([Document("one", "new"), Document("two", 2)], InvalidArgumentError),
    "ids of another kind than the index's": ([Document("one", 1)], InvalidArgumentError),
    "no ids though the index has strings": (["one", "two"], InvalidArgumentError),
    "a boolean id": ([Document("one", True)], InvalidArgumentError),
    "a boolean id in a record": ([{"_id": True, "text": "one"}], InvalidArgumentError),
    "a float id": ([Document("one", 1.5)], InvalidArgumentError),
    "a list as id": ([{"_id": ["a"], "text": "one"}], InvalidArgumentError),
    "metadata with a set": ([Document("one", "new", {"tags": {"x"}})], InvalidArgumentError),
    "metadata with an object": ([Document("one", "new", {"o": object()})], InvalidArgumentError),
    "metadata with a tuple key": ([Document("one", "new", {(1, 2): "x"})], InvalidArgumentError),
    "metadata that holds itself": ([Document("one", "new", CIRCULAR)], InvalidArgumentError),
    "metadata too deep": ([Document("one", "new", {"deep": NESTED})], InvalidArgumentError),
    "metadata that is a list": ([Document("one", "new", ["x"])], InvalidArgumentError),
}


def refused(error: type[QidfError], action: Callable[[], object]) -> str:
    """The message of the error that an action raises: one line, one sentence, with advice."""
    with pytest.raises(QidfError) as caught:
        action()
    assert type(caught.value) is error
    message = str(caught.value)
    assert "\n" not in message
    assert not re.search(r"[.!?] +[A-Z]", message), "more than one sentence"
    assert len(message) > 20
    assert re.search(r"; |must|can't|should", message), (
        f"says what is wrong and not what to do: {message}"
    )
    return message


@pytest.fixture(params=["in memory", "stored"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    """An index that a test must leave as it was."""
    index = Index.build([Document("some text", "a", {"n": 1}), Document("more text", "b")])
    if request.param == "stored":
        index.save(tmp_path / "index")
    before = index.stats, index.search("some text", q=1)
    yield index
    assert (index.stats, index.search("some text", q=1)) == before
    if index.path is not None:
        stored = Index.open(index.path)
        assert (stored.stats, stored.search("some text", q=1)) == before
        assert stored._snapshot.generation == 1


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_documents_that_cannot_be_added_are_refused(name: str, index: Index) -> None:
    documents, error = BAD_DOCUMENTS[name]
    refused(error, lambda: index.add(documents))


@pytest.mark.parametrize(
    "name", [name for name in BAD_DOCUMENTS if "index" not in name and "taken" not in name]
)
def test_documents_that_cannot_be_built_from_are_refused(name: str) -> None:
    documents, error = BAD_DOCUMENTS[name]
    refused(error, lambda: Index.build(documents))


def test_a_refusal_says_which_document_it_is_about() -> None:
    for documents in ([{"text": "fine"}, {"text": "fine"}, {"words": "not so"}], ["x", "y", 3]):
        assert "document 2 " in refused(InvalidArgumentError, lambda d=documents: Index.build(d))
    assert "'x'" in refused(
        DuplicateIdError, lambda: Index.build([Document("", "x"), Document("", "x")])
    )


def test_integer_ids_beyond_64_bits_are_refused() -> None:
    for identifier in (2**62, 2**63, -(2**63) - 1, 2**70):
        refused(InvalidArgumentError, lambda i=identifier: Index.build([Document("text", i)]))
    extreme = [-(2**63), 2**62 - 2, 0]
    index = Index.build([Document(f"text{place}", name) for place, name in enumerate(extreme)])
    index.add(["one more"])
    assert [name in index for name in (*extreme, 2**62 - 1, 1)] == [True] * 4 + [False]


@pytest.mark.parametrize("k", [0, -1, 1.0, "10", None, True, math.nan, [5]], ids=repr)
def test_a_k_that_is_no_whole_number_is_refused(k: object, index: Index) -> None:
    refused(InvalidArgumentError, lambda: index.search("text", k))
    refused(InvalidArgumentError, lambda: index.rank(["text"], k))


@pytest.mark.parametrize(
    "q", ["abc", "", [0.5], math.nan, math.inf, -math.inf, "nan", object()], ids=repr
)
def test_a_q_that_is_no_number_is_refused(q: object, index: Index) -> None:
    for action in (
        lambda: index.search("text", q=q),
        lambda: index.rank(["text"], q=q),
        lambda: index.scores("text", q=q),
        lambda: index.explain("text", "a", q=q),
    ):
        refused(InvalidArgumentError, action)


def test_a_q_may_be_any_number_even_in_words(index: Index) -> None:
    expected = index.search("some", q=0.5)
    for q in ("0.5", np.float32(0.5), np.float64(0.5)):
        assert index.search("some", q=q) == expected
    assert index.search("some", q=1) == index.search("some", q="1")


@pytest.mark.parametrize(
    ("name", "value"),
    [("k1", -0.1), ("k1", math.nan), ("k1", math.inf), ("k1", "1.2"), ("k1", None),
     ("b", -0.1), ("b", 1.1), ("b", math.nan), ("b", "0.5"), ("b", None)],
)  # fmt: skip
def test_k1_and_b_out_of_range_are_refused(name: str, value: object, index: Index) -> None:
    message = refused(InvalidArgumentError, lambda: index.search("text", **{name: value}))
    assert message.startswith(name)


@pytest.mark.parametrize("q", [-60.0, 60.0])
def test_a_q_whose_weights_leave_float32_is_refused(q: float) -> None:
    texts = ["common words", "common words again", *["common"] * 300, "rare"]
    index = Index.build(texts)
    ask = partial(index.search, "common rare", q=q, weighting="paper")
    message = refused(InvalidArgumentError, ask)
    assert "nearer to 1" in message or "milder" in message


@all_paths
@pytest.mark.parametrize("text", [None, 7, b"text", ["some", "text"], object()], ids=repr)
def test_a_query_that_is_no_text_is_refused(path: str, text: object, index: Index) -> None:
    with searching(path):
        refused(InvalidArgumentError, lambda: index.search(text))
        refused(InvalidArgumentError, lambda: index.search_batch(["text", text]))
        refused(InvalidArgumentError, lambda: index.explain(text, "a"))


@all_paths
def test_queries_in_the_wrong_shape_are_refused(path: str, index: Index) -> None:
    with searching(path):
        for action in (
            lambda: index.search_batch("text"),
            lambda: index.search_batch(5),
            lambda: index.rank("text"),
            lambda: index.rank(5),
            lambda: index.rank([5]),
            lambda: index.rank([["text", 5]]),
            lambda: index.rank(["text", ["text"]]),
            lambda: index.scores(5),
            lambda: index.scores(["text", None]),
        ):
            refused(InvalidArgumentError, action)


@pytest.mark.parametrize(
    "bad",
    [5, "path", b"path", 0.5, np.array([1, 0]), np.array([True]), np.array([[True, False]]),
     (name for name in "ab"), {"n": object()}, {"n": [{1, 2}]}],
    ids=lambda bad: type(bad).__name__,
)  # fmt: skip
def test_a_filter_of_no_known_kind_is_refused(bad: object, index: Index) -> None:
    refused(InvalidArgumentError, lambda: index.search("text", filter=bad))


def test_a_predicate_that_fails_fails_the_search(index: Index) -> None:
    with pytest.raises(KeyError, match="nowhere"):
        index.search("text", filter=lambda record: record["nowhere"])


@pytest.mark.parametrize("name", ["c", "A", 0, 1, -1, True, 0.5, None, ("a",)], ids=repr)
def test_an_id_that_no_document_has_is_unknown(name: object, index: Index) -> None:
    assert name not in index
    for action in (
        lambda: index.position(name),
        lambda: index.metadata(name),
        lambda: index.explain("text", name),
        lambda: index.delete(["a", name]),
    ):
        message = refused(UnknownIdError, action)
        assert repr(name) in message
    with pytest.raises(KeyError):
        index.delete(["b", name])


def test_positions_are_not_confused_with_what_compares_equal_to_them() -> None:
    index = Index.build(["first text", "second text", "third text"])
    for name in (0.5, 1.0, True, "1", None, 3, -1):
        assert name not in index
        with pytest.raises(UnknownIdError):
            index.delete([name])
    assert len(index) == 3
    assert np.int64(1) in index
    assert index.delete(np.int64(1)) == 1
    assert index.delete(np.array([0, 2])) == 2


@pytest.mark.parametrize("ids", [None, 0.5, object()], ids=repr)
def test_deleting_what_is_no_id_is_refused(ids: object, index: Index) -> None:
    refused(InvalidArgumentError, lambda: index.delete(ids))


@pytest.mark.parametrize("analyzer", ["english", "", "generic(", 5, None, str], ids=repr)
def test_an_analyzer_of_no_known_name_is_refused(analyzer: object) -> None:
    refused(InvalidArgumentError, lambda: Index.build(["text"], analyzer=analyzer))


def test_a_formula_that_is_none_is_refused(index: Index) -> None:
    for formula in ("bm11", 5, max):
        refused(InvalidArgumentError, lambda f=formula: index.search("text", formula=f))


def test_opening_where_there_is_no_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("text")
    (tmp_path / "a folder").mkdir()
    for name in ("nowhere", "nowhere/deeper", "a file", "a file/deeper", "a folder"):
        message = refused(IndexNotFoundError, lambda name=name: Index.open(tmp_path / name))
        assert str(tmp_path / name) in message
        assert not (tmp_path / "nowhere").exists()
    assert list((tmp_path / "a folder").iterdir()) == []


def test_saving_into_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    index = Index.build(["some text"])
    folder = tmp_path / "mine"
    for name, content in (
        ("notes.txt", "notes"),
        ("manifest.json", '{"name": "a web application", "icons": []}'),
        (".hidden", ""),
    ):
        folder.mkdir()
        (folder / name).write_text(content)
        message = refused(InputError, lambda: index.save(folder))
        assert str(folder) in message
        assert {entry.name: entry.read_text() for entry in folder.iterdir()} == {name: content}
        (folder / name).unlink()
        folder.rmdir()
    (tmp_path / "file").write_text("a file")
    for path in (tmp_path / "file", tmp_path / "file" / "deeper"):
        refused(InputError, lambda path=path: index.save(path))
    assert (tmp_path / "file").read_text() == "a file"
    assert index.path is None
    index.save(folder)
    assert index.path == folder


def test_saving_into_an_index_leaves_other_files_beside_it_alone(tmp_path: Path) -> None:
    index = Index.build(["some text"])
    index.save(tmp_path / "index")
    (tmp_path / "index" / "notes.txt").write_text("notes")
    index.add(["more text"])
    index.compact()
    index.save(tmp_path / "index")
    assert (tmp_path / "index" / "notes.txt").read_text() == "notes"
