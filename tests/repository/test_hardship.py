"""What happens to real machines: kills, full disks, damage, crowds, giants."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from projects import write

from qidf.index.lock import write_lock
from qidf.repository import CodeHit, Repository
from qidf.repository.roots import cache_directory


def forked(work: Callable[[], object], cramped: bool = False) -> tuple[int, str]:
    """Do something in a process of its own; how it ended, and what it wrote to its stdout."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            os.dup2(writing, 1)
            if cramped:
                # Files may not grow past this many bytes: writing fails as on a full disk.
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
            work()
            status = 0
        except BaseException as error:
            os.write(writing, repr(error).encode())
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as output:
        told = output.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), told


def tell(*words: object) -> None:
    """Write to stdout as it is now; pytest has replaced Python's."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def assert_as_good_as_new(project: Path) -> None:
    """The stored index answers as one that is built from nothing."""
    kept = Repository.open(project)
    hits = kept.search("upgrade token rows", 20)
    fresh = Repository.open(project, directory=project.parent / "fresh")
    assert hits == fresh.search("upgrade token rows", 20)
    assert kept.index.stats == fresh.index.stats
    assert kept.directory is not None


def test_two_processes_at_once_both_answer_and_one_index_remains(project: Path) -> None:
    code = (
        "from qidf.repository import Repository\n"
        "print(Repository.open('.').search('handleWebSocketUpgrade')[0].location)"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code], cwd=project, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in processes:
        output, _ = process.communicate(timeout=120)
        assert (process.returncode, output) == (0, "src/upgrade.go:1-6\n")
    assert_as_good_as_new(project)


def test_a_process_waits_for_one_that_is_indexing_and_says_so(project: Path) -> None:
    directory = cache_directory(project.resolve())
    directory.mkdir(parents=True)
    told = threading.Event()
    waiting = Repository.open(project, notify=lambda sentence: told.set())
    found: list[CodeHit] = []
    thread = threading.Thread(target=lambda: found.extend(waiting.search("upgrade")))
    with write_lock(directory):
        thread.start()
        assert told.wait(60)
        assert found == []
    thread.join(60)
    assert found
    assert waiting.notices == ["Waiting for another qidf that is indexing this repository."]


@pytest.mark.parametrize(
    "moment",
    [
        "qidf.repository.cutting.read_source",
        "qidf.repository.store.build_segment",
        "qidf.index.directory._store",
        "qidf.index.directory._encoded",
        "qidf.repository.store.write_state",
        "qidf.repository.state.write_container",
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["first index", "a later refresh"])
def test_a_kill_at_any_moment_leaves_a_good_index(project: Path, moment: str, first: bool) -> None:
    if not first:
        Repository.open(project).refresh()
        write(project, {"late.py": "def upgrade_rows(): pass\n", "README.md": "# Token\n"})
    module, _, name = moment.rpartition(".")

    def die() -> None:
        def kill(*_: object, **__: object) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(import_module(module), name, kill)
        Repository.open(project).refresh()

    assert forked(die)[0] == -signal.SIGKILL
    assert_as_good_as_new(project)
    assert Repository.open(project).notices == []


def test_a_full_disk_is_told_and_the_search_goes_on(project: Path) -> None:
    def search() -> None:
        repository = Repository.open(project, notify=tell)
        tell(repository.search("handleWebSocketUpgrade")[0].location, repository.directory)

    status, output = forked(search, cramped=True)
    assert status == 0, output
    assert "can't be stored" in output
    assert "kept in memory" in output
    assert output.strip().split("\n")[-1] == "src/upgrade.go:1-6 None"
    assert_as_good_as_new(project)


def test_a_disk_that_fills_up_later_keeps_the_last_state(project: Path) -> None:
    Repository.open(project).refresh()
    write(project, {"late.py": "def latecomer(): pass\n"})

    def search() -> None:
        tell(Repository.open(project, notify=tell).search("latecomer")[0].location)

    status, output = forked(search, cramped=True)
    assert status == 0, output
    assert "kept in memory" in output
    assert output.strip().split("\n")[-1] == "late.py:1-1"
    assert_as_good_as_new(project)


def test_a_cache_that_cannot_be_made_means_memory(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    repository = Repository.open(project)
    assert repository.search("handleWebSocketUpgrade")[0].path == "src/upgrade.go"
    assert repository.directory is None
    (notice,) = repository.notices
    assert "kept in memory for this run" in notice
    write(project, {"late.py": "def latecomer(): pass\n"})
    assert repository.search("latecomer")[0].path == "late.py"
    assert len(repository.notices) == 1


def heed_permissions() -> None:
    """Give up root's right to pass over permissions, in this process, where it has it."""
    if os.geteuid() != 0:
        return
    # capabilities(7): version 3 takes two sets of three masks; bits 1 and 2 are the rights to
    # write and to read in spite of permissions.
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    masks = (ctypes.c_uint32 * 6)()
    library = ctypes.CDLL(None, use_errno=True)
    if library.capget(header, masks):
        raise OSError(ctypes.get_errno(), "capget")
    masks[0] &= ~0b110
    if library.capset(header, masks):
        raise OSError(ctypes.get_errno(), "capset")


