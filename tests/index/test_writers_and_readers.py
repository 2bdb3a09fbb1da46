"""One writer at a time, and readers who keep what they opened until they ask for more."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from interruptions import fork, needs_fork, wait
from random_corpora import ZipfCorpus, texts
from search_paths import all_paths, searching

from qidf.errors import (
    IndexLockedError,
    IndexNotFoundError,
    InvalidArgumentError,
    StoredIndexError,
)
from qidf.index import Document, Index, lock
from qidf.index import index as index_module
from qidf.index.segment import Segment
from qidf.index.totals import frequencies
from qidf.statistics import CorpusStats
from qidf.weights import RsjIdf

QUERY = "common first"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "index"
    Index.build(
        [Document("common first", "a"), Document("common second", "b"), Document("third", "c")]
    ).save(path)
    return path


def found(index: Index) -> list[tuple[object, float]]:
    return [(hit.id, hit.score) for hit in index.search(QUERY, q=1)]


@pytest.fixture
def slow_writer(folder: Path) -> Iterator[Callable[[], int]]:
    """Another process in the midst of an addition; call it to let it finish."""
    started_reading, started = os.pipe()
    release_reading, release = os.pipe()

    def documents() -> Iterator[Document]:
        yield Document("common slow", "slow")
        os.write(started, b".")
        # Ends when the other side closes its end, too.
        os.close(release)
        os.read(release_reading, 1)

    def work() -> None:
        Index.open(folder).add(documents())

    process = fork(work)
    os.close(release_reading)
    assert os.read(started_reading, 1) == b"."
    codes: list[int] = []

    def finish() -> int:
        if not codes:
            os.close(release)
            codes.append(wait(process))
        return codes[0]

    yield finish
    finish()
    os.close(started_reading)
    os.close(started)


@needs_fork
def test_a_second_writer_is_told_that_there_is_one(
    folder: Path, tmp_path: Path, slow_writer: Callable[[], int]
) -> None:
    index = Index.open(folder)
    before = found(index)
    for change in (
        lambda: index.add([Document("common mine", "mine")]),
        lambda: index.delete("a"),
        lambda: index.compact(),
        lambda: index.save(folder),
        lambda: Index.build(["something else"]).save(folder),
    ):
        with pytest.raises(IndexLockedError, match=r"another process is writing to .*index; try"):
            change()
        assert found(index) == before
    # Reading needs no lock, and neither does saving somewhere else.
    assert found(Index.open(folder)) == before
    index.save(tmp_path / "elsewhere")
    assert slow_writer() == 0
    again = Index.open(folder)
    assert "slow" in again
    again.add([Document("common mine", "mine")])
    assert [name in Index.open(folder) for name in ("slow", "mine")] == [True, True]


@needs_fork
def test_a_writer_that_dies_leaves_no_lock(folder: Path) -> None:
    reading, writing = os.pipe()

    def documents() -> Iterator[str]:
        os.write(writing, b".")
        signal.pause()
        yield "never"

    process = fork(lambda: Index.open(folder).add(documents()))
    assert os.read(reading, 1) == b"."
    with pytest.raises(IndexLockedError):
        Index.open(folder).compact()
    os.kill(process, signal.SIGKILL)
    assert wait(process) == -signal.SIGKILL
    Index.open(folder).add([Document("common now", "now")])
    assert "now" in Index.open(folder)
    os.close(reading)
    os.close(writing)


def test_a_reader_keeps_its_state_while_a_writer_changes_everything(folder: Path) -> None:
    reader, writer = Index.open(folder), Index.open(folder)
    before = found(reader), reader.stats, str(reader.explain(QUERY, "a"))
    # This one has not read anything of its files yet when they are removed.
    late_reader = Index.open(folder)
    for change in (
        lambda: writer.add([Document("common first first", "d")]),
        lambda: writer.delete(["a", "b"]),
        lambda: writer.compact(),
        lambda: writer.add([Document("common again", "a")]),
        lambda: Index.build([Document("another index", "z")]).save(folder),
    ):
        change()
        assert (found(reader), reader.stats, str(reader.explain(QUERY, "a"))) == before
    assert (found(late_reader), late_reader.stats, str(late_reader.explain(QUERY, "a"))) == before
    assert reader.refresh()
    assert not reader.refresh()
    assert "z" in reader
    assert len(reader) == 1


def test_refreshing_sees_each_commit_once(folder: Path) -> None:
    reader, writer = Index.open(folder), Index.open(folder)
    assert not reader.refresh()
    writer.add([Document("common first", "d")])
    assert "d" not in reader
    assert reader.refresh()
    assert found(reader) == found(writer)
    assert not reader.refresh()
    assert not writer.refresh()
    assert not Index.build(["only in memory"]).refresh()


def test_an_index_removed_and_made_anew_is_taken_up_though_it_counts_from_one_again(
    folder: Path,
) -> None:
    reader, writer = Index.open(folder), Index.open(folder)
    shutil.rmtree(folder)
    Index.build([Document("another index altogether", "new")]).save(folder)
    assert Index.open(folder)._snapshot.generation == reader._snapshot.generation
    assert reader.refresh()
    assert "new" in reader
    # A writer builds on what is there, not on what it remembers.
    writer.add([Document("one more", "more")])
    assert [name in Index.open(folder) for name in ("new", "more", "a")] == [True, True, False]


def test_a_writer_whose_folder_is_gone_says_so_and_can_save_elsewhere(
    folder: Path, tmp_path: Path
) -> None:
    index = Index.open(folder)
    before = found(index)
    shutil.rmtree(folder)
    for change in (lambda: index.delete("a"), index.compact, index.refresh):
        with pytest.raises(IndexNotFoundError, match="there is no index at"):
            change()
    assert found(index) == before
    index.save(tmp_path / "elsewhere")
    assert found(Index.open(tmp_path / "elsewhere")) == before


def test_saving_over_what_another_writer_has_changed_stores_one_whole_state(folder: Path) -> None:
    """Its own deletions file was removed by the other writer, its segment file was not."""
    Index.open(folder).add([Document(f"common {number}", f"n{number}") for number in range(9)])
    Index.open(folder).compact()
    Index.open(folder).delete("b")
    older = Index.open(folder)
    before = found(older)
    Index.open(folder).delete("c")
    assert older._snapshot.segments[0].file in {entry.name for entry in folder.iterdir()}
    older.save(folder)
    assert found(Index.open(folder)) == before
    assert ["c" in Index.open(folder), "b" in Index.open(folder)] == [True, False]


@needs_fork
def test_opening_while_a_writer_commits_as_fast_as_it_can_never_fails(folder: Path) -> None:
    """A manifest's segments may be merged away between reading it and opening them."""

    def work() -> None:
        index = Index.open(folder)
        for number in range(10**6):
            index.add([Document(f"common {number}", f"n{number}")])

    process = fork(work)
    try:
        size = 3
        for _ in range(150):
            index = Index.open(folder)
            # Batches come in order: a state has all of them up to some number.
            assert len(index) >= size
            size = len(index)
            assert {"a", "b", "c"} <= {hit.id for hit in index.search("common third", size, q=1)}
            assert size == 3 or f"n{size - 4}" in index
            assert f"n{size - 3}" not in index
    finally:
        os.kill(process, signal.SIGKILL)
        assert wait(process) == -signal.SIGKILL


