"""Only what changed is read, and whatever changed is found."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projects import write

from qidf.repository import Repository, cutting, scanning
from qidf.repository.state import MAX_ADDITIONS, State


def texts(repository: Repository) -> set[tuple[str, str]]:
    """Every chunk with its text, as files on disk have it now."""
    return {
        (hit.location, hit.text)
        for hit in repository.search("common", 10_000, q=1.0, refresh=False)
    }


def aged(root: Path) -> None:
    """Make every file and folder old enough that its clock can be trusted."""
    long_ago = time.time() - 100
    for folder, _, names in os.walk(root, topdown=False):
        for name in (*names, "."):
            os.utime(os.path.join(folder, name), (long_ago, long_ago))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that were read for the index, as they are read."""
    names: list[str] = []
    original = cutting.read_source

    def spy(root: Path, name: str, *arguments: int) -> object:
        names.append(name.rpartition("/")[2])
        return original(root, name, *arguments)

    monkeypatch.setattr(cutting, "read_source", spy)
    return names


def no_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust clocks at once: the change time of a file can't be set back for a test."""
    monkeypatch.setattr("qidf.repository.reading.CLOCK_TICK_NS", 0)
    monkeypatch.setattr("qidf.repository.scanning.CLOCK_TICK_NS", 0)


