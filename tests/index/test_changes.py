"""Adding, replacing, deleting and compacting are exact: any history equals a fresh build."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import reference
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from random_corpora import documents

from qidf.errors import DuplicateIdError, UnknownIdError
from qidf.index import Document, Index
from qidf.statistics import CorpusStats
from qidf.weighting import BM25

QUERIES = [
    ["always", "w0", "w1", "w0"],
    ["often", "w2", "w5", "unheard", "w30"],
    [f"w{number}" for number in range(40)],
]
DocId = int | str


class History(RuleBasedStateMachine):
    """The documents an index should hold, in order, beside the index."""

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[DocId, list[str]] = {}
        self.next_id = 0
        self.folder = Path(tempfile.mkdtemp())
        self.index = Index.build([], analyzer="whitespace")
        self.kind = "given positions"

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def new_ids(self, count: int) -> list[DocId]:
        numbers = range(self.next_id, self.next_id + count)
        if self.kind == "strings":
            self.next_id += count
            return [f"id {number}" for number in numbers]
        if self.kind == "integers":
            self.next_id += 3 * count
            return [number * 3 - 50 for number in numbers]
        self.next_id += count
        return list(numbers)

    @initialize(
        kind=st.sampled_from(["given positions", "strings", "integers"]),
        found=st.lists(documents(), max_size=8),
        stored=st.booleans(),
    )
    def begin(self, kind: str, found: list[list[str]], stored: bool) -> None:
        self.kind = kind
        self.index = Index.build(self.records(found), analyzer="whitespace")
        if stored:
            self.save()

    def records(self, found: list[list[str]]) -> list[Document]:
        """New documents, from now on held."""
        ids = self.new_ids(len(found))
        self.held.update(zip(ids, found, strict=True))
        given = self.kind != "given positions"
        return [
            Document(" ".join(tokens), identifier if given else None, {"of": identifier})
            for identifier, tokens in zip(ids, found, strict=True)
        ]

    @rule(found=st.lists(documents(), max_size=6))
    def add(self, found: list[list[str]]) -> None:
        assert self.index.add(self.records(found)) == len(found)

    @precondition(lambda self: self.kind != "given positions" and self.held)
    @rule(found=st.lists(documents(), min_size=1, max_size=4), data=st.data())
    def replace(self, found: list[list[str]], data: st.DataObject) -> None:
        """A replaced document goes to the end, as if deleted and added."""
        known = data.draw(st.lists(st.sampled_from(list(self.held)), unique=True, max_size=3))
        old = [Document("", identifier) for identifier in known]
        if old:
            with pytest.raises(DuplicateIdError):
                self.index.add(old)
        for identifier in known:
            del self.held[identifier]
        replaced = dict(zip(known, [*found, *[["w0"]] * len(known)], strict=False))
        self.held.update(replaced)
        records = [
            Document(" ".join(tokens), identifier, {"of": identifier})
            for identifier, tokens in replaced.items()
        ]
        self.index.add([*records, *self.records(found)], replace=True)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(list(self.held)), unique=True, min_size=1))
        assert self.index.delete(gone) == len(gone)
        for identifier in gone:
            del self.held[identifier]
            assert identifier not in self.index
        with pytest.raises(UnknownIdError):
            self.index.delete([*self.held, gone[0]])

    @rule()
    def compact(self) -> None:
        self.index.compact()
        assert len(self.index._ranker.segments) <= 1
        assert all(segment.deletions is None for segment in self.index._ranker.segments)

    @rule()
    def save(self) -> None:
        self.index.save(self.folder / "index")

    @precondition(lambda self: self.index.path is not None)
    @rule()
    def reopen(self) -> None:
        self.index = Index.open(self.folder / "index")

    @precondition(lambda self: self.index.path is not None)
    @rule(found=st.lists(documents(), min_size=1, max_size=3))
    def change_through_another(self, found: list[list[str]]) -> None:
        """Another holder of the folder commits; the next commit here builds on it, unasked."""
        other = Index.open(self.folder / "index")
        other.add(self.records(found))
        self.index.add([])

    @invariant()
    def equals_a_fresh_build(self) -> None:
        index, held = self.index, self.held
        fresh = Index.build(
            [Document(" ".join(tokens), identifier) for identifier, tokens in held.items()],
            analyzer="whitespace",
        )
        positions = [index.position(identifier) for identifier in held]
        assert positions == sorted(positions)
        assert index.ids(positions) == list(held)
        assert len(index) == len(held)
        assert index.stats == fresh.stats == CorpusStats.from_tokens(held.values())
        assert index._snapshot.totals == fresh._snapshot.totals
        chosen = {each.decide(weighting="paper").weighting.q for each in (index, fresh)}
        assert chosen == {reference.predicted_q(list(held.values())) if held else 1}
        for query in QUERIES:
            for q in (1.0, 0.3):
                ours = index.scores(query, q)[positions]
                assert ours.tobytes() == fresh.scores(query, q).tobytes()
            hits = index.search(" ".join(query), 5)
            assert [(hit.id, hit.score) for hit in hits] == [
                (hit.id, hit.score) for hit in fresh.search(" ".join(query), 5)
            ]
            assert all(hit.metadata == {"of": hit.id} for hit in hits)


def test_any_history_equals_a_fresh_build() -> None:
    run_state_machine_as_test(
        History,
        settings=settings(
            max_examples=40,
            stateful_step_count=12,
            deadline=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )


def test_adding_one_by_one_keeps_segments_few_and_scores_exact() -> None:
    index = Index.build([])
    texts = [f"word{number % 7} word{number % 3} only{number}" for number in range(300)]
    for text in texts:
        index.add([text])
        sizes = [segment.num_docs for segment in index._ranker.segments]
        assert len(sizes) <= np.log2(len(index)) + 1
    fresh = Index.build(texts)
    query = "word1 word2 only7"
    assert index.scores(query, 0.2).tobytes() == fresh.scores(query, 0.2).tobytes()
    assert index.stats == fresh.stats


def test_an_id_is_free_again_once_its_document_is_deleted() -> None:
    index = Index.build([Document("first text", "same"), Document("another text", "other")])
    index.delete("same")
    index.add([Document("second wording", "same")])
    assert [hit.id for hit in index.search("wording", q=1)] == ["same"]
    assert index.search("first", q=1) == []
    index.compact()
    assert [hit.id for hit in index.search("wording", q=1)] == ["same"]


def test_given_positions_are_never_used_twice() -> None:
    index = Index.build(["one text", "two texts", "three texts"])
    index.delete([1, 2])
    index.add(["four texts"])
    index.compact()
    assert [3 in index, 2 in index, 1 in index, 0 in index] == [True, False, False, True]
    index.delete([0, 3])
    assert len(index) == 0
    index.add(["five texts"])
    assert 4 in index


def test_everything_can_be_deleted_and_added_again(tmp_path: Path) -> None:
    index = Index.build([Document("some text", "a"), Document("more text", "b")])
    index.save(tmp_path / "index")
    assert index.delete(["a", "b"]) == 2
    assert len(index) == 0
    assert index.search("text", q=1) == []
    assert index.stats.num_tokens == 0
    assert index.decide().weighting == BM25
    index.add([Document("some text again", 7)])
    assert [hit.id for hit in Index.open(tmp_path / "index").search("again", q=1)] == [7]


def test_a_change_that_fails_changes_nothing() -> None:
    index = Index.build([Document("some text", "a"), Document("more text", "b")])

    def breaking() -> Iterator[Document]:
        yield Document("new text", "c")
        raise RuntimeError("the source dried up")

    for change, error in [
        (lambda: index.add(breaking()), RuntimeError),
        (lambda: index.add([Document("new", "c"), Document("old", "a")]), DuplicateIdError),
        (lambda: index.add([Document("new", "c"), Document("new", "c")]), DuplicateIdError),
        (lambda: index.delete(["a", "nobody"]), UnknownIdError),
    ]:
        with pytest.raises(error):
            change()
        assert len(index) == 2
        assert "a" in index
        assert "c" not in index