@pytest.mark.skipif(
    os.geteuid() == 0 and not sys.platform.startswith("linux"), reason="root may write anywhere"
)
def test_a_read_only_cache_is_read_and_changes_stay_in_memory(project: Path, cache: Path) -> None:
    Repository.open(project).refresh()
    folders = [cache, *(each for each in cache.rglob("*") if each.is_dir())]
    write(project, {"late.py": "def latecomer(): pass\n"})

    def search() -> None:
        heed_permissions()
        with pytest.raises(PermissionError):
            (cache / "file").write_text("")
        repository = Repository.open(project, notify=tell)
        tell(repository.search("latecomer")[0].location, repository.directory)

    try:
        for folder in folders:
            folder.chmod(0o500)
        status, output = forked(search)
    finally:
        for folder in folders:
            folder.chmod(0o700)
    assert status == 0, output
    assert "kept in memory" in output
    assert output.strip().split("\n")[-1] == "late.py:1-1 None"
    assert_as_good_as_new(project)


def stored_files(project: Path) -> list[Path]:
    directory = cache_directory(project.resolve())
    return sorted(path for path in directory.rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", ["flipped", "truncated", "emptied", "garbage", "gone", "folder"])
def test_a_damaged_cache_is_built_anew(project: Path, damage: str) -> None:
    Repository.open(project).refresh()
    names = [path.name for path in stored_files(project) if not path.name.endswith(".lock")]
    assert len(names) >= 4
    for name in names:
        Repository.open(project).refresh()
        path = next(each for each in stored_files(project) if _alike(each.name, name))
        data = bytearray(path.read_bytes())
        if damage == "flipped":
            for at in range(0, len(data), 64):
                data[at] ^= 0xFF
        elif damage == "truncated":
            del data[len(data) // 2 :]
        elif damage == "emptied":
            data.clear()
        elif damage == "garbage":
            data = bytearray(b"[1, 2" * 100)
        path.unlink()
        if damage == "folder":
            path.mkdir()
        elif damage != "gone":
            path.write_bytes(data)
        repository = Repository.open(project)
        hits = repository.search("handleWebSocketUpgrade")
        assert [hit.location for hit in hits][:1] == ["src/upgrade.go:1-6"], name
        if damage == "folder":
            path.rmdir()
    assert_as_good_as_new(project)


def _alike(name: str, other: str) -> bool:
    """Whether two files have one task; segments and states get new names every time."""
    return name.partition("-")[0] == other.partition("-")[0]


def test_damage_to_the_index_is_told(project: Path) -> None:
    Repository.open(project).refresh()
    (segment,) = [path for path in stored_files(project) if path.name.startswith("segment-")]
    data = bytearray(segment.read_bytes())
    data[-2000:] = bytes(2000)
    segment.write_bytes(data)
    repository = Repository.open(project)
    assert repository.search("handleWebSocketUpgrade")
    assert any("damaged and is built anew" in notice for notice in repository.notices)


def test_a_file_of_a_gigabyte_is_left_out_and_told(project: Path) -> None:
    with open(project / "giant.log", "wb") as file:
        file.truncate(1 << 30)
    repository = Repository.open(project)
    assert repository.search("handleWebSocketUpgrade")
    assert repository.status().skipped["too large"] == 1


def test_files_that_vanish_or_lock_themselves_are_passed_over(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qidf.repository import cutting

    original = cutting.read_source

    def vanishing(root: Path, name: str, *arguments: int) -> object:
        if name.endswith("auth.go"):
            (root / name).unlink()
        return original(root, name, *arguments)

    monkeypatch.setattr(cutting, "read_source", vanishing)
    repository = Repository.open(project)
    assert repository.search("bearer") == []
    assert repository.search("handleWebSocketUpgrade")
    monkeypatch.undo()
    assert "src/auth.go" not in repository.files


def test_a_folder_that_turns_into_a_link_while_it_is_indexed_never_leads_out(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qidf.repository import cutting

    outside = write(project.parent / "outside", {"auth.go": "func outsideSecret() {}\n"})
    original = cutting.read_source

    def swapped(root: Path, name: str, *arguments: int) -> object:
        if not (root / "src").is_symlink():
            (root / "src").rename(root / "aside")
            (root / "src").symlink_to(outside)
        return original(root, name, *arguments)

    monkeypatch.setattr(cutting, "read_source", swapped)
    repository = Repository.open(project)
    repository.refresh()
    assert repository.search("outsideSecret", refresh=False) == []
    monkeypatch.undo()
    assert repository.search("outsideSecret") == []
    assert repository.search("handleWebSocketUpgrade")[0].path == "aside/upgrade.go"


def test_lines_of_a_hit_are_never_read_through_a_link(project: Path) -> None:
    repository = Repository.open(project)
    repository.refresh()
    outside = write(project.parent / "outside", {"upgrade.go": "the secret\n" * 20})
    (project / "src").rename(project / "aside")
    (project / "src").symlink_to(outside)
    hits = repository.search("handleWebSocketUpgrade", path="src", refresh=False)
    assert {(hit.path, hit.text) for hit in hits} == {("src/upgrade.go", "")}


def test_a_repository_that_changes_while_it_is_indexed_is_caught_up_with(tmp_path: Path) -> None:
    root = write(tmp_path / "r", {f"f{n:03}.py": f"def old_{n}(): pass\n" for n in range(300)})

    indexed = False

    def meddle(done: int, total: int) -> None:
        # Not later: files this young are read again by every search, all three hundred, and one
        # that is rewritten during that search may be in its answer or not.
        if not indexed:
            # Behind the reader, ahead of it, gone and new.
            (root / "f000.py").write_text("def rewritten_behind(): pass\n")
            (root / "f299.py").write_text("def rewritten_ahead(): pass\n")
            (root / "f298.py").unlink(missing_ok=True)
            (root / "new.py").write_text("def arrived_meanwhile(): pass\n")

    repository = Repository.open(root, progress=meddle)
    repository.refresh()
    indexed = True
    for name in ("rewritten_behind", "rewritten_ahead", "arrived_meanwhile"):
        assert [hit.symbol for hit in repository.search(name, 1)] == [name]
    assert "f298.py" not in repository.files
    assert not [hit for hit in repository.search("old_298", 300) if hit.path == "f298.py"]


def test_a_hundred_thousand_files_are_indexed(tmp_path: Path) -> None:
    root = tmp_path / "many"
    words = [f"word{number} in file" for number in range(1000)]
    seeds = write(tmp_path / "seeds", {f"s{number}": text for number, text in enumerate(words)})
    for folder in range(100):
        (root / f"d{folder}").mkdir(parents=True)
        # Linked rather than written: a hundred thousand files would take longer than the test.
        for number in range(1000):
            os.link(seeds / f"s{number}", root / f"d{folder}" / f"f{number}.txt")
    repository = Repository.open(root)
    assert repository.refresh().indexed == 100_000
    assert repository.search("word321 d54", 1)[0].path == "d54/f321.txt"
    (root / "d54" / "f321.txt").unlink()
    (root / "d54" / "f321.txt").write_text("needle99 here\n")
    assert repository.search("needle99", 1)[0].path == "d54/f321.txt"


def test_code_beyond_the_limit_is_searched_as_far_as_it_goes(project: Path) -> None:
    (project / "compiler.py").write_text("def first_of_all():\n    return 1\n" + "x = 1\n" * 200)
    (project / "giant.txt").write_text("first of all\n" * 200)
    repository = Repository.open(project, max_bytes=1_000)
    hits = repository.search("first of all")
    assert [hit.path for hit in hits if "compiler" in hit.path]
    assert not [hit for hit in hits if hit.path == "giant.txt"]
    assert repository.cut_short == (1, 1)
    assert not repository.status().pending
    assert not repository.refresh()
