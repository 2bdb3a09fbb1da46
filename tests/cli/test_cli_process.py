"""Real processes: exit codes, one sentence on stderr, quiet ends, and nothing heavy imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from shell import RECORDS

import qidf

PYTHON = [sys.executable, "-m", "qidf"]


def qidf_process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PYTHON, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
        check=False,
    )


def test_it_knows_its_version() -> None:
    result = qidf_process("--version")
    assert (result.returncode, result.stdout) == (0, f"qidf, version {qidf.__version__}\n")


def test_search_prints_json_and_exits_0(index: Path) -> None:
    result = qidf_process("search", index, "auth", "--json")
    assert result.returncode == 0
    assert [hit["id"] for hit in json.loads(result.stdout)["hits"]] == ["auth", "ws"]


def test_an_input_error_is_one_sentence_and_exits_1(tmp_path: Path) -> None:
    result = qidf_process("search", tmp_path / "none", "auth")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("qidf: there is no index at ")
    assert result.stderr.count("\n") == 1


def test_wrong_usage_exits_2() -> None:
    for arguments in (["nosuch"], ["search"], ["search", "--nosuch", "a", "b"], []):
        assert qidf_process(*arguments).returncode == 2


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read anything")
def test_a_denied_permission_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"text": "x"}')
    path.chmod(0)
    result = qidf_process("index", path, "-o", tmp_path / "out")
    assert result.returncode == 1
    assert result.stderr.startswith("qidf: ")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence(index: Path, unbuffered: str) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*PYTHON, "search", str(index), "auth", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            text=True,
            check=False,
        )
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "No space left on device" in result.stderr


def test_colours_appear_only_on_terminals_that_want_them(index: Path) -> None:
    assert "\x1b" not in qidf_process("search", index, "auth").stdout
    pty = pytest.importorskip("pty")
    for environment, coloured in (
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ):
        leader, follower = pty.openpty()
        plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        subprocess.run(
            [*PYTHON, "search", str(index), "auth"],
            stdout=follower,
            stderr=follower,
            stdin=subprocess.DEVNULL,
            env={**plain, **environment},
            check=True,
        )
        os.close(follower)
        shown = os.read(leader, 65_536)
        os.close(leader)
        assert (b"\x1b[1m" in shown) is coloured
        assert b"ws" in shown


def test_a_progress_bar_is_drawn_on_terminals_only(tmp_path: Path, corpus: Path) -> None:
    assert qidf_process("index", corpus, "-o", tmp_path / "a").stderr == ""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    result = subprocess.run(
        [*PYTHON, "index", str(corpus), "-o", str(tmp_path / "b")],
        stdout=subprocess.PIPE,
        stderr=follower,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm"},
        check=True,
    )
    os.close(follower)
    assert b"100%" in os.read(leader, 65_536)
    os.close(leader)
    assert result.stdout.startswith(f"{len(RECORDS)} documents".encode())


def test_an_interrupt_ends_quietly_with_130(index: Path) -> None:
    result = with_search_replaced(index, "(_ for _ in ()).throw(KeyboardInterrupt)")
    assert (result.returncode, result.stdout, result.stderr.strip()) == (130, "", "")


def test_an_interrupt_while_files_are_indexed_loses_none_of_them(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    for number in range(600):
        (root / f"f{number:03}.txt").write_text(f"word{number}\n")
    program = (
        "import os, signal\n"
        "from qidf.repository import cutting\n"
        "read = cutting.read_source\n"
        "def interrupted(root, name, *given):\n"
        "    if name == 'f400.txt': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return read(root, name, *given)\n"
        "cutting.read_source = interrupted\n"
        "from qidf.cli import main\n"
        "main(['search', 'word7'])\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 130, result.stderr
    assert "keeping what was read" in result.stderr
    assert "Traceback" not in result.stderr
    status = subprocess.run(
        [*PYTHON, "status", "--json"], cwd=root, env=environment, capture_output=True, check=True
    )
    found = json.loads(status.stdout)
    assert 0 < found["num_files"] < 600
    assert found["num_files"] + found["pending"] >= 600


def test_a_bug_keeps_its_traceback(index: Path) -> None:
    result = with_search_replaced(index, "1 / 0")
    assert result.returncode == 1
    assert "ZeroDivisionError" in result.stderr


def with_search_replaced(index: Path, expression: str) -> subprocess.CompletedProcess[str]:
    program = (
        "import qidf.index, qidf.cli\n"
        f"qidf.index.Index.open = lambda path: {expression}\n"
        f"qidf.cli.main(['search', {str(index)!r}, 'x'])"
    )
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(os.name == "nt", reason="pipes are different on Windows")
def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    documents = [qidf.Document("word", f"{number:09}" * 20) for number in range(5_000)]
    qidf.Index.build(documents).save(tmp_path / "index")
    process = subprocess.Popen(
        [*PYTHON, "search", str(tmp_path / "index"), "word", "-k", "5000", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=60)


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "INDEX", "auth middleware"],
        ["search", "INDEX", "auth middleware", "--json", "--q", "0.5"],
        ["explain", "INDEX", "auth", "ws"],
        ["advise", "INDEX"],
        ["--help"],
    ],
)
def test_the_commands_of_every_day_never_load_numba(index: Path, arguments: list[str]) -> None:
    words = [str(index) if word == "INDEX" else word for word in arguments]
    program = (
        "import sys, qidf.cli\n"
        f"qidf.cli.main({words!r}, standalone_mode=False)\n"
        "heavy = {'numba', 'llvmlite', 'scipy', 'bm25s', 'powerlaw', 'matplotlib'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
        "print('numpy:', 'numpy' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "heavy: []" in result.stdout
    assert f"numpy: {arguments != ['--help']}" in result.stdout


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys, qidf; print({'numpy', 'numba', 'click'} & set(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "set()\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_call_back_into_qidf(shell: str) -> None:
    result = qidf_process("completion", shell)
    assert result.returncode == 0
    assert "_QIDF_COMPLETE" in result.stdout


def test_completion_offers_the_commands() -> None:
    result = qidf_process(_QIDF_COMPLETE="bash_complete", COMP_WORDS="qidf sea", COMP_CWORD="1")
    assert result.stdout == "plain,search\n"


def test_characters_the_terminal_lacks_become_question_marks(tmp_path: Path) -> None:
    qidf.Index.build([qidf.Document("word", "文件.txt")]).save(tmp_path / "index")
    result = subprocess.run(
        [*PYTHON, "search", str(tmp_path / "index"), "word", "--q", "1"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert result.returncode == 0
    assert b"??.txt" in result.stdout


def test_a_terminal_that_says_it_has_no_columns_gets_a_usual_width(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "doors.py").write_text("def open_door():\n    return 'ajar'\n")
    # A pseudo-terminal has no columns until somebody says how many.
    leader, follower = pty.openpty()
    subprocess.run(
        [*PYTHON, "search", "open_door", str(tmp_path / "tree")],
        stdout=follower,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "dumb", "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=True,
    )
    os.close(follower)
    shown = os.read(leader, 65_536)
    os.close(leader)
    assert b"return 'ajar'" in shown
