"""A commit that fails, on a full disk or otherwise, leaves the old state on disk and in hand."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from interruptions import count_steps, fork, interrupted, wait

from qidf.index import Document, Index
from qidf.index.container import Container

Change = Callable[[Index], object]
CHANGES: dict[str, Change] = {
    "add": lambda index: index.add([Document("a fourth text", "d"), Document("fifth", "e")]),
    "add and merge": lambda index: index.add([Document(f"text {n}", f"n{n}") for n in range(9)]),
    "replace": lambda index: index.add([Document("second thoughts", "b")], replace=True),
    "delete": lambda index: index.delete("a"),
    "delete and rewrite": lambda index: index.delete(["a", "c"]),
    "compact": lambda index: index.compact(),
    "save": lambda index: index.save(index.path or ""),
}


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """Two segments, one of them with a deletion."""
    folder = tmp_path / "original"
    Index.build(
        [Document("some first text", "a"), Document("a second text", "b"),
         Document("third and last text", "c"), Document("soon gone", "x")]
    ).save(folder)  # fmt: skip
    index = Index.open(folder)
    index.delete("x")
    index.add([Document("one more text", "y")])
    assert [segment.deletions is not None for segment in index._ranker.segments] == [True, False]
    return folder


def contents(index: Index) -> list[object]:
    """All there is to know about an index: its counts, and each document's scores and metadata."""
    queries = ("first second third fourth fifth", "text thoughts one", "more gone")
    positions = [index.position(name) for name in "abcdexy" if name in index]
    return [
        len(index),
        index.stats,
        [(name, index.metadata(name)) for name in index.ids(positions)],
        [index.scores(query, 1)[positions].tobytes() for query in queries],
    ]


def copy_of(original: Path, name: str) -> Path:
    folder = original.with_name(name)
    shutil.copytree(original, folder)
    return folder


def disk_full(step: str) -> None:
    raise OSError(errno.ENOSPC, f"failing at {step}")


@pytest.mark.parametrize("name", CHANGES)
def test_an_error_at_any_step_leaves_the_old_state_or_the_new(name: str, original: Path) -> None:
    change = CHANGES[name]
    old = contents(Index.open(original))
    counted = Index.open(copy_of(original, "counted"))
    num_steps = count_steps(lambda: change(counted))
    new = contents(counted)
    for step in range(1, num_steps + 1):
        index = Index.open(copy_of(original, f"{step}"))
        folder = index.path
        assert folder is not None
        failed = False
        with interrupted(step, disk_full) as steps:
            try:
                change(index)
            except OSError:
                failed = True
        # Replacing the manifest is the commit: the old state stands before it, the new after it.
        replaced = "replace" in steps.names and steps.names[step - 1] != "replace"
        # Removing files that are no longer needed may fail without the commit failing.
        assert failed or steps.names[step - 1] == "unlink"
        assert contents(index) == (old if failed else new)
        assert contents(Index.open(folder)) == (new if replaced else old)
        for path in folder.glob("*.qidf"):
            Container(path).verify_all()
        # With the disk well again, the same holder goes on as if nothing had happened.
        index.refresh()
        if not replaced:
            change(index)
        assert contents(index) == contents(Index.open(folder)) == new


@pytest.mark.parametrize("name", CHANGES)
def test_a_full_disk_is_not_filled_further_and_the_file_is_named(name: str, original: Path) -> None:
    """Whatever write, flush or renaming fails before the commit, no new file is left of it."""
    change = CHANGES[name]
    before = {entry.name for entry in original.iterdir()}
    num_steps = count_steps(lambda: change(Index.open(copy_of(original, "counted"))))
    for step in range(1, num_steps + 1):
        folder = copy_of(original, f"full-{step}")
        with interrupted(step, disk_full) as steps:
            try:
                change(Index.open(folder))
            except OSError as error:
                failed: OSError | None = error
            else:
                failed = None
        if "replace" in steps.names[: step - 1]:
            break
        assert failed is not None
        assert str(folder) in str(failed) or steps.names[step - 1] in ("open", "unlink", "replace")
        assert {entry.name for entry in folder.iterdir()} == before
    else:
        pytest.fail("no step was after the commit")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits a forked process")
def test_a_real_limit_on_the_size_of_files_names_the_file(original: Path) -> None:
    before = {entry.name for entry in original.iterdir()}

    def work() -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
        with pytest.raises(OSError, match=r"original/segment-\w+\.qidf"):
            Index.open(original).add([Document("a fourth text", "d")])

    assert wait(fork(work)) == 0
    assert {entry.name for entry in original.iterdir()} == before


def test_saving_that_fails_leaves_an_index_in_memory_where_it_was(tmp_path: Path) -> None:
    index = Index.build(["some text", "more text"])
    num_steps = count_steps(lambda: Index.build(["text"]).save(tmp_path / "counted"))
    for step in range(1, num_steps + 1):
        folder = tmp_path / f"{step}"
        with interrupted(step, disk_full), pytest.raises(OSError, match="failing"):
            index.save(folder)
        assert index.path is None
        assert [hit.id for hit in index.search("more", q=1)] == [1]
        index.save(folder)
        assert [hit.id for hit in Index.open(folder).search("more", q=1)] == [1]
        index = Index.build(["some text", "more text"])
