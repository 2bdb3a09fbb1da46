"""What is read from git's own files is what git says of them."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projects import git_lists, needs_git, run_git, write

from qidf.repository.git import WorkTree, read_config, user_excludes
from qidf.repository.git_index import tracked_names
from qidf.repository.listing import list_repository

FILES = {
    **{f"src/part{number}/file{number}.py": "x" for number in range(40)},
    **{f"src/{'deep/' * number}end.py": "y" for number in range(9)},
    "a b.txt": "x",
    "é/naïve.txt": "x",
    f"{'long' * 60}/{'name' * 60}.py": "x",
    "-n": "x",
}


def said_by_git(root: Path) -> list[str]:
    output = subprocess.run(
        ["git", "ls-files", "-z", "--cached"], cwd=root, check=True, capture_output=True
    ).stdout
    return sorted({os.fsdecode(name) for name in output.split(b"\0") if name})


def repository(root: Path, *options: str) -> Path:
    write(root, FILES)
    run_git(root, "init", "-q", *options)
    run_git(root, "add", ".")
    return root


def conflict(root: Path) -> None:
    run_git(root, "commit", "-qm", "x")
    run_git(root, "checkout", "-qb", "other")
    (root / "a b.txt").write_text("theirs")
    run_git(root, "commit", "-qam", "theirs")
    run_git(root, "checkout", "-q", "main")
    (root / "a b.txt").write_text("ours")
    run_git(root, "commit", "-qam", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        run_git(root, "merge", "-q", "other")


def split(root: Path) -> None:
    run_git(root, "update-index", "--split-index")
    (root / "late.py").write_text("x")
    run_git(root, "-c", "splitIndex.maxPercentChange=100", "add", "late.py")
    run_git(root, "-c", "splitIndex.maxPercentChange=100", "rm", "-qf", "a b.txt", "src/end.py")
    (root / "-n").write_text("changed")
    run_git(root, "-c", "splitIndex.maxPercentChange=100", "add", "--", "-n")
    assert list((root / ".git").glob("sharedindex.*"))


def added_later(root: Path) -> None:
    (root / "late.py").write_text("x")
    run_git(root, "add", "-N", "late.py")


KINDS: dict[str, Callable[[Path], object]] = {
    "version 2": lambda root: run_git(root, "update-index", "--index-version", "2"),
    "version 3": added_later,
    "version 4": lambda root: run_git(root, "update-index", "--index-version", "4"),
    "version 4 by threads": lambda root: run_git(
        root, "-c", "index.threads=4", "update-index", "--index-version", "4", "--force-write-index"
    ),
    "a conflict": conflict,
    "split": split,
    "without a checksum": lambda root: run_git(
        root, "-c", "index.skipHash=true", "update-index", "--force-write-index"
    ),
    "empty": lambda root: run_git(root, "rm", "-rqf", "--cached", "."),
}


@needs_git
@pytest.mark.parametrize("kind", KINDS)
def test_tracked_names_are_those_that_git_lists(tmp_path: Path, kind: str) -> None:
    root = repository(tmp_path / "r")
    KINDS[kind](root)
    assert sorted(WorkTree(root).tracked) == said_by_git(root)


@needs_git
def test_a_repository_of_long_digests_is_read_too(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", "--object-format=sha256")
    assert sorted(WorkTree(root).tracked) == said_by_git(root)


@needs_git
def test_folders_of_a_sparse_index_are_left_out(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    run_git(root, "commit", "-qm", "x")
    run_git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "src/deep")
    expanded = said_by_git(root)
    run_git(root, "sparse-checkout", "reapply", "--sparse-index")
    kept = [name for name in expanded if os.path.exists(root / name)]
    assert "src/part0/file0.py" in expanded
    assert "src/part0/file0.py" not in kept
    assert sorted(WorkTree(root).tracked) == kept
    assert list(list_repository(root).files) == kept


@needs_git
def test_any_damage_to_an_index_gives_plain_names_or_none(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    split(root)
    directory, draw = root / ".git", random.Random(1)
    for name in ["index", *(path.name for path in directory.glob("sharedindex.*"))]:
        whole = (directory / name).read_bytes()
        for _ in range(300):
            data = bytearray(whole)
            for _ in range(draw.randrange(1, 4)):
                data[draw.randrange(len(data))] = draw.randrange(256)
            (directory / name).write_bytes(data[: draw.randrange(len(data))])
            for found in tracked_names(directory, digest_bytes=20):
                assert {"", "..", ".git"}.isdisjoint(found.split("/"))
        (directory / name).write_bytes(whole)
    assert sorted(WorkTree(root).tracked) == said_by_git(root)


@needs_git
def test_case_counts_as_git_found_that_it_does(tmp_path: Path) -> None:
    files = dict.fromkeys(("Build/a.o", "b.O", "B.o", "c.py", "[A].x", "a"), "x")
    root = write(tmp_path / "r", {**files, ".gitignore": "build\n*.o\nA\n"})
    run_git(root, "init", "-q")
    for value in ("false", "true"):
        run_git(root, "config", "core.ignoreCase", value)
        listed = list(list_repository(root).files)
        assert listed == git_lists(root)
        assert ("b.O" in listed) == (value == "false")


VALUES = st.lists(
    st.sampled_from(["a", " ", '"', "\\\\", "\\n", "\\t", '\\"', "#", ";", "é", "\\\n", "="]),
    max_size=8,
).map("".join)


@needs_git
@given(value=VALUES, key=st.sampled_from(["excludesFile", "EXCLUDESFILE"]))
@settings(max_examples=100, deadline=None)
def test_a_setting_is_what_git_takes_it_for(
    tmp_path_factory: pytest.TempPathFactory, value: str, key: str
) -> None:
    path = tmp_path_factory.mktemp("config") / "config"
    text = f'# before\n[other "x"]\n\texcludesFile = no\n[Core] a=b\n  {key} = {value}\n'
    path.write_text(text, encoding="utf-8")
    command = ["git", "config", "-z", "--file", str(path), "--get", "core.excludesFile"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == 0:
        said = done.stdout.decode().removesuffix("\0")
        assert read_config(path)["core.excludesfile"] == said


@needs_git
def test_the_users_own_excludes_count_and_a_repositorys_choice_of_them_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "r", {"a.py": "x", "b.log": "x", "c.tmp": "x"})
    run_git(root, "init", "-q")
    write(
        tmp_path, {"mine": "*.log\n", "theirs": "*.py\n", "more": '[core]\nexcludesFile="~/mine"'}
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    config = write(tmp_path, {"gitconfig": "[include]\n\tpath = more\n"}) / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert user_excludes() == tmp_path / "mine"
    run_git(root, "config", "core.excludesFile", str(tmp_path / "theirs"))
    assert list(list_repository(root).files) == ["a.py", "c.tmp"]
    config.unlink()
    write(tmp_path / "config" / "git", {"ignore": "*.tmp\n"})
    assert list(list_repository(root).files) == ["a.py", "b.log"]
