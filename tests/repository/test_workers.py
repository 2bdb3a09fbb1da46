"""Worker processes: the same chunks as without, whatever becomes of the workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from projects import write

from qidf.repository import Repository, workers
from qidf.repository.cutting import Cut, Cutter, Wanted, pack, unpack
from qidf.repository.reading import VANISHED, Source
from qidf.repository.workers import cut_files

FIXTURES = Path(__file__).parents[1] / "syntax" / "fixtures"
CUTTER = Cutter(FIXTURES, 4_000_000, parse=True)


@pytest.fixture
def files() -> list[Wanted]:
    """Files of every language, twice over so that there is something to share."""
    return [(path.name, None) for path in sorted(FIXTURES.iterdir())] * 2


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Workers for the least work, on a machine of three processors; those that were started."""
    monkeypatch.setattr(workers, "WORTH_WORKERS_BYTES", 1)
    monkeypatch.setattr(workers, "num_threads", lambda: 3)
    started: list[subprocess.Popen[bytes]] = []
    original = workers._started

    def spy() -> subprocess.Popen[bytes] | None:
        process = original()
        if process is not None:
            started.append(process)
        return process

    monkeypatch.setattr(workers, "_started", spy)
    return started


def cut_by_crew(cutter: Cutter, files: list[Wanted]) -> list[Cut]:
    return [plain(each) for task in cut_files(cutter, files) for each in task]


def cut_alone(cutter: Cutter, files: list[Wanted]) -> list[Cut]:
    return [plain(each) for each in cutter.cut(files)]


def plain(cut: Cut) -> Cut:
    """Without the whole text, which isn't passed between processes."""
    source, chunked = cut
    return Source(source.stamp, source.digest, reason=source.reason), chunked


def wait_until_gone(pid: int) -> None:
    """Fail unless a process that is nobody's child any more ends."""
    for _ in range(600):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return
        except OSError:
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} goes on")


