"""Which files count: our walk against git itself, and everything a work tree can hold."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projects import git_lists, needs_git, run_git, write

from qidf.repository.listing import (
    AN_INDEX,
    BEYOND_LIMIT,
    HIDDEN,
    IGNORED_HERE,
    OTHER_WORKTREE,
    SPECIAL,
    SYMLINK,
    list_repository,
)
from qidf.repository.roots import find_root

NAMES = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        "a.py",
        "b.py",
        "c.txt",
        "foo",
        "Foo",
        "x y",
        "d#",
        "!e",
        "é",
        "aé",
        "]",
        "a\n",
    ]
)
FOLDERS = st.sampled_from(["", "a/", "b/", "a/b/", "foo/", "a/foo/", "deep/er/est/"])
PIECES = st.sampled_from(
    [
        *("a", "b", "foo", "*", "?", "**", "*.py", "a*", "[ab]", "[!a]", "a.py", "c.txt", "deep"),
        *("er", "***", "f**", "**o", "*o*", "?oo", "[[:alpha:]]", "[^[:upper:]]*", "[]a]", "[a-"),
        *("[b-a]", "[a-c]", "[\\]a]", "[[:no:]]", "[[:]", "\\a", "a\\", "*\\.py", "é", "?é", "F*"),
        *("[é]*", "*[.]*", "d[e]?p", "[a/b]", ""),
    ]
)
PATTERNS = st.one_of(
    st.builds(
        lambda negate, lead, pieces, tail: f"{negate}{lead}{'/'.join(pieces)}{tail}",
        st.sampled_from(["", "", "", "!"]),
        st.sampled_from(["", "", "/"]),
        st.lists(PIECES, min_size=1, max_size=3),
        st.sampled_from(["", "", "/", "  ", "/*", "/**"]),
    ),
    st.sampled_from(
        [
            *(
                "# comment",
                "",
                "\\#d",
                "\\!e",
                "d\\#",
                "x\\ y",
                "x y",
                "foo\\ ",
                "[",
                "a/**/b",
                "/",
            ),
            *(
                "//a",
                "a//",
                "!",
                "!/",
                "a\r",
                "\\",
                "a \\ ",
                "**/**/b",
                "/**/a/**/b",
                "**/",
                "a/**/",
            ),
        ]
    ),
)


@needs_git
@given(
    files=st.sets(st.builds(lambda folder, name: folder + name, FOLDERS, NAMES), min_size=1),
    lists=st.dictionaries(
        st.sampled_from(["", "a/", "a/b/", "foo/", "deep/"]), st.lists(PATTERNS, max_size=5)
    ),
    exclude=st.lists(PATTERNS, max_size=2),
    tracked=st.lists(st.sampled_from(["a", "b", "a/b", "foo", "*.py", "deep/er"]), max_size=2),
)
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_our_walk_lists_what_git_lists(
    tmp_path_factory: pytest.TempPathFactory,
    files: set[str],
    lists: dict[str, list[str]],
    exclude: list[str],
    tracked: list[str],
) -> None:
    root = tmp_path_factory.mktemp("tree")
    run_git(root, "init", "-q")
    for name in sorted(files):
        path = root / name
        if not any((root / parent).is_file() for parent in map(str, Path(name).parents)):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_dir():
                path.write_text("x")
    for folder, patterns in lists.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_text("\n".join(patterns) + "\n")
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("\n".join(exclude) + "\n")
    for name in tracked:
        with suppress(subprocess.CalledProcessError):
            run_git(root, "add", "-f", name)
    assert list(list_repository(root).files) == git_lists(root)


@needs_git
def test_tracked_files_count_even_where_a_pattern_matches(tmp_path: Path) -> None:
    root = write(tmp_path / "r", {"keep.log": "x", "gone.log": "x", "b.log": "x", "c.py": "x"})
    run_git(root, "init", "-q")
    run_git(root, "add", "keep.log", "gone.log", "c.py")
    (root / ".gitignore").write_text("*.log\n")
    (root / "gone.log").unlink()
    assert list(list_repository(root).files) == [".gitignore", "c.py", "keep.log"]


@needs_git
def test_submodules_and_repositories_inside_count_and_other_work_trees_do_not(
    tmp_path: Path,
) -> None:
    part = write(tmp_path / "part", {"part.c": "x", "skip.o": "x", ".gitignore": "*.o\n"})
    run_git(part, "init", "-q")
    run_git(part, "add", "-A")
    run_git(part, "commit", "-qm", "x")
    root = write(tmp_path / "root", {"main.c": "x"})
    run_git(root, "init", "-q")
    run_git(root, "add", "main.c")
    run_git(root, "submodule", "add", "-q", str(part), "sub")
    run_git(root, "commit", "-qam", "x")
    run_git(root, "worktree", "add", "-q", ".trees/feature")
    inner = write(root / "vendored", {"v.c": "x", "v.tmp": "x", ".gitignore": "*.tmp\n"})
    run_git(inner, "init", "-q")
    (root / "sub" / "made.o").write_text("x")
    listing = list_repository(root)
    assert list(listing.files) == [
        ".gitmodules",
        "main.c",
        "sub/.gitignore",
        "sub/part.c",
        "vendored/.gitignore",
        "vendored/v.c",
    ]
    assert listing.skipped == {OTHER_WORKTREE: 1}
    # A linked work tree is a repository of its own when one stands in it.
    tree = root / ".trees" / "feature"
    assert find_root(tree / "main.c") == tree
    assert "main.c" in list_repository(tree).files


@pytest.mark.parametrize("with_git", [False, pytest.param(True, marks=needs_git)])
def test_qidfignore_leaves_out_more_in_either_way_of_listing(
    tmp_path: Path, with_git: bool
) -> None:
    files = dict.fromkeys(("a.py", "gen/b.py", "gen/keep.py", "docs/c.md", "docs/d.txt"), "x")
    root = write(tmp_path / "r", files)
    if with_git:
        run_git(root, "init", "-q")
    (root / ".qidfignore").write_text("gen/*\n!gen/keep.py\n")
    (root / "docs" / ".qidfignore").write_text("*.txt\n")
    listing = list_repository(root)
    found = {name for name in listing.files if not name.endswith("ignore")}
    assert found == {"a.py", "gen/keep.py", "docs/c.md"}
    assert listing.skipped[IGNORED_HERE] == 2
    (root / ".qidfignore").write_text("gen/\n!gen/keep.py\n")
    assert not [name for name in list_repository(root).files if name.startswith("gen/")]


@pytest.mark.parametrize("with_git", [False, pytest.param(True, marks=needs_git)])
def test_links_loops_and_pipes_are_counted_and_not_followed(tmp_path: Path, with_git: bool) -> None:
    root = write(tmp_path / "r", {"a/b.py": "x"})
    write(tmp_path / "outside", {"secret.py": "x"})
    if with_git:
        run_git(root, "init", "-q")
    (root / "a" / "loop").symlink_to(root, target_is_directory=True)
    (root / "to_file").symlink_to(root / "a" / "b.py")
    (root / "dangling").symlink_to(root / "nothing")
    (root / "out").symlink_to(tmp_path / "outside", target_is_directory=True)
    os.mkfifo(root / "pipe")
    listing = list_repository(root)
    assert list(listing.files) == ["a/b.py"]
    assert listing.skipped[SYMLINK] == 4
    assert listing.skipped[SPECIAL] == 1


@needs_git
def test_what_git_tracked_below_a_folder_that_is_now_a_link_does_not_count(tmp_path: Path) -> None:
    root = write(tmp_path / "r", {"a.py": "1", "src/deep/b.py": "2", "src/c.py": "3"})
    run_git(root, "init")
    run_git(root, "add", ".")
    (root / "src").rename(tmp_path / "outside")
    (root / "src").symlink_to(tmp_path / "outside")
    listing = list_repository(root)
    assert list(listing.files) == ["a.py"]
    assert listing.skipped[SYMLINK] == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of Unix")
@pytest.mark.parametrize("name", [".gitignore", ".qidfignore"])
def test_an_ignore_file_that_is_a_pipe_is_passed_over(tmp_path: Path, name: str) -> None:
    root = write(tmp_path / "r", {"a.py": "1"})
    os.mkfifo(root / name)
    assert list(list_repository(root).files) == ["a.py"]


def test_hidden_files_count_in_work_trees_only(tmp_path: Path) -> None:
    root = write(tmp_path / "r", {".hidden/a.py": "x", ".rc": "x", "b.py": "x"})
    listing = list_repository(root)
    assert list(listing.files) == ["b.py"]
    assert listing.skipped[HIDDEN] == 2
    (root / ".git").mkdir()
    assert list(list_repository(root).files) == [".hidden/a.py", ".rc", "b.py"]


def test_indexes_in_the_work_tree_are_left_out(tmp_path: Path) -> None:
    import qidf

    root = write(tmp_path / "r", {"a.py": "x", "web/manifest.json": "{}"})
    qidf.Index.build(["text"]).save(root / "own")
    listing = list_repository(root)
    assert list(listing.files) == ["a.py", "web/manifest.json"]
    assert listing.skipped[AN_INDEX] == 1


def test_the_limit_of_files_is_told(tmp_path: Path) -> None:
    root = write(tmp_path / "r", {f"{number}.txt": "x" for number in range(5)})
    listing = list_repository(root, max_files=3)
    assert len(listing.files) == 3
    assert listing.skipped[BEYOND_LIMIT] == 2


def test_names_that_are_not_utf8_are_listed(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    try:
        (root / os.fsdecode(b"caf\xe9.py")).write_text("x")
    except OSError:
        pytest.skip("this file system has only UTF-8 names")
    assert list(list_repository(root).files) == [os.fsdecode(b"caf\xe9.py")]


@needs_git
def test_git_variables_of_an_outer_command_do_not_mislead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write(tmp_path / "other", {"other.py": "x"})
    run_git(other, "init", "-q")
    root = write(tmp_path / "r", {"a.py": "x"})
    run_git(root, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert list(list_repository(root).files) == ["a.py"]


@needs_git
def test_a_folder_that_git_ignores_is_searched_when_it_is_asked_for(tmp_path: Path) -> None:
    root = write(tmp_path / "r", {"a.py": "x", "build/made/b.py": "x", "src/c.py": "x"})
    run_git(root, "init", "-q")
    (root / ".gitignore").write_text("build\n")
    root = root.resolve()
    assert find_root(root / "src") == root
    assert find_root(root / "src" / "c.py") == root
    assert find_root(root / "build" / "made") == root / "build" / "made"
    assert list(list_repository(root / "build" / "made").files) == ["b.py"]
