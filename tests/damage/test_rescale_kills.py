"""A kill or a full disk at any moment of `qidf rescale` loses no index.

After each: unmodified bm25s loads the folder and finds the scores from before or those from after,
whole; qidf knows which; and `--restore` brings back every bit and leaves nothing else behind.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from interruptions import die, fork, interrupted, needs_fork, unflushed, wait
from trials import report

import qidf.cli.commands.rescale
from qidf.engines.bm25s_index import current_q, load, rescale, restore, save

bm25s = pytest.importorskip("bm25s", reason="the bm25s extra is not installed")
pytestmark = needs_fork
# How many kills at random moments are tried; at full size, which is asked for, each step is too.
KILLS = int(os.environ.get("QIDF_KILLS", "20"))
STRIDE = 1 if "QIDF_KILLS" in os.environ else 3
TEXTS = [f"func handler{number} serves the route{number % 7} with auth" for number in range(60)]
# bm25+ keeps two arrays of scores, which have to change as one.
METHODS = ["lucene", "bm25+"]
CHANGES: dict[str, tuple[float, float]] = {
    "rescale": (1.0, 0.5),
    "rescale again": (0.5, 0.2),
    "restore": (0.5, 1.0),
}
CALLS = ("fsync", "replace", "unlink", "link", "symlink", "mkdir", "rmdir")
Bits = tuple[bytes, bytes | None]


def command(folder: Path, q: float) -> Any:
    """Run `qidf rescale` as the command line does."""
    options = ["--restore"] if q == 1.0 else ["--q", str(q)]
    return CliRunner().invoke(qidf.cli.commands.rescale.command, [str(folder), *options])


def bits(retriever: Any) -> Bits:
    absent = retriever.nonoccurrence_array
    return np.array(
        retriever.scores["data"]
    ).tobytes(), None if absent is None else absent.tobytes()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Indexes:
    """A folder at each q, as unkilled commands leave it, and what bm25s finds there."""

    def __init__(self, folder: Path, method: str) -> None:
        self.folders: dict[float, Path] = {}
        self.bits: dict[float, Bits] = {}
        plain = folder / "1.0"
        retriever = bm25s.BM25(method=method, idf_method="lucene")
        retriever.index(bm25s.tokenize(TEXTS, show_progress=False), show_progress=False)
        retriever.save(plain, show_progress=False)
        for q in (1.0, 0.5, 0.2):
            copy = folder / str(q)
            if q != 1.0:
                shutil.copytree(plain, copy)
                assert command(copy, q).exit_code == 0
            self.folders[q] = copy
            self.bits[q] = bits(bm25s.BM25.load(copy))
        assert len(set(self.bits.values())) == 3

    def check(self, folder: Path, *possible: float) -> float:
        """Which of these the folder holds; and that all the way back is open."""
        found = bits(bm25s.BM25.load(folder))
        (q,) = [each for each in possible if self.bits[each] == found]
        loaded = load(folder)
        assert current_q(loaded) == q
        restore(loaded)
        assert bits(loaded) == self.bits[1.0]
        result = command(folder, 1.0)
        assert result.exit_code == 0, result.output
        assert contents(folder) == contents(self.folders[1.0])
        return q


@pytest.fixture(scope="module", params=METHODS)
def indexes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Indexes:
    return Indexes(tmp_path_factory.mktemp("rescale"), request.param)


def steps_of(indexes: Indexes, change: str, folder: Path) -> list[str]:
    before, after = CHANGES[change]
    shutil.copytree(indexes.folders[before], folder)
    with interrupted(None, lambda name: None, CALLS) as steps:
        assert command(folder, after).exit_code == 0
    assert bits(bm25s.BM25.load(folder)) == indexes.bits[after]
    return steps.names


@pytest.mark.parametrize("change", CHANGES)
def test_a_kill_at_any_step_loses_nothing(change: str, indexes: Indexes, tmp_path: Path) -> None:
    before, after = CHANGES[change]
    found = []
    for step in range(1, len(steps_of(indexes, change, tmp_path / "counted")) + 1, STRIDE):
        folder = tmp_path / str(step)
        shutil.copytree(indexes.folders[before], folder)

        def work(folder: Path = folder, step: int = step) -> None:
            with interrupted(step, die, CALLS):
                command(folder, after)

        assert wait(fork(work)) == -signal.SIGKILL
        found.append(indexes.check(folder, before, after))
    # Those from before until one step, those from after from then on.
    assert found == sorted(found, key=[before, after].index)
    assert {*found} == {before, after}
    report(f"{change}, a kill at each step", Counter(map(str, found)))


def test_kills_at_random_moments_lose_nothing(indexes: Indexes, tmp_path: Path) -> None:
    moments, found = random.Random(7), Counter[str]()
    for turn in range(KILLS // len(METHODS)):
        folder = tmp_path / str(turn)
        shutil.copytree(indexes.folders[1.0], folder)
        reading, writing = os.pipe()

        def work(folder: Path = folder, pipe: int = writing) -> None:
            os.write(pipe, b".")
            while True:
                for q in (0.5, 0.2, 1.0):
                    command(folder, q)

        process = fork(work)
        assert os.read(reading, 1) == b"."
        time.sleep(moments.uniform(0, 0.3))
        os.kill(process, signal.SIGKILL)
        assert wait(process) == -signal.SIGKILL
        os.close(reading)
        os.close(writing)
        found[str(indexes.check(folder, 1.0, 0.5, 0.2))] += 1
        shutil.rmtree(folder)
    report("kills at random", found)


def disk_full(step: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("change", CHANGES)
def test_a_full_disk_at_any_step_loses_nothing(
    change: str, indexes: Indexes, tmp_path: Path
) -> None:
    before, after = CHANGES[change]
    names = steps_of(indexes, change, tmp_path / "counted")
    for step in range(1, len(names) + 1, STRIDE):
        folder = tmp_path / str(step)
        shutil.copytree(indexes.folders[before], folder)
        listed = {path.name for path in folder.iterdir()}
        with interrupted(step, disk_full, CALLS) as steps:
            result = command(folder, after)
        if steps.names[step - 1] == "write":
            assert isinstance(result.exception, OSError)
            assert str(folder) in str(result.exception)
        if bits(bm25s.BM25.load(folder)) == indexes.bits[before] and result.exit_code:
            left = {path.name for path in folder.iterdir()} - listed
            assert not [
                name for name in left if not name.startswith(("qidf.json", "qidf.original"))
            ]
        indexes.check(folder, before, after)


@pytest.mark.parametrize("size", [0, 100, 300, 1000])
def test_a_real_limit_on_the_size_of_files_loses_nothing(
    size: int, indexes: Indexes, tmp_path: Path
) -> None:
    folder = tmp_path / "limited"
    shutil.copytree(indexes.folders[0.5], folder)

    def work() -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        for q in (0.2, 1.0):
            result = command(folder, q)
            assert isinstance(result.exception, OSError)
            assert str(folder) in str(result.exception)

    assert wait(fork(work)) == 0
    assert contents(folder) == contents(indexes.folders[0.5])
    indexes.check(folder, 0.5)


def test_an_interrupt_loses_nothing(indexes: Indexes, tmp_path: Path) -> None:
    def interrupt(step: str) -> None:
        raise KeyboardInterrupt

    for step in range(1, len(steps_of(indexes, "rescale", tmp_path / "counted")) + 1, STRIDE):
        folder = tmp_path / str(step)
        shutil.copytree(indexes.folders[1.0], folder)
        with interrupted(step, interrupt, CALLS):
            command(folder, 0.5)
        indexes.check(folder, 1.0, 0.5)


@pytest.mark.parametrize("q", [1.0, 0.3])
def test_a_kill_while_another_index_is_saved_over_it_loses_neither(
    q: float, indexes: Indexes, tmp_path: Path
) -> None:
    """All of bm25s's files change then, not the scores alone."""
    other = bm25s.BM25()
    texts = ["quite another text", "and more"]
    other.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    plain = bits(other)
    rescale(other, q)
    new = bits(other)

    def steps(folder: Path, stop_at: int | None, action: Callable[[str], None]) -> int:
        shutil.copytree(indexes.folders[0.5], folder)
        with unflushed(), interrupted(stop_at, action, CALLS) as counted:
            save(other, folder, show_progress=False)
        return len(counted.names)

    found = []
    for step in range(1, steps(tmp_path / "counted", None, lambda name: None) + 1, STRIDE):
        folder = tmp_path / str(step)
        assert wait(fork(lambda folder=folder, step=step: steps(folder, step, die))) < 0
        loaded = bm25s.BM25.load(folder)
        found.append(bits(loaded) == new)
        if not found[-1]:
            indexes.check(folder, 0.5)
            continue
        assert loaded.get_scores(["another"]).tolist() == other.get_scores(["another"]).tolist()
        again = load(folder)
        assert current_q(again) == q
        restore(again)
        assert bits(again) == plain
    assert found == sorted(found)
    assert {*found} == {True, False}


def test_two_at_once_are_told_of_each_other(indexes: Indexes, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    shutil.copytree(indexes.folders[1.0], folder)
    told: list[str] = []

    def meanwhile(step: str) -> None:
        told.append(str(command(folder, 0.2).exception))

    with interrupted(6, meanwhile, CALLS):
        assert command(folder, 0.5).exit_code == 0
    assert told == [f"somebody else is writing to {folder}; try again when they are done."]
    indexes.check(folder, 0.5)