def test_workers_and_this_process_cut_alike(
    files: list[Wanted], crew: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = cut_alone(CUTTER, files)
    # With this process kept from cutting, all of it is theirs.
    monkeypatch.setattr(Cutter, "cut", None)
    monkeypatch.setattr(workers, "_TASKS_AHEAD", len(files))

    def wait_for_all() -> None:
        waiting = crew_of_call[0]
        with waiting._changed:
            waiting._changed.wait_for(lambda: len(waiting._done) == len(waiting._tasks), 120)

    crew_of_call: list[workers._Crew] = []
    original = workers._Crew.__init__

    def remembered(self: workers._Crew, *given: object) -> None:
        crew_of_call.append(self)
        original(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(workers._Crew, "__init__", remembered)
    found = [plain(each) for task in cut_files(CUTTER, files, wait_for_all) for each in task]
    assert found == expected
    assert len(crew) == 2


def test_what_is_packed_is_unpacked(files: list[Wanted]) -> None:
    for each in CUTTER.cut(files[:10]):
        assert unpack(pack(each)) == plain(each)


def test_odd_files_are_told_apart_by_workers_too(
    tmp_path: Path, crew: list[subprocess.Popen[bytes]]
) -> None:
    odd = {
        "broken.py": b"def caf\xe9():\n    '\xff\xfe'\n",
        "wide.py": "def größe(): pass\n".encode("utf-16"),
        "binary.py": b"\0\1\2",
        "empty.py": b"",
        "huge.py": b"x = 1\n" * 1000,
        "große Datei.md": "# Überschrift\n".encode(),
    }
    for name, data in odd.items():
        (tmp_path / name).write_bytes(data)
    same = Cutter(tmp_path, 4000, parse=True).cut([("wide.py", None)])[0][0].digest
    files: list[Wanted] = [(name, None) for name in odd] + [("gone.py", None), ("wide.py", same)]
    for parse in (True, False):
        cutter = Cutter(tmp_path, 4000, parse)
        assert cut_by_crew(cutter, files * 5) == cut_alone(cutter, files * 5)
    assert cut_by_crew(cutter, files)[-2][0].reason == VANISHED
    assert cut_by_crew(cutter, files)[-1][1] is None


def test_an_index_made_with_workers_is_the_same_to_the_byte(
    project: Path, tmp_path: Path, crew: list[subprocess.Popen[bytes]]
) -> None:
    for path in FIXTURES.iterdir():
        write(project, {f"all/{path.name}": path.read_text(encoding="utf-8")})
    with_workers = Repository.open(project, directory=tmp_path / "with")
    with_workers.refresh()
    assert crew
    crew.clear()
    with pytest.MonkeyPatch.context() as alone:
        alone.setattr(workers, "num_threads", lambda: 1)
        without = Repository.open(project, directory=tmp_path / "without")
        without.refresh()
    assert not crew
    assert list(with_workers.files) == list(without.files)
    first, second = (each._store.snapshot for each in (with_workers, without))
    assert first is not None
    assert second is not None
    for one, other in zip(first.segments, second.segments, strict=True):
        ours, theirs = one.segment, other.segment
        for name in ("starts", "docs", "tfs", "lengths"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        assert ours.terms.tokens() == theirs.terms.tokens()
        assert ours.ids.listed() == theirs.ids.listed()
        assert [ours.metadata[doc] for doc in range(ours.size)] == [
            theirs.metadata[doc] for doc in range(theirs.size)
        ]


def test_a_change_of_one_file_starts_no_worker(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "num_threads", lambda: 8)
    repository = Repository.open(project)
    repository.refresh()
    monkeypatch.setattr(workers, "_started", lambda: pytest.fail("a worker was started"))
    write(project, {"late.py": "def late(): pass\n"})
    assert repository.refresh().indexed == 1


def test_tasks_of_a_worker_that_dies_are_done_by_others(
    files: list[Wanted], crew: list[subprocess.Popen[bytes]]
) -> None:
    found: list[Cut] = []
    for task in cut_files(CUTTER, files):
        found.extend(map(plain, task))
        for process in crew:
            process.kill()
    assert found == cut_alone(CUTTER, files)


@pytest.mark.parametrize(
    "broken", ["raise SystemExit", "print('no message' * 9999)", "import time; time.sleep(0.2)"]
)
def test_workers_that_cannot_start_are_done_without(
    files: list[Wanted],
    crew: list[subprocess.Popen[bytes]],
    broken: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "_COMMAND", broken)
    assert cut_by_crew(CUTTER, files) == cut_alone(CUTTER, files)
    monkeypatch.setattr(sys, "executable", str(FIXTURES / "python"))
    assert cut_by_crew(CUTTER, files) == cut_alone(CUTTER, files)


def test_what_is_printed_while_python_starts_is_passed_over(
    files: list[Wanted], crew: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_COMMAND", f"print('welcome'); {workers._COMMAND}")
    assert cut_by_crew(CUTTER, files) == cut_alone(CUTTER, files)


def test_a_program_that_only_embeds_python_is_not_started_again(
    files: list[Wanted], crew: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/bin/editor")
    assert cut_by_crew(CUTTER, files) == cut_alone(CUTTER, files)
    assert crew == []


def test_an_error_in_a_file_is_raised_as_without_workers(
    tmp_path: Path, crew: list[subprocess.Popen[bytes]]
) -> None:
    write(tmp_path, {f"{number}.py": "x = 1\n" for number in range(40)})
    files: list[Wanted] = [(f"{number}.py", None) for number in range(40)]
    with pytest.raises(ValueError, match="null byte"):
        cut_by_crew(Cutter(tmp_path, 4000, parse=True), [*files, ("\0", None), *files])
    assert all(process.poll() is not None for process in crew)


def test_an_interrupt_stops_the_workers(project: Path, crew: list[subprocess.Popen[bytes]]) -> None:
    def interrupted(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Repository.open(project).refresh(interrupted)
    assert crew
    assert all(process.poll() is not None for process in crew)


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_the_process_that_started_it(
    tmp_path: Path, how: signal.Signals
) -> None:
    # Without a guard: a worker doesn't run the script again.
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, time\n"
        "from pathlib import Path\n"
        "from qidf.repository import workers\n"
        "from qidf.repository.cutting import Cutter\n"
        "workers.WORTH_WORKERS_BYTES, workers.num_threads = 1, lambda: 3\n"
        f"root = Path({str(FIXTURES)!r})\n"
        "files = [(path.name, None) for path in root.iterdir()] * 50\n"
        "started, original = [], workers._started\n"
        "workers._started = lambda: started.append(original()) or started[-1]\n"
        "for _ in workers.cut_files(Cutter(root, 4_000_000, True), files):\n"
        "    print(*(process.pid for process in started), flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()]
        assert len(pids) == 2
        assert all(os.path.exists(f"/proc/{pid}") for pid in pids)
        process.send_signal(how)
        process.wait(60)
        for pid in pids:
            wait_until_gone(pid)
        assert process.stdout.read() == ""


def test_files_of_the_folder_one_stands_in_are_not_imported(
    files: list[Wanted],
    crew: list[subprocess.Popen[bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w')\n"
    write(tmp_path, {f"{name}.py": trap for name in ("pickle", "gc", "qidf", "tree_sitter")})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for process_files in (files, files[:3]):
        assert cut_by_crew(CUTTER, process_files) == cut_alone(CUTTER, process_files)
    for process in crew:
        process.wait(60)
    assert not (tmp_path / "sprung").exists()
