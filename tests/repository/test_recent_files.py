"""Files that are read for answers, and what is kept of them."""

import os
from pathlib import Path

import pytest

from qidf.repository import reading
from qidf.repository.reading import RecentFiles

LIMIT = 1_000_000


def written(path: Path, text: str) -> Path:
    """A file that was last changed long ago."""
    path.write_bytes(text.encode())
    os.utime(path, (1, 1))
    return path


def test_lines_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    file, recent = written(tmp_path / "a.py", "one\r\ntwo\nthree"), RecentFiles(tmp_path)
    assert recent.lines("a.py", 1, 2, LIMIT) == ["one", "two"]
    written(file, "1\n2\n")
    assert recent.lines("a.py", 1, 9, LIMIT) == ["1", "2"]
    file.unlink()
    assert recent.lines("a.py", 1, 9, LIMIT) == []


def test_a_file_that_stays_as_it_is_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "a.py", "one\ntwo\n")
    # As if the file had been written long before it is read.
    monkeypatch.setattr(reading, "CLOCK_TICK_NS", -(10**15))
    recent = RecentFiles(tmp_path)
    assert recent.lines("a.py", 1, 1, LIMIT) == ["one"]
    monkeypatch.setattr(reading, "open_below", lambda *_: pytest.fail("it was read again"))
    assert recent.lines("a.py", 2, 2, LIMIT) == ["two"]


def test_a_link_is_not_followed_whatever_was_kept(tmp_path: Path) -> None:
    outside = written(tmp_path / "secret", "one\n")
    inside = tmp_path / "root"
    inside.mkdir()
    file, recent = written(inside / "a.py", "one\n"), RecentFiles(inside)
    assert recent.lines("a.py", 1, 1, LIMIT) == ["one"]
    file.unlink()
    file.symlink_to(outside)
    assert recent.lines("a.py", 1, 1, LIMIT) == []


def test_no_more_is_kept_than_there_is_room_for(tmp_path: Path) -> None:
    recent = RecentFiles(tmp_path, room=500)
    for number in range(20):
        written(tmp_path / f"{number}.py", "x" * 100)
        assert recent.lines(f"{number}.py", 1, 1, LIMIT) == ["x" * 100]
    assert recent._kept <= 500
    assert len(recent._known) == 3
