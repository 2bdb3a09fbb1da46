"""No path, however spelled, leads out of a root."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidf.corpora import confinement
from qidf.errors import InputError
from qidf.serving import roots
from qidf.serving.roots import Root

SECRET = "the secret outside"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    (inside / "a.txt").write_text("a", encoding="utf-8")
    (inside / "sub" / "b.txt").write_bytes(b"b\xff")
    (tmp_path / "secret.txt").write_text(SECRET, encoding="utf-8")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "out").symlink_to(tmp_path)
    (inside / "loop").symlink_to(inside / "loop")
    return Root(inside)


@pytest.fixture(params=["asked", "walked", "resolved"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All ways to open: the one of Linux, the one of Unix, and the one for other systems."""
    if request.param != "asked":
        monkeypatch.setattr(confinement, "_OPENED", None)
    monkeypatch.setattr(confinement, "_CAN_WALK", request.param != "resolved")


@pytest.mark.usefixtures("way")
def test_files_below_are_read_by_relative_and_absolute_path(root: Root) -> None:
    assert root.read_text("a.txt") == "a"
    assert root.read_text("./sub//b.txt") == "b\ufffd"
    assert root.read_text(str(root.path / "sub" / "b.txt")) == "b\ufffd"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../secret.txt", "sub/../../secret.txt", "sub/../a.txt", "link.txt",
     "out/secret.txt", "loop", "loop/x", "sub", "missing", "a.txt/x", "a\0b", "x" * 5000,
     "/etc/passwd", "//etc/passwd", "\ud800"],
)  # fmt: skip
def test_what_leads_out_or_nowhere_is_refused(root: Root, name: str) -> None:
    with pytest.raises(InputError) as refusal:
        root.read(name)
    assert SECRET not in str(refusal.value)


@pytest.mark.usefixtures("way")
def test_an_absolute_path_outside_is_refused(root: Root) -> None:
    for name in ("secret.txt", "inside/../secret.txt", "inside/link.txt"):
        with pytest.raises(InputError):
            root.read(f"{root.path.parent}/{name}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of Unix")
def test_a_named_pipe_is_refused_without_waiting_for_it(root: Root) -> None:
    os.mkfifo(root.path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        root.read("pipe")


def test_a_huge_file_is_refused(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "MAX_FILE_BYTES", 1)
    assert root.read("a.txt") == b"a"
    with pytest.raises(InputError, match="more than"):
        root.read("sub/b.txt")


@pytest.mark.usefixtures("way")
def test_a_folder_that_turns_into_a_link_meanwhile_never_leads_out(root: Root) -> None:
    folder, aside, stop = root.path / "sub", root.path / "aside", threading.Event()
    (root.path.parent / "b.txt").write_text(SECRET, encoding="utf-8")

    def swap() -> None:
        while not stop.is_set():
            folder.rename(aside)
            folder.symlink_to(root.path.parent)
            folder.unlink()
            aside.rename(folder)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(300):
            try:
                assert root.read_text("sub/b.txt") == "b\ufffd"
            except InputError:
                continue
    finally:
        stop.set()
        thread.join()


def test_a_root_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder"):
        Root(tmp_path / "missing")


PIECES = [
    "..",
    ".",
    "sub",
    "a.txt",
    "out",
    "link.txt",
    "secret.txt",
    "/",
    "\\",
    "",
    "\0",
    "~",
    "etc",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8), st.sampled_from("/\\"))
def test_no_spelling_reads_anything_but_the_two_files(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], separator: str
) -> None:
    found = _shared_root(tmp_path_factory)
    try:
        text = found.read_text(separator.join(pieces))
    except InputError:
        return
    assert text in ("a", "b\ufffd")


_made: list[Root] = []


def _shared_root(factory: pytest.TempPathFactory) -> Root:
    if not _made:
        top = factory.mktemp("roots")
        inside = top / "inside"
        (inside / "sub").mkdir(parents=True)
        (inside / "a.txt").write_text("a", encoding="utf-8")
        (inside / "sub" / "b.txt").write_bytes(b"b\xff")
        (top / "secret.txt").write_text(SECRET, encoding="utf-8")
        (inside / "out").symlink_to(top)
        (inside / "link.txt").symlink_to(top / "secret.txt")
        _made.append(Root(inside))
    return _made[0]