def test_a_second_search_reads_nothing_and_a_changed_file_is_read_alone(
    project: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    no_tick(monkeypatch)
    repository = Repository.open(project)
    assert repository.refresh().indexed == 4
    read.clear()
    assert not repository.refresh()
    assert not Repository.open(project).refresh()
    assert read == []
    (project / "src" / "auth.go").write_text("package ws\n\nfunc renewed() {}\n")
    done = repository.refresh()
    assert (done.indexed, done.removed, read) == (1, 0, ["auth.go"])
    assert repository.search("renewed")[0].path == "src/auth.go"
    assert repository.search("bearer") == []


def test_unchanged_files_are_not_even_listed_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_tick(monkeypatch)
    repository = Repository.open(project)
    repository.refresh()

    def never(*_: object) -> None:
        raise AssertionError("listed")

    monkeypatch.setattr(scanning, "list_repository", never)
    assert not repository.refresh()


def test_a_file_that_is_touched_but_not_changed_is_not_indexed_again(
    project: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    no_tick(monkeypatch)
    repository = Repository.open(project)
    repository.refresh()
    read.clear()
    os.utime(project / "README.md")
    done = repository.refresh()
    assert (done.indexed, done.unchanged, read) == (0, 1, ["README.md"])
    assert not repository.refresh().unchanged


def test_files_that_come_go_and_move_are_found(project: Path) -> None:
    repository = Repository.open(project)
    repository.refresh()
    write(project, {"new/deep/er.py": "def arrived(): pass\n"})
    assert repository.search("arrived")[0].path == "new/deep/er.py"
    (project / "new" / "deep" / "er.py").rename(project / "moved.py")
    assert [hit.path for hit in repository.search("arrived")] == ["moved.py"]
    (project / "moved.py").unlink()
    assert repository.search("arrived") == []


def test_a_file_in_a_folder_that_was_empty_is_found(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_tick(monkeypatch)
    (project / "empty" / "inner").mkdir(parents=True)
    repository = Repository.open(project)
    repository.refresh()
    (project / "empty" / "inner" / "late.py").write_text("def latecomer(): pass\n")
    assert repository.search("latecomer")[0].path == "empty/inner/late.py"


def test_changed_ignore_files_change_the_answer(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_tick(monkeypatch)
    ignore = project / "tools" / ".gitignore"
    ignore.write_text("*.pyc\n")
    repository = Repository.open(project)
    assert repository.search("commas")
    ignore.write_text("*.py*\n")
    assert repository.search("commas") == []
    ignore.write_text("*.pyc\n")
    assert repository.search("commas")
    (project / ".qidfignore").write_text("tools\n")
    assert repository.search("commas") == []


def test_a_change_within_the_clocks_tick_is_found(project: Path) -> None:
    path = project / "README.md"
    repository = Repository.open(project)
    for number in range(5):
        status = path.stat()
        path.write_text(f"# Sockets{number} unique{number}\n".ljust(60, "x") + "\n")
        # The same size, and the modification time it had before: only reading it tells.
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert repository.search(f"unique{number}"), number


def test_old_files_are_trusted_and_fresh_ones_are_not(project: Path, read: list[str]) -> None:
    aged(project)
    repository = Repository.open(project)
    repository.refresh()
    read.clear()
    # Their change time is fresh, so they are looked at once more, by content only.
    assert repository.refresh().unchanged == 4
    assert sorted(read) == ["README.md", "auth.go", "report.py", "upgrade.go"]


def test_a_file_with_an_older_time_is_a_change_too(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_tick(monkeypatch)
    repository = Repository.open(project)
    repository.refresh()
    path = project / "README.md"
    path.write_text("# Restored backup\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert repository.search("restored backup")


def test_another_process_that_refreshed_is_noticed(project: Path) -> None:
    first, second = Repository.open(project), Repository.open(project)
    first.refresh()
    assert second.search("handleWebSocketUpgrade")
    write(project, {"late.py": "def latecomer(): pass\n"})
    assert second.search("latecomer")
    assert first.search("latecomer", refresh=False) == []
    assert first.search("latecomer")[0].path == "late.py"


def test_a_state_that_was_lost_is_recovered_from_the_index(
    project: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository.open(project)
    repository.refresh()
    assert repository.directory is not None
    (state,) = repository.directory.glob("files-*")
    state.unlink()
    (project / "src" / "auth.go").write_text("package ws\n\nfunc renewed() {}\n")
    read.clear()
    again = Repository.open(project)
    done = again.refresh()
    assert (done.indexed, done.unchanged) == (1, 3)
    assert again.notices == []
    assert again.search("renewed")
    fresh = Repository.open(project, directory=project.parent / "fresh")
    fresh.refresh()
    assert again.index.stats == fresh.index.stats


CONTENTS = st.sampled_from(
    [
        "",
        "common\n",
        "def common():\n    return 1\n",
        "class Common:\n    def one(self):\n        return common\n\n    def two(self): pass\n",
        "# common\n\ntext common\n\n## more\n\ncommon\n",
        "\0binary",
    ]
)
STEPS = st.lists(
    st.dictionaries(
        st.sampled_from(["a.py", "b.py", "c.md", "d/e.py", "d/f/g.txt"]),
        st.one_of(st.none(), CONTENTS),
        min_size=1,
        max_size=3,
    ),
    min_size=1,
    max_size=5,
)


@given(steps=STEPS)
@settings(max_examples=25)
def test_any_history_ends_where_a_fresh_index_begins(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, str | None]]
) -> None:
    base = tmp_path_factory.mktemp("history")
    root = base / "root"
    root.mkdir()
    kept = Repository.open(root, directory=base / "kept")
    for step in steps:
        for name, content in step.items():
            path = root / name
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
        kept.refresh()
    fresh = Repository.open(root, directory=base / "fresh")
    fresh.refresh()
    assert kept.index.stats == fresh.index.stats
    assert {path: each.spans for path, each in kept.files.items()} == {
        path: each.spans for path, each in fresh.files.items()
    }
    assert kept.search("common", 50) == fresh.search("common", 50)
    reopened = Repository.open(root, directory=base / "kept")
    assert texts(reopened) == texts(fresh)


def test_nothing_known_means_everything_is_to_read(project: Path) -> None:
    changes = scanning.scan(project, State())
    assert len(changes.to_read) == 4
    assert changes.listing is not None


def test_small_changes_are_added_to_the_stored_state_until_it_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_tick(monkeypatch)
    root = write(tmp_path / "r", {f"f{n:02}.py": f"def f{n}(): pass\n" for n in range(60)})
    repository = Repository.open(root)
    repository.refresh()
    assert repository.directory is not None
    most = 0
    for number in range(MAX_ADDITIONS + 5):
        if number % 5 == 4:
            (root / f"f{number:02}.py").unlink()
        else:
            write(root, {f"f{number:02}.py": f"def changed_{number}(): pass\n"})
        done = repository.refresh()
        assert (done.indexed, done.removed) == ((0, 1) if number % 5 == 4 else (1, 0))
        stored = len(list(repository.directory.glob("files-*")))
        most = max(most, stored)
        again = Repository.open(root)
        assert again.files == repository.files
        assert list(again.files) == list(repository.files)
        assert not again.refresh()
    assert stored < most == MAX_ADDITIONS + 1
    first = sorted(repository.directory.glob("files-*"))[0]
    first.unlink()
    lost = Repository.open(root)
    assert not lost.refresh()
    assert lost.files == repository.files


def test_a_search_in_a_new_process_loads_no_parser_when_nothing_changed(project: Path) -> None:
    code = (
        "import sys\n"
        "from qidf.repository import Repository\n"
        "assert Repository.open(sys.argv[1]).search('handleWebSocketUpgrade')\n"
        "heavy = {'tree_sitter', 'numba', 'tiktoken'}\n"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}))\n"
    )
    # Not within a clock tick of the files' own times: then nothing is read, and nothing parsed.
    Repository.open(project).refresh()
    Repository.open(project).refresh()
    done = subprocess.run(
        [sys.executable, "-c", code, str(project)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_an_interruption_keeps_what_was_read_and_the_next_refresh_reads_the_rest(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    no_tick(monkeypatch)
    root = write(tmp_path / "r", {f"f{n:03}.py": f"def old_{n}(): pass\n" for n in range(300)})

    def interrupt(done: int, total: int) -> None:
        if done >= 100:
            raise KeyboardInterrupt

    repository = Repository.open(root)
    with pytest.raises(KeyboardInterrupt):
        repository.refresh(interrupt)
    kept = len(repository)
    assert 100 <= kept < 300
    read.clear()
    again = Repository.open(root)
    assert len(again) == kept
    assert [hit.symbol for hit in again.search("old_299", 1)] == ["old_299"]
    assert len(again) == 300
    assert sorted(read) == [f"f{n:03}.py" for n in range(kept, 300)]
    fresh = Repository.open(root, directory=tmp_path / "fresh")
    assert again.search("old", 20) == fresh.search("old", 20)
    assert again.index.stats == fresh.index.stats


def test_an_interrupted_refresh_loses_no_file_that_came_or_went(project: Path) -> None:
    Repository.open(project).refresh()
    write(project, {f"new/f{n:03}.py": f"def young_{n}(): pass\n" for n in range(100)})
    (project / "src" / "auth.go").unlink()

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Repository.open(project).refresh(interrupt)
    again = Repository.open(project)
    fresh = Repository.open(project, directory=project.parent / "fresh")
    for query in ("young_99", "young", "authenticate bearer", "upgrade"):
        assert again.search(query, 30) == fresh.search(query, 30)
