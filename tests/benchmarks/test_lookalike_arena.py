"""A stand-in for Long Code Arena: what patches say and change, and what the reader makes of it."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path

import pytest
from benchmarks.corpora.patches import parse_patch, read_patches
from benchmarks.corpora.pinned import PinnedPackage
from benchmarks.lookalikes import arena

from qidf.datasets import LongCodeArena

DEP3 = """Description: Close the ledger only once
 A second close lost the last entry,
 because the file was gone.
 .
 Found by accident.
Author: Somebody <a@b.c>
Bug-Debian: https://bugs.debian.org/1
Last-Update: 2023-01-01
---
This patch header follows DEP-3.
--- a/pkg/ledger.py
+++ b/pkg/ledger.py
@@ -1,3 +1,2 @@
 def close():
--- a/not/a/file.py
+++ b/not/a/file.py
-    pass
--- a/pkg/new.py
+++ /dev/null
@@ -1 +0,0 @@
-x
--- a/tests/test_ledger.py
+++ b/tests/test_ledger.py
@@ -1 +1 @@
-a
+b
"""
GIT = """From 0123 Mon Sep 17 00:00:00 2001
From: Somebody <a@b.c>
Date: Mon, 1 Jan 2023 00:00:00 +0000
Subject: [PATCH 1/2] Sum entries of both years

The year before was left out.
---
 pkg/sums.py | 2 +-
 1 file changed

diff --git a/pkg/sums.py b/pkg/sums.py
--- a/pkg/sums.py
+++ b/pkg/sums.py
@@ -1 +1 @@
-a
+b
"""


def test_a_dep3_header_gives_its_description_and_nothing_else() -> None:
    patch = parse_patch("one.patch", DEP3)
    assert patch.title == "Close the ledger only once"
    assert patch.body.splitlines() == [
        "A second close lost the last entry,",
        "because the file was gone.",
        "",
        "Found by accident.",
    ]


def test_changed_files_are_those_of_headings_outside_hunks() -> None:
    assert parse_patch("one.patch", DEP3).changed == ("pkg/ledger.py", "tests/test_ledger.py")


def test_the_statistics_of_git_give_no_file_away() -> None:
    patch = parse_patch("two.patch", GIT)
    assert patch.title == "Sum entries of both years"
    assert patch.body == "The year before was left out."
    assert patch.changed == ("pkg/sums.py",)


def write_tar(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            data = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


@pytest.fixture
def debian(tmp_path: Path) -> Path:
    return write_tar(
        tmp_path / "pkg.debian.tar.gz",
        {
            "debian/patches/series": "one.patch\n# off.patch\ntwo.patch -p1\nsetup.patch\ngone\n",
            "debian/patches/one.patch": DEP3,
            "debian/patches/two.patch": GIT,
            "debian/patches/off.patch": GIT,
            "debian/patches/setup.patch": GIT.replace("pkg/sums.py", "setup.py"),
        },
    )


def test_patches_are_read_in_the_order_of_their_series(debian: Path) -> None:
    assert [each.name for each in read_patches(debian)] == ["one.patch", "two.patch", "setup.patch"]


def test_fixes_change_sources_and_neither_tests_nor_packaging(debian: Path) -> None:
    assert [(each.name, each.changed) for each in arena.fixes("python", debian)] == [
        ("one.patch", ("pkg/ledger.py",)),
        ("two.patch", ("pkg/sums.py",)),
    ]


def test_issues_and_a_repository_that_the_reader_of_the_original_takes(
    debian: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    if shutil.which("git") is None:
        pytest.skip("git isn't there to make a repository with")
    files = {f"pkg-1/pkg/part{at}.py": f"part = {at}\n" for at in range(arena.MIN_FILES)}
    files["pkg-1/pkg/ledger.py"] = "def close():\n    pass\n"
    original = write_tar(tmp_path / "pkg.orig.tar.gz", files)
    packages = [
        PinnedPackage("debian", "pkg", "1-1", f"pool/{path.name}", 1, "0" * 64)
        for path in (original, debian)
    ]
    [source] = arena.pair(packages)
    repos = tmp_path / "repos"
    repos.mkdir()
    found = list(arena.issues("python", source, original, arena.fixes("python", debian), repos))
    assert [each.issue_title for each in found] == ["Close the ledger only once"]
    again = tmp_path / "again"
    assert found[0].base_sha == arena.write_repository(
        again, {path.partition("/")[2]: text.encode() for path, text in files.items()}
    )
    arena.write_table(found, tmp_path / "hub", "python")
    [dataset] = LongCodeArena("python", repos, hub_folder=tmp_path / "hub")
    assert dataset.num_docs == arena.MIN_FILES + 1
    [answers] = dataset.judgements.values()
    assert dict(answers) == {"pkg/ledger.py": 1}


def test_packages_with_room_for_patches_are_listed() -> None:
    def fields(**changes: str) -> dict[str, str]:
        sums = f"\n {'1' * 64} 100 a_1.orig.tar.gz\n {'2' * 64} 9000 a_1-1.debian.tar.xz"
        return {
            "Package": "a",
            "Version": "1-1",
            "Format": "3.0 (quilt)",
            "Build-Depends": "debhelper, dh-python",
            "Directory": "pool/a",
            "Checksums-Sha256": sums,
            **changes,
        }

    [found] = arena.list_sources([fields()], "python")
    assert found.original.location == "pool/a/a_1.orig.tar.gz"
    assert found.debian.size == 9000
    assert not arena.list_sources([fields()], "java")
    assert not arena.list_sources([fields(Format="3.0 (native)")], "python")
    small = fields()["Checksums-Sha256"].replace("9000", "900")
    assert not arena.list_sources([fields(**{"Checksums-Sha256": small})], "python")
