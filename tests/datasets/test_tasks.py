"""Tasks of many small datasets: RepoBench-R and Long Code Arena, in the layout of their cards."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from qidf.datasets import (
    Choices,
    Dataset,
    LongCodeArena,
    RepoBench,
    Task,
    git_objects,
    open_dataset,
)
from qidf.errors import InputError, InvalidArgumentError

pyarrow = pytest.importorskip("pyarrow", reason="the hub extra reads parquet")

SNIPPETS = ["class Alpha: pass", "def beta(): return 1", "GAMMA = 3"]


def write_table(path: Path, **columns: Sequence[object]) -> None:
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def write_repobench(
    hub: Path, gold: Sequence[int] = (1, 2), column: str = "golden_snippet_index"
) -> None:
    write_table(
        hub / "tianyang/repobench-r/python_cff/test_easy/0000.parquet",
        repo_name=["a/b"] * len(gold),
        file_path=["x.py"] * len(gold),
        context=[SNIPPETS] * len(gold),
        import_statement=["import os"] * len(gold),
        code=["first line\nsecond line\nx = beta"] * len(gold),
        next_line=["()"] * len(gold),
        **{column: list(gold)},
    )


@pytest.mark.parametrize("column", ["golden_snippet_index", "gold_snippet_index"])
def test_every_row_of_repobench_is_a_dataset(tmp_path: Path, column: str) -> None:
    write_repobench(tmp_path, column=column)
    task = RepoBench("python", "cff", "easy", hub_folder=tmp_path)
    first, second = task
    assert (task.name, first.name) == ("repobench-r:python/cff/easy",) * 2
    assert list(first.documents.texts) == SNIPPETS
    assert list(first.queries.texts) == ["first line\nsecond line\nx = beta"]
    assert dict(first.judgements) == {"0000:1": {"snippet1": 1}}
    assert dict(second.judgements) == {"0000:2": {"snippet2": 1}}
    assert len(list(task)) == 2


def test_a_query_of_repobench_may_be_the_last_lines_only(tmp_path: Path) -> None:
    write_repobench(tmp_path)
    task = RepoBench("python", "cff", "easy", lines=2, hub_folder=tmp_path)
    assert [each.queries.texts[0] for each in task] == ["second line\nx = beta"] * 2
    assert "the last 2 lines" in task.provenance


def test_the_older_layout_of_the_conversion_is_read_too(tmp_path: Path) -> None:
    write_repobench(tmp_path)
    folder = tmp_path / "tianyang/repobench-r/python_cff"
    (folder / "test_easy/0000.parquet").rename(folder / "repobench-r-test_easy.parquet")
    assert len(list(RepoBench("python", "cff", "easy", hub_folder=tmp_path))) == 2


def test_a_right_answer_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    write_repobench(tmp_path, gold=[1, 3])
    with pytest.raises(InputError, match="row 2: snippet 3 is right but there are only 3"):
        list(RepoBench("python", "cff", "easy", hub_folder=tmp_path))


def test_a_missing_copy_of_repobench_says_what_to_put_where(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"put python_cff/test_easy/\*\.parquet.* there"):
        list(RepoBench("python", "cff", "easy", hub_folder=tmp_path))


@pytest.mark.parametrize(
    "cell", [("go", "cff", "easy"), ("java", "cf", "easy"), ("java", "cfr", "x")]
)
def test_repobench_has_eight_cells(cell: tuple[str, str, str]) -> None:
    with pytest.raises(InvalidArgumentError, match="RepoBench-R has no"):
        RepoBench(*cell)


def test_repobench_is_known_by_name(tmp_path: Path) -> None:
    write_repobench(tmp_path)
    task = open_dataset("repobench-r:python/cff/easy", Choices(hub_folder=tmp_path))
    assert isinstance(task, Task)
    assert len(list(task)) == 2
    with pytest.raises(InvalidArgumentError, match="is no cell of RepoBench-R"):
        open_dataset("repobench-r:python")


def git(repository: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        **dict.fromkeys(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"], "a"),
        **dict.fromkeys(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"], "a@b.c"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    result = subprocess.run(
        ["git", "-C", str(repository), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.strip()


class Arena:
    """A repository with a fix, its archive, and an issue about it."""

    def __init__(self, hub: Path) -> None:
        self.root = hub / "JetBrains-Research/lca-bug-localization"
        self.source = hub / "source" / "own__lib"
        self.source.mkdir(parents=True)
        git(self.source, "init", "-q")
        (self.source / "pkg").mkdir()
        (self.source / "pkg/crash.py").write_text("def crash(): raise ValueError\n")
        (self.source / "pkg/other.py").write_bytes(b"caf\xff = 1\n")
        (self.source / "notes.md").write_text("nothing\n")
        git(self.source, "add", ".")
        git(self.source, "commit", "-q", "-m", "one")
        self.base = git(self.source, "rev-parse", "HEAD")
        (self.source / "pkg/crash.py").write_text("def crash(): pass\n")
        (self.source / "pkg/new.py").write_text("x = 1\n")
        git(self.source, "add", ".")
        git(self.source, "commit", "-q", "-m", "fix")

    def write_issues(self, *changed: str, base: str | None = None) -> None:
        count = len(changed)
        write_table(
            self.root / "py/test-00000-of-00001.parquet",
            id=list(range(count)),
            repo_owner=["own"] * count,
            repo_name=["lib"] * count,
            issue_url=[f"https://example.org/own/lib/issues/{at}" for at in range(count)],
            issue_title=["It crashes"] * count,
            issue_body=[None] * count,
            base_sha=[base or self.base] * count,
            changed_files=list(changed),
            diff=[""] * count,
        )

    def write_archive(self) -> None:
        path = self.root / "repos/py/own__lib.tar.gz"
        path.parent.mkdir(parents=True)
        with tarfile.open(path, "w:gz") as tar:
            tar.add(self.source, "own__lib")
            for name in ("own__lib/.git/../../escaped", "own__lib/.git/hooks/post-checkout"):
                member = tarfile.TarInfo(name)
                member.size = 3
                tar.addfile(member, io.BytesIO(b"bad"))


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    if shutil.which("git") is None:
        pytest.skip("git isn't there to make a repository with")
    return Arena(tmp_path / "hub")


def read(arena: Arena, repos: Path, **options: int) -> tuple[LongCodeArena, list[Dataset]]:
    task = LongCodeArena("python", repos, hub_folder=arena.root.parent.parent, **options)
    return task, list(task)


@pytest.mark.parametrize("archived", [True, False])
def test_every_issue_is_a_dataset_of_the_files_before_its_fix(
    arena: Arena, tmp_path: Path, archived: bool
) -> None:
    arena.write_issues("['pkg/crash.py', 'pkg/new.py', 'notes.md']")
    repos = tmp_path / "repos"
    repos.mkdir()
    if archived:
        arena.write_archive()
    else:
        shutil.copytree(arena.source, repos / "own__lib")
    task, (dataset,) = read(arena, repos)
    assert dataset.name == "lca:python"
    assert list(dataset.documents) == [
        ("pkg/crash.py", "def crash(): raise ValueError\n"),
        ("pkg/other.py", "caf\ufffd = 1\n"),
    ]
    assert list(dataset.queries.texts) == ["It crashes\n"]
    assert list(dataset.judgements.values()) == [{"pkg/crash.py": 1}]
    assert task.notes == ()
    # What was unpacked once is found the next time, and nothing of it can run.
    if archived:
        shutil.rmtree(arena.root / "repos")
        assert len(read(arena, repos)[1]) == 1
        assert not (repos / "own__lib.git/hooks").exists()
        assert not (repos / "escaped").exists()


def test_what_can_not_be_a_dataset_is_counted(arena: Arena, tmp_path: Path) -> None:
    arena.write_issues("['pkg/new.py']", "['pkg/crash.py']")
    arena.write_archive()
    task, datasets = read(arena, tmp_path / "repos")
    assert len(datasets) == 1
    assert task.notes == ("1 left out: no file that the fix changes is among the documents.",)
    arena.write_issues("['pkg/crash.py']", base="0" * 40)
    assert read(arena, tmp_path / "repos")[0].notes == (
        "1 left out: the commit before the fix isn't in the repository.",
    )


@pytest.mark.parametrize("archived", [True, False])
def test_repositories_beyond_the_limit_are_left_out(
    arena: Arena, tmp_path: Path, archived: bool
) -> None:
    arena.write_issues("['pkg/crash.py']")
    if archived:
        arena.write_archive()
    else:
        shutil.copytree(arena.source, tmp_path / "repos" / "own__lib")
    task, datasets = read(arena, tmp_path / "repos", max_repository_bytes=100)
    assert not datasets
    assert task.notes == ("1 left out: the repository takes more than the limit on disk.",)


def test_a_missing_repository_says_what_to_put_where(arena: Arena, tmp_path: Path) -> None:
    arena.write_issues("['pkg/crash.py']")
    with pytest.raises(InputError, match=r"there is no repos/py/own__lib\.tar\.gz in"):
        read(arena, tmp_path / "repos")


def test_an_archive_that_is_none_is_an_error(arena: Arena, tmp_path: Path) -> None:
    arena.write_issues("['pkg/crash.py']")
    archive = arena.root / "repos/py/own__lib.tar.gz"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(InputError, match=r"own__lib\.tar\.gz can't be unpacked"):
        read(arena, tmp_path / "repos")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(arena.source / "notes.md", "own__lib/notes.md")
    with pytest.raises(InputError, match="holds no git repository"):
        read(arena, tmp_path / "repos")


def test_changed_files_that_are_no_list_are_an_error(arena: Arena, tmp_path: Path) -> None:
    arena.write_issues("pkg/crash.py and more")
    arena.write_archive()
    with pytest.raises(InputError, match=r"changed files of https://example\.org/own/lib/issues/0"):
        read(arena, tmp_path / "repos")


def test_without_git_it_is_asked_for(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.write_issues("['pkg/crash.py']")
    arena.write_archive()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="git is not installed"):
        read(arena, tmp_path / "repos")


def test_long_code_arena_is_known_by_name_and_needs_a_folder(tmp_path: Path) -> None:
    assert isinstance(open_dataset("lca:java", Choices(repos=tmp_path)), LongCodeArena)
    with pytest.raises(InvalidArgumentError, match="needs a folder for its repositories"):
        open_dataset("lca:java")
    with pytest.raises(InvalidArgumentError, match="no language 'perl'"):
        open_dataset("lca:perl", Choices(repos=tmp_path))


def test_a_clones_configuration_runs_nothing_when_its_objects_are_read(
    arena: Arena, tmp_path: Path
) -> None:
    arena.write_issues("['pkg/crash.py']")
    repos = tmp_path / "repos"
    shutil.copytree(arena.source, repos / "own__lib")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\n")
    trap.chmod(0o755)
    blob = git(arena.source, "rev-parse", f"{arena.base}:pkg/other.py")
    (repos / "own__lib" / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    git(repos / "own__lib", "config", "core.repositoryFormatVersion", "1")
    for name, value in (
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ssh://example.invalid/x"),
        ("remote.origin.promisor", "true"),
        ("core.sshCommand", str(trap)),
    ):
        git(repos / "own__lib", "config", name, value)
    with pytest.raises(InputError, match="get the repository again"):
        read(arena, repos)
    assert not (tmp_path / "sprung").exists()
    os.mkfifo(repos / "own__lib" / ".git" / "objects" / "info" / "alternates")
    git_objects._objects.cache_clear()
    with pytest.raises(InputError, match="no regular file"):
        read(arena, repos)
