"""Questions from commits: what is asked, and where their changes are."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from benchmarks.code_search.changes import (
    ChangedRepository,
    is_code,
    make_questions,
    moved_places,
    num_words,
    question_text,
    right_files,
    unpack,
)
from benchmarks.code_search.halves import Half
from benchmarks.corpora.patches import Patch, parse_patch

BEFORE = "".join(f"line {number}\n" for number in range(1, 21))
COMMIT = """From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
From: Somebody <a@b.c>
Subject: [PATCH] pkg/ledger.c: keep the last entry when closing twice

In ledger.c a second close lost it, see https://example.org/1.

        * pkg/ledger.c (close_all): Return early.
        * NEWS: Say so.

(cherry picked from commit 0123456789012345678901234567890123456789)
Signed-off-by: Somebody <a@b.c>
---
 pkg/ledger.c | 3 ++-
 1 file changed

diff --git a/pkg/ledger.c b/pkg/ledger.c
--- a/pkg/ledger.c
+++ b/pkg/ledger.c
@@ -3,4 +3,5 @@
 line 3
-line 4
-line 5
+line four
+line five
+and more
 line 6
@@ -10,2 +11,3 @@ where
 line 10
+added
 line 11
diff --git a/tests/test_ledger.c b/tests/test_ledger.c
--- a/tests/test_ledger.c
+++ b/tests/test_ledger.c
@@ -1 +1 @@
-a
+b
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/ledger.c").write_text(BEFORE)
    return folder


def test_places_are_removed_lines_and_both_sides_of_added_ones() -> None:
    first, second, _ = parse_patch("one.patch", COMMIT).hunks
    assert first.lines == ("line 3", "line 4", "line 5", "line 6")
    assert first.places == ((4, 5),)
    assert second.places == ((10, 11),)


def test_a_hunk_is_looked_for_where_its_lines_are_now() -> None:
    hunk = parse_patch("one.patch", COMMIT).hunks[0]
    assert moved_places(hunk, ["new", *BEFORE.split("\n")]) == ((5, 6),)
    twice = BEFORE.split("\n") + BEFORE.split("\n")
    assert moved_places(hunk, twice) == ((4, 5),)
    assert moved_places(hunk, BEFORE.replace("line 5", "line V").split("\n")) is None


def test_a_message_is_asked_without_the_names_of_changed_files_and_without_trailers() -> None:
    patch = parse_patch("one.patch", COMMIT)
    assert question_text(patch, ["pkg/ledger.c"]) == (
        "keep the last entry when closing twice In a second close lost it, see * NEWS: Say so."
    )


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        ("video/readers/jpeg: Close it", "Close it"),
        ("grub-core/video/readers/jpeg.c: Close it", "Close it"),
        ("Close it (jpeg.c)", "Close it"),
        ("jpeg: Close it", "jpeg: Close it"),
        ("readers/png: Close it", "readers/png: Close it"),
    ],
)
def test_a_path_is_dropped_and_a_subject_stays(title: str, asked: str) -> None:
    patch = Patch("a.patch", title, "", ())
    assert question_text(patch, ["grub-core/video/readers/jpeg.c"]) == asked


def test_stop_words_and_numbers_of_bugs_say_nothing() -> None:
    assert num_words("Fix of the CVE-2020-1234 and GHSA-pv2c-97pp-vxwg in it") == 1


def test_right_is_the_code_that_a_patch_changes(root: Path) -> None:
    (right,) = right_files(parse_patch("one.patch", COMMIT), root, {"pkg/ledger.c"})
    assert right.path == "pkg/ledger.c"
    assert right.places == ((4, 5), (10, 11))


def test_a_patch_that_does_not_apply_to_the_sources_has_no_right_answer(root: Path) -> None:
    patch = parse_patch("one.patch", COMMIT)
    assert right_files(patch, root, set()) == ()
    (root / "pkg/ledger.c").write_text(BEFORE.replace("line 11", "another"))
    assert right_files(patch, root, {"pkg/ledger.c"}) == ()


def test_every_commit_is_asked_in_one_half_and_twice_the_same_message_in_none(root: Path) -> None:
    patches = tuple(parse_patch(f"{number}.patch", COMMIT) for number in range(8))
    several = tuple(
        parse_patch(f"{number}.patch", COMMIT.replace("twice", f"{number} times"))
        for number in range(8)
    )
    asked = {
        half: make_questions(ChangedRepository("books", root, several), 60, half) for half in Half
    }
    assert len({question.id for half in Half for question in asked[half]}) == 8
    same = ChangedRepository("books", root, patches)
    assert make_questions(same, 60, Half.CHOOSING) == make_questions(same, 60) == []


def test_only_upstreams_commits_are_asked(root: Path) -> None:
    own = COMMIT.replace("From 0123", "# ").replace("[PATCH] ", "").replace("cherry picked", "made")
    patch = parse_patch("own.patch", own)
    assert isinstance(patch, Patch)
    assert not patch.is_upstream
    repository = ChangedRepository("books", root, (patch,))
    assert not any(make_questions(repository, 60, half) for half in Half)


@pytest.mark.parametrize(
    ("header", "is_upstream"),
    [
        ("Origin: upstream, https://example.org/1", True),
        ("Origin: backport, https://example.org/1", True),
        ("Origin: vendor", False),
        ("Applied-Upstream: no", False),
        ("Author: Somebody", False),
        ("commit 0123456789012345678901234567890123456789", True),
    ],
)
def test_headers_say_whether_a_patch_is_upstreams(header: str, is_upstream: bool) -> None:
    assert parse_patch("a.patch", f"Description: Some words\n{header}\n").is_upstream is is_upstream


@pytest.mark.parametrize(
    "path",
    ["tests/a.c", "src/test_a.py", "lib/a_test.go", "doc/a.py", "a/FooTest.java", "a.md", "po/a.c"],
)
def test_tests_and_documentation_are_no_code(path: str) -> None:
    assert not is_code(path)


def test_names_that_only_sound_like_tests_are_code() -> None:
    assert is_code("src/contest.py")
    assert is_code("lib/attest.c")


def test_a_tarball_is_unpacked_without_its_outer_folder_and_without_links(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w") as tar:
        member = tarfile.TarInfo("a-1.0/src/a.c")
        member.size = 2
        tar.addfile(member, io.BytesIO(b"x\n"))
        link = tarfile.TarInfo("a-1.0/src/b.c")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    unpack(archive, tmp_path / "a")
    assert [path.name for path in (tmp_path / "a").rglob("*.c")] == ["a.c"]
