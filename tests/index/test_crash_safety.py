"""A kill at any point of a commit leaves the last commit readable, and nothing in between."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from interruptions import FSYNC, count_steps, die, flushed, fork, interrupted, needs_fork, wait

from qidf.index import Document, Index
from qidf.index.container import Container

pytestmark = needs_fork
State = dict[str, str]


def batch(number: int) -> State:
    return {f"{number}-{place}": f"batch{number} word{place} common" for place in range(3)}


def state_after(number: int) -> State:
    """What commits 0 to `number` leave: batches, with every third commit a deletion."""
    held: State = {}
    for done in range(number + 1):
        if done % 6 == 2:
            del held[f"{done - 2}-0"], held[f"{done - 1}-2"]
        elif done % 6 != 5:
            held.update(batch(done))
    return held


def commit(index: Index, number: int) -> None:
    """Commit a batch, a deletion or a compaction, depending on the number."""
    if number % 6 == 2:
        index.delete([f"{number - 2}-0", f"{number - 1}-2"])
    elif number % 6 == 5:
        index.compact()
    else:
        index.add([Document(text, name) for name, text in batch(number).items()])


def start(folder: Path, last: int = 0) -> Index:
    index = Index.build([Document(text, name) for name, text in batch(0).items()])
    index.save(folder)
    for number in range(1, last + 1):
        commit(index, number)
    return index


def check(folder: Path, *states: State) -> int:
    """Read everything there is; return which of the states it is."""
    index = Index.open(folder)
    for path in folder.glob("*.qidf"):
        if path.name in {
            name
            for stored in index._snapshot.segments
            for name in (stored.file, stored.deletions_file)
        }:
            Container(path).verify_all()
    found = {str(hit.id) for hit in index.search("common", k=10**6, q=1)}
    number = [set(state) for state in states].index(found)
    state = states[number]
    assert len(index) == len(state)
    fresh = Index.build([Document(text, name) for name, text in state.items()])
    assert index.stats == fresh.stats
    for query in ("batch0 word1", "batch3 word2 word0", "common"):
        positions = [index.position(name) for name in state]
        assert index.scores(query)[positions].tobytes() == fresh.scores(query).tobytes()
    return number


def test_killing_writers_at_random_moments_loses_no_commit(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    start(folder)
    last, moments = 0, random.Random(5)
    for turn in range(20):
        reading, writing = os.pipe()

        def work(first: int = last + 1, pipe: int = writing) -> None:
            index = Index.open(folder)
            with flushed():
                for number in range(first, first + 500):
                    commit(index, number)
                    os.write(pipe, b".")

        process = fork(work)
        os.close(writing)
        # Every full stop is a commit that has returned. In every other turn there is one before
        # the kill, however slow the machine.
        acknowledged = last + (len(os.read(reading, 1)) if turn % 2 else 0)
        time.sleep(moments.uniform(0.0, 0.08))
        os.kill(process, signal.SIGKILL)
        assert wait(process) == -signal.SIGKILL
        while os.read(reading, 1):
            acknowledged += 1
        os.close(reading)
        states = state_after(acknowledged), state_after(acknowledged + 1)
        last = acknowledged + check(folder, *states)
    assert last >= 10
    commit(Index.open(folder), last + 1)
    check(folder, state_after(last + 1))


def steps_of(folder: Path, number: int) -> int:
    copy = folder.with_name("counted")
    shutil.copytree(folder, copy)
    steps = count_steps(lambda: commit(Index.open(copy), number))
    shutil.rmtree(copy)
    return steps


@pytest.mark.parametrize(
    ("what", "number"), [("an addition", 3), ("a merging addition", 1), ("a deletion", 2),
                         ("a deletion of half", 8), ("a compaction", 5)]
)  # fmt: skip
def test_a_kill_at_any_step_of_a_commit_leaves_the_one_before_or_itself(
    what: str, number: int, tmp_path: Path
) -> None:
    original = tmp_path / "original"
    before = start(original, number - 1)._snapshot.generation
    outcomes = []
    for step in range(1, steps_of(original, number) + 1):
        folder = tmp_path / f"{step}"
        shutil.copytree(original, folder)

        def work(folder: Path = folder, step: int = step) -> None:
            with interrupted(step, die):
                commit(Index.open(folder), number)

        assert wait(fork(work)) == -signal.SIGKILL
        outcomes.append(Index.open(folder)._snapshot.generation - before)
        check(folder, state_after(number - 1 + outcomes[-1]))
        # The next writer finds the lock free and clears away what the dead one left.
        if outcomes[-1] == 0:
            commit(Index.open(folder), number)
        commit(Index.open(folder), number + 1)
        check(folder, state_after(number + 1))
        names = {entry.name for entry in folder.iterdir()} - {"manifest.json", "write.lock"}
        stored = Index.open(folder)._snapshot.segments
        assert names == {
            name for one in stored for name in (one.file, one.deletions_file) if name is not None
        }
    # Old until the manifest is replaced, new from then on.
    assert outcomes == sorted(outcomes)
    assert outcomes[0] == 0
    assert outcomes[-1] == 1


@pytest.mark.parametrize("target", ["a new folder", "an older state", "another index", "itself"])
def test_a_kill_at_any_step_of_saving_leaves_what_was_there_or_what_was_saved(
    target: str, tmp_path: Path
) -> None:
    index = start(tmp_path / "mine", 4)
    before: State | None = None
    original = tmp_path / "original"
    if target == "an older state":
        start(original, 2)
        before = state_after(2)
    elif target == "another index":
        before = {"other-1": "batch0 common other", "other-2": "batch3 common word2 other"}
        Index.build([Document(text, name) for name, text in before.items()]).save(original)
    elif target == "itself":
        index.save(original)
        before = state_after(4)

    def save(folder: Path) -> Callable[[], None]:
        return lambda: (Index.open(folder) if target == "itself" else index).save(folder)

    def copied(name: str) -> Path:
        folder = tmp_path / name
        if original.exists():
            shutil.copytree(original, folder)
        return folder

    for step in range(1, count_steps(save(copied("counted"))) + 1):
        folder = copied(f"{step}")

        def work(folder: Path = folder, step: int = step) -> None:
            with interrupted(step, die):
                save(folder)()

        assert wait(fork(work)) == -signal.SIGKILL
        if before is not None:
            check(folder, before, state_after(4))
        elif (folder / "manifest.json").exists():
            check(folder, state_after(4))
        save(folder)()
        check(folder, state_after(4))


def test_every_file_is_on_disk_before_the_manifest_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut may come at any time, and keeps only what was flushed."""
    folder = tmp_path / "index"
    index = start(folder, 1)
    events: list[object] = []
    replace = os.replace

    def note_flush(handle: int) -> None:
        FSYNC(handle)
        events.append(os.fstat(handle).st_ino)

    def note_replacement(source: Path, target: Path) -> None:
        events.append(("replace", os.stat(source).st_ino))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", note_flush)
    monkeypatch.setattr(os, "replace", note_replacement)
    for number in range(2, 7):
        events.clear()
        earlier = {entry.name for entry in folder.iterdir()}
        commit(index, number)
        (at,) = [place for place, event in enumerate(events) if isinstance(event, tuple)]
        flushed = set(events[:at])
        new = {entry.stat().st_ino for entry in folder.glob("*.qidf") if entry.name not in earlier}
        assert new <= flushed
        assert folder.stat().st_ino in flushed
        assert events[at] == ("replace", (folder / "manifest.json").stat().st_ino)
        assert (folder / "manifest.json").stat().st_ino in flushed
        assert folder.stat().st_ino in events[at:]
