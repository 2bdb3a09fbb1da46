"""No repository runs a command, shows a file outside, hangs, breaks or steers the terminal.

Some kinds are searched, packed into a prompt, explained and described by a process that is killed
if it takes too long. With QIDF_HOSTILE=all every kind is, and meets the other surfaces too, each in
a program of its own: `qidf tune --self`, `qidf index -o`, and what `qidf mcp` and `serve` read by.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hostile_kinds import COMMANDS, HARMLESS, KINDS, Place, raise_deep
from projects import needs_git, write

pytestmark = [needs_git, pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")]

ALL = os.environ.get("QIDF_HOSTILE") == "all"
# Those that are known to have worked, and some of every sort.
SOME = [
    kind
    for number, kind in enumerate(KINDS)
    if number % 5 == 0 or kind.startswith(("lazy fetch by", "a pipe for", "escapes"))
]
SECONDS = 120
MOST_MEGABYTES = 1_500
QUERY = "swordfish upgrade socket"
FORBIDDEN = b"marmalade"

SEARCHES = (
    ("search", QUERY),
    ("search", QUERY, "--budget", "3000"),
    ("search", QUERY, "--context", "2", "--path", "**/" * 60 + "*a" * 60),
    ("explain", QUERY, "src/sockets.py:1"),
    ("status",),
)
OTHERS = (
    ("tune", "--self", "."),
    ("index", ".", "-o", "../own-index"),
    ("search", "../own-index", QUERY),
    ("search", QUERY, "src"),
    ("status", "--json"),
)
ASK_AGENTS_SERVER = """
from qidf.serving.mcp.served import open_folders
from qidf.serving.web.collection import of_repository
folder, = open_folders(["."])
folder.repository.refresh()
for hit in folder.hits({query!r}, None, None):
    print(ascii((hit.path, folder.lines_of_hit(hit.path, 1, 99))))
for name in ("../outside/secret.txt", ".git/config", "src/secret.py", "src/outside/secret.txt"):
    try:
        print(ascii(folder.lines(name)))
    except Exception as error:
        print(type(error).__name__)
print(len(of_repository(folder.repository).index))
"""


def commanded(arguments: tuple[str, ...]) -> None:
    """Run the program in this process."""
    from qidf.cli import main

    try:
        main(list(arguments), "qidf")
    except SystemExit as ended:
        if ended.code not in (0, 1, 2):
            raise


def in_a_child(work: Callable[[], None], output: Path) -> tuple[int | None, float]:
    """Do something in a process that is killed in time; how it ended, and its peak megabytes."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            # pytest has replaced Python's own.
            sys.stdout = os.fdopen(1, "w", errors="replace", closefd=False)
            sys.stderr = os.fdopen(2, "w", errors="replace", closefd=False)
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None, 0.0


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load here what every child would have to load."""
    from qidf.repository import Repository

    root = write(tmp_path_factory.mktemp("loaded"), HARMLESS)
    Repository.open(root, directory=root.with_name("index")).explain(QUERY, "src/sockets.py:1")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    place = Place(tmp_path / "place")
    place.home.mkdir()
    place.prepare()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TERM", "xterm")
    yield place
    raise_deep(place)


def assert_harmless(place: Place, cache: Path, output: Path) -> None:
    told = output.read_bytes() if output.exists() else b""
    assert not place.canary.exists(), "a command was run"
    assert b"Traceback" not in told, told.decode(errors="replace")
    stored = [path for path in cache.parent.parent.rglob("*") if path.is_file()]
    own = place.home / "own-index"
    stored += [path for path in own.rglob("*") if path.is_file()]
    for path in stored:
        assert FORBIDDEN not in path.read_bytes(), "a file outside was indexed"
    assert FORBIDDEN not in told, "a file outside was shown"
    steering = {character for character in told.decode(errors="replace") if is_steering(character)}
    assert not steering, f"the terminal was told {steering}"


def is_steering(character: str) -> bool:
    return not (character.isprintable() or character in "\n\t")


@pytest.mark.parametrize("kind", KINDS if ALL else SOME)
def test_a_hostile_repository_does_no_harm(kind: str, place: Place, cache: Path) -> None:
    KINDS[kind](place)
    output = place.home / "output"

    def work() -> None:
        os.chdir(place.root)
        for arguments in SEARCHES:
            commanded(arguments)

    status, megabytes = in_a_child(work, output)
    assert status is not None, "it hangs"
    assert_harmless(place, cache, output)
    assert status == 0
    assert megabytes < MOST_MEGABYTES
    told = output.read_text(errors="replace")
    assert "src/sockets.py" in told, told


@pytest.mark.skipif(not ALL, reason="QIDF_HOSTILE=all asks for it")
@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_repository_does_no_harm_to_other_surfaces(
    kind: str, place: Place, cache: Path
) -> None:
    KINDS[kind](place)
    output = place.home / "output"
    # As the installed program starts: its own folder is on the path, the current one isn't.
    start = place.home / "bin" / "start.py"
    start.parent.mkdir()
    start.write_text(
        "import sys\nfrom qidf.cli import main\nmain(sys.argv[1:], 'qidf')\n", encoding="utf-8"
    )
    ask = start.with_name("ask.py")
    ask.write_text(ASK_AGENTS_SERVER.format(query=QUERY), encoding="utf-8")
    programs = [[str(start), *arguments] for arguments in (*SEARCHES, *OTHERS)] + [[str(ask)]]
    for program in programs:
        with output.open("ab") as file:
            done = subprocess.run(
                [sys.executable, *program],
                cwd=place.root,
                stdout=file,
                stderr=file,
                stdin=subprocess.DEVNULL,
                timeout=SECONDS,
                check=False,
            )
        assert done.returncode in (0, 1, 2), (program, output.read_text(errors="replace"))
    assert_harmless(place, cache, output)


@pytest.mark.parametrize(
    "kind",
    ["lazy fetch by ssh", "lazy fetch by ext", "lazy fetch by upload-pack", "monitor of files"],
)
def test_git_itself_would_run_the_command(kind: str, place: Place) -> None:
    COMMANDS[kind](place)
    # A git that refuses is no fault of the trap's.
    subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=place.root,
        capture_output=True,
        check=False,
        timeout=SECONDS,
        env={name: value for name, value in os.environ.items() if name != "GIT_NO_LAZY_FETCH"},
    )
    assert place.canary.exists()
