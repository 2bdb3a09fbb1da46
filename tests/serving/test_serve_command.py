"""`qidf serve` as a person starts and stops it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a POSIX signal")


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "qidf", "serve", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_it_says_where_it_is_and_stops_at_an_interrupt(folder: Path) -> None:
    with start(folder, "--port", 0) as process:
        try:
            assert process.stderr is not None
            address = None
            for line in process.stderr:
                if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                    address = int(found.group(1))
                    break
            assert address is not None
            connection = http.client.HTTPConnection("127.0.0.1", address, timeout=30)
            connection.request("GET", "/")
            assert b"<title>qidf</title>" in connection.getresponse().read()
            connection.close()
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert output == ""
    assert "Traceback" not in errors
    assert process.returncode in (0, 130)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--host", "0.0.0.0"], "takes a token"),
        (["--host", "0.0.0.0", "--token", "short"], "at least 16"),
        (["--host", "no.such.host.invalid", "--token", "auto"], "no address to listen on"),
        (["--root", "missing"], "no folder at missing"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(
    folder: Path, options: list[str], sentence: str
) -> None:
    with start(folder, "--port", 0, *options) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert sentence in errors
    assert "Traceback" not in errors


def test_a_port_in_use_is_one_sentence(folder: Path, server: object) -> None:
    with start(folder, "--port", getattr(server, "port", 0)) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "choose another port" in errors


@pytest.mark.parametrize(("command", "extra"), [("serve", "serve"), ("mcp", "mcp")])
def test_a_missing_extra_is_named(folder: Path, command: str, extra: str) -> None:
    script = (
        "import sys\n"
        "for name in ('starlette', 'mcp'): sys.modules[name] = None\n"
        "from qidf.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, command, str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert f"pip install 'qidf[{extra}]'" in result.stderr
    assert "Traceback" not in result.stderr
