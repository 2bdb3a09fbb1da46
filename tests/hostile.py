"""Requests that mean harm, sent to a server in a process of its own whose memory is watched.

Small by default; `QIDF_HOSTILE=full` sends what SECURITY.md counts.
"""

from __future__ import annotations

import gzip
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

FULL = os.environ.get("QIDF_HOSTILE") == "full"
# Connections at once, and how often each kind of request is sent.
CROWD = 600 if FULL else 40
ROUNDS = 40 if FULL else 2
# What a server may take beside what it takes when nobody asks.
MAX_GROWTH_BYTES = 300_000_000


@dataclass(slots=True)
class Target:
    """A server to harm: its process, its port, and a request that it answers."""

    process: subprocess.Popen[bytes]
    port: int
    method: str
    path: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    sent: int = 0
    idle: int = 0

    def asks(self) -> int:
        """The status of an honest request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(self.method, self.path, self.body or None, self.headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def memory(self, kind: str = "VmRSS") -> int:
        """What the process takes now, or took at most (VmHWM)."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * next(int(x.split()[1]) for x in text.splitlines() if x.startswith(kind))

    def growth(self) -> int:
        """How much more than when nobody asked the process took at most."""
        return self.memory("VmHWM") - self.idle

    def forget_peak(self) -> None:
        """Count the peak from now on."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def head(self, *lines: str, path: str | None = None) -> bytes:
        """The head of a request to this server, with some lines of its own."""
        wanted = [f"{self.method} {path or self.path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        wanted += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*wanted, *lines, "", ""]).encode("latin-1")

    def throw(self, data: bytes, seconds: float = 5.0) -> bytes:
        """Send bytes and read what comes back, if anything does."""
        self.sent += 1
        found = b""
        with (
            suppress(OSError),
            socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection,
        ):
            connection.sendall(data)
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
            while len(found) < 1_000_000 and (piece := connection.recv(65536)):
                found += piece
        return found

    def crowd(self, data: bytes, seconds: float) -> None:
        """Open many connections, send each some bytes and hold it, reading nothing."""
        with ExitStack() as stack:
            for _ in range(CROWD):
                self.sent += 1
                with suppress(OSError):
                    connection = socket.create_connection(("127.0.0.1", self.port), timeout=5)
                    stack.enter_context(connection)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    connection.settimeout(1)
                    connection.sendall(data)
            assert self.asks() == 200
            time.sleep(seconds)


@contextmanager
def started(arguments: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A command of qidf in a process of its own, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "qidf", *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_up(target: Target) -> None:
    """Wait for a server to answer."""
    for _ in range(600):
        with suppress(OSError, http.client.HTTPException):
            if target.asks() == 200:
                return
        assert target.process.poll() is None
        time.sleep(0.2)
    raise AssertionError("the server doesn't answer")


def bodies() -> Iterator[tuple[bytes, str]]:
    """Bodies that are cheap to send and dear to read, with how they are encoded."""
    size = 2_000_000_000 if FULL else 100_000_000
    yield _packed(b" ", size), "gzip"
    yield _packed(b"[", size // 10), "gzip"
    yield gzip.compress(_packed(b" ", size)), "gzip, gzip"
    yield _packed(b'{"query":', 900_000), "gzip"
    for text in (
        "[" * 900_000,
        '{"a":' * 180_000,
        f"[{','.join(['{}'] * 300_000)}]",
        f"[{','.join(['1'] * 450_000)}]",
        f'{{"query":{{"match":{{"content":"{"word " * 180_000}"}}}}}}',
        json.dumps({"query": {"match": {"content": " ".join(map(str, range(120_000)))}}}),
        json.dumps({"query": {"bool": {"should": [{"match": {"content": "a"}}] * 30_000}}}),
        f'{{"query":"{"x" * 99_000}","q":0.5}}',
        f'{{"query":{"9" * 900_000}}}',
        f'{{"query":"{chr(92)}ud800","{chr(92)}udfff":1}}',
        "\x00" * 500_000,
    ):
        yield text.encode(), "identity"


def odd_heads(target: Target) -> Iterator[bytes]:
    """Heads that say two things, name other servers, or never end."""
    smuggled = f"GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()
    for lines in (
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Content-Length: 5", "Content-Length: 50"),
        ("Content-Length: -1",),
        ("Content-Length: 9999999999999999999999",),
        ("Transfer-Encoding: chunked, chunked",),
        ("Transfer-Encoding: xchunked",),
        ("X: a", " folded: b"),
        ("X: a\0b",),
        ("X" * 200_000,),
        *(("A: b",) * number for number in (200, 20_000)),
        ("Host: evil.example",),
        ("Origin: https://evil.example",),
        ("Origin: null",),
        ("Sec-Fetch-Site: cross-site",),
        ("Authorization: Basic x", "Authorization: Basic y"),
        ("Expect: 200-maybe", "Content-Length: 3"),
        ("Upgrade: websocket", "Connection: Upgrade"),
        ("Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABk"),
    ):
        yield target.head(*lines) + b"0\r\n\r\n" + smuggled
    for path in ("http://evil.example/", "t://x/", "*", "//evil.example/", "/..%2f..%2fetc/passwd",
                 "/%00", "/" + "a" * 100_000, "evil.example:80", "/\\evil.example"):  # fmt: skip
        yield target.head("Connection: close", path=path)
    yield b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
    chance = random.Random(7)
    for _ in range(ROUNDS):
        yield chance.randbytes(chance.randrange(1, 5_000))


def harm(target: Target) -> int:
    """Send all of it; the server must go on answering. Return by how much its memory grew."""
    for _ in range(5):
        assert target.asks() == 200
    target.idle = target.memory()
    target.forget_peak()
    harms: list[Callable[[], object]] = []
    for body, encoding in bodies():
        lines = [f"Content-Length: {len(body)}", f"Content-Encoding: {encoding}"]
        request = target.head(*lines) + body
        harms.append(lambda request=request: _at_once(target, request))
    harms += [lambda each=each: target.throw(each, 2) for each in odd_heads(target)]
    for each in harms:
        each()
        assert target.asks() == 200
    whole = target.head(f"Content-Length: {len(target.body)}") + target.body
    target.crowd(b"", 0.5)
    target.crowd(whole[:40], 0.5)
    target.crowd(target.head("Content-Length: 900000") + b"{" * 300_000, 0.5)
    target.crowd(target.head("Transfer-Encoding: chunked") + b"5\r\nab", 0.5)
    # Answers that nobody reads, one after the other on each connection.
    target.crowd(whole * 20, 1.0)
    assert target.asks() == 200
    assert target.process.poll() is None
    return target.growth()


def _at_once(target: Target, request: bytes) -> None:
    """The same from several clients, some of which go away."""
    with ThreadPoolExecutor(8) as clients:
        for number in range(max(4, ROUNDS)):
            clients.submit(target.throw, request, 0.2 if number % 4 == 3 else 20.0)


def _packed(piece: bytes, size: int) -> bytes:
    """The gzip of a piece said again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = piece * (1_000_000 // len(piece))
    found = [packer.compress(block) for _ in range(max(1, size // len(block)))]
    return b"".join([*found, packer.flush()])