@all_paths
@pytest.mark.parametrize("stored", [False, True], ids=["in memory", "stored"])
def test_threads_searching_one_index_get_what_each_would_get_alone(
    path: str, stored: bool, tmp_path: Path
) -> None:
    corpus = ZipfCorpus.from_seed(8, num_docs=1_500, num_queries=24)
    index = Index.build(texts(corpus.documents), analyzer="whitespace")
    if stored:
        index.save(tmp_path / "index")
        index = Index.open(tmp_path / "index")
    queries = texts(corpus.queries)
    settings = [(0.1, 10, 1.5), (1.0, 3, 1.5), (2.0, 10, 0.9), ("auto", 50, 1.5)]
    with searching(path):
        alone = [
            [(hit.id, hit.score) for hit in index.search(text, k, q, k1=k1)]
            for text in queries
            for q, k, k1 in settings
        ]
        start, results = threading.Barrier(4), {}

        def search(thread: int) -> None:
            start.wait()
            # Each thread in its own order, so that they differ in k1 and q at any moment.
            order = [(text, *setting) for text in range(len(queries)) for setting in settings]
            shift = thread * len(order) // 4
            mine = {}
            for text, q, k, k1 in order[shift:] + order[:shift]:
                mine[text, q, k, k1] = [
                    (hit.id, hit.score) for hit in index.search(queries[text], k, q, k1=k1)
                ]
            results[thread] = [mine[key] for key in order]

        threads = [threading.Thread(target=search, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == dict.fromkeys(range(4), alone)


class GivesWay:
    """RSJ, with a comparison that lets another thread search at another q before it answers."""

    def __init__(self, index: Index) -> None:
        self._index, self._comparing = index, False

    def weight(self, doc_freq: float, num_docs: int) -> float:
        return RsjIdf().weight(doc_freq, num_docs)

    def weights(self, doc_freqs: np.ndarray, num_docs: int) -> np.ndarray:
        return RsjIdf().weights(doc_freqs, num_docs)

    def __eq__(self, other: object) -> bool:
        if not self._comparing:
            self._comparing = True
            thread = threading.Thread(target=self._index.scores, args=(QUERY, 2.0))
            thread.start()
            thread.join()
            self._comparing = False
        return other is self

    __hash__ = None


def test_a_search_never_takes_up_the_weights_of_another_threads_formula() -> None:
    index = Index.build(["common first", "common second", "third", "fourth", "fifth"])
    right = index.scores(QUERY, formula=RsjIdf()).tolist()
    formula = GivesWay(index)
    assert [index.scores(QUERY, formula=formula).tolist() for _ in range(4)] == [right] * 4


@all_paths
def test_a_search_in_one_thread_sees_one_state_while_another_thread_changes_it(path: str) -> None:
    """Compacting moves documents to other positions: a hit's id must be of the state ranked."""
    index = Index.build(
        [Document(f"word{number} common", f"word{number}") for number in range(200)]
    )
    stop, wrong = threading.Event(), []

    def search() -> None:
        while not stop.is_set():
            for number in (5, 100, 150, 199):
                for hit in index.search(f"word{number}", 1, q=0.5):
                    if hit.id != f"word{number}":
                        wrong.append((number, hit.id))

    with searching(path):
        threads = [threading.Thread(target=search) for _ in range(2)]
        for thread in threads:
            thread.start()
        for number in range(60):
            if number not in (5, 100, 150, 199):
                index.delete(f"word{number}")
                index.compact()
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_counts_that_were_begun_before_a_change_are_not_kept_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index = Index.build(["one two", "two three"])

    def overtaken(segments: Sequence[Segment]) -> tuple[np.ndarray, np.ndarray]:
        monkeypatch.setattr(index_module, "frequencies", frequencies)
        counted = frequencies(segments)
        index.add(["four four five"])
        return counted

    monkeypatch.setattr(index_module, "frequencies", overtaken)
    assert index.stats == CorpusStats.from_tokens([["one", "two"], ["two", "three"]])
    assert index.stats == Index.build(["one two", "two three", "four four five"]).stats


def test_threads_that_add_to_an_index_in_memory_lose_nothing() -> None:
    index = Index.build([])

    def add(number: int) -> None:
        for part in range(10):
            index.add([Document(f"word{number} part{part}", f"{number}-{part}")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    assert len(index) == 80
    assert [hit.id for hit in index.search("word3 part7", 1, 1.0)] == ["3-7"]


def test_threads_that_change_one_stored_index_wait_for_each_other(folder: Path) -> None:
    index, failures = Index.open(folder), []

    def add(number: int) -> None:
        try:
            index.add([Document(f"common {number}", f"thread-{number}")])
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(f"thread-{number}" in Index.open(folder) for number in range(8))


def test_a_thread_is_told_of_another_thread_not_of_another_process(folder: Path) -> None:
    index, other = Index.open(folder), Index.open(folder)
    told: list[str] = []

    def documents() -> Iterator[Document]:
        def write() -> None:
            with pytest.raises(IndexLockedError) as error:
                other.delete("a")
            told.append(str(error.value))

        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        yield Document("common slow", "slow")

    index.add(documents())
    assert told == [
        f"another thread of this process is writing to {folder}; try again when it is done"
    ]
    other.delete("a")
    assert "slow" in other


@pytest.mark.parametrize("stored", [True, False])
def test_documents_that_change_the_index_they_go_into_are_refused(
    stored: bool, folder: Path
) -> None:
    index = Index.open(folder) if stored else Index.build([Document("common", "a")])

    def documents() -> Iterator[Document]:
        index.delete("a")
        yield Document("common", "b")

    with pytest.raises(InvalidArgumentError, match="while it is being changed"):
        index.add(documents())
    assert "a" in index
    index.delete("a")
    assert "a" not in index


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EIO, errno.ENOSYS])
def test_a_lock_that_cannot_be_had_at_all_is_not_taken_for_another_writer(
    number: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(lock, "_acquire", fail)
    with pytest.raises(StoredIndexError, match="can't be locked") as error:
        Index.open(folder).delete("a")
    assert not isinstance(error.value, IndexLockedError)
    assert os.strerror(number) in str(error.value)
