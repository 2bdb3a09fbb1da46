"""Reading one file of a repository: stable, decoded, or left out with a reason."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
from pathlib import Path
from typing import NamedTuple

from qidf.corpora.confinement import open_below
from qidf.records import dataclass

BINARY, TOO_LARGE, EMPTY = "binary", "too large", "empty"
UNREADABLE, VANISHED = "unreadable", "vanished while being read"

# Source files that people write are smaller; what is larger is data or generated.
DEFAULT_MAX_BYTES = 4_000_000
# git looks for a NUL in as many bytes.
SNIFFED_BYTES = 8_000
# The coarsest clock that file systems keep modification times with (FAT's).
CLOCK_TICK_NS = 2_000_000_000
# What a file may have grown by since its size was asked.
_GROWTH_BYTES = 16_384
# A file that is being written to is read again this often before what was read last is taken.
_ATTEMPTS = 3

_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Stamp(NamedTuple):
    """What tells one state of a file from another without reading it.

    A modification time of -1 equals no file's: a file that was changed within a clock tick of
    being read may change again and keep its time, so it is read once more (git calls it racy).
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file as stat sees it."""
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)

    def settled(self, now_ns: int) -> Stamp:
        """The stamp to remember, if the file was read at this time."""
        if max(self.mtime_ns, self.ctime_ns if os.name != "nt" else 0) < now_ns - CLOCK_TICK_NS:
            return self
        return Stamp(self.size, -1, self.ctime_ns, self.inode)


# What stands for the content of a file that wasn't read.
NO_DIGEST = bytes(16)


@dataclass(frozen=True, slots=True)
class Source:
    """A file as read; `reason` says why it has no text."""

    stamp: Stamp
    digest: bytes = NO_DIGEST
    text: str = ""
    reason: str = ""


def read_source(root: Path, name: str, max_bytes: int = DEFAULT_MAX_BYTES) -> Source:
    """Read a file below a root, and read it again if it changed meanwhile; no link is followed.

    Of code beyond the limit as many whole lines are read as fit; other files beyond it are data.
    """
    source = Source(Stamp(-1, -1, -1, -1), reason=VANISHED)
    for _ in range(_ATTEMPTS):
        now = time.time_ns()
        try:
            handle = open_below(root, name)
        except FileNotFoundError:
            return source
        except OSError:
            return Source(_stamp_of(root / name), reason=UNREADABLE)
        with open(handle, "rb", buffering=0) as file:
            try:
                before = os.fstat(handle)
                stamp = Stamp.of(before)
                if not stat.S_ISREG(before.st_mode):
                    return Source(stamp, reason=UNREADABLE)
                is_cut = before.st_size > max_bytes
                if is_cut and not _is_code(name):
                    return Source(stamp, reason=TOO_LARGE)
                # Room for all of a large file would be taken, and given back, for every small one.
                data = file.read(min(before.st_size + _GROWTH_BYTES, max_bytes + 1)) or b""
                size = min(before.st_size, max_bytes)
                while len(data) < size and (more := file.read(size - len(data))):
                    data += more
                stable = Stamp.of(os.fstat(handle)) == stamp
                if is_cut:
                    data = data[: data.rfind(b"\n", 0, max_bytes) + 1]
                else:
                    stable &= len(data) == stamp.size
            except OSError:
                return Source(_stamp_of(root / name), reason=UNREADABLE)
        source = _decoded(data, stamp.settled(now) if stable else Stamp(-1, -1, -1, -1))
        if stable:
            break
    return source


class RecentFiles:
    """Lines of files below a root, of which those read last are kept while they stay as they are.

    One object may be used from several threads.
    """

    def __init__(self, root: Path, room: int = 32_000_000) -> None:
        """Keep no more than so many bytes."""
        self._root, self._room = root, room
        self._top = str(root)
        self._known: dict[str, tuple[Stamp, int, list[bytes]]] = {}
        self._kept = 0
        self._lock = threading.Lock()

    def lines(self, name: str, first: int, last: int, max_bytes: int) -> list[str]:
        """Lines of a file, from 1 and inclusive, as far as it has them; none if it has gone."""
        found = self._all(name, max_bytes)[first - 1 : last]
        if not found:
            return []
        lines = b"\n".join(found).decode("utf-8", "replace").split("\n")
        return [line.removesuffix("\r") for line in lines]

    def _all(self, name: str, max_bytes: int) -> list[bytes]:
        known = self._known.get(name)
        if known is not None and known[1] == max_bytes:
            try:
                # What is kept was read from below the root, whatever the path leads to by now.
                if Stamp.of(os.lstat(f"{self._top}/{name}")) == known[0]:
                    return known[2]
            except OSError:
                pass
        now = time.time_ns()
        try:
            with open(open_below(self._root, name), "rb", buffering=0) as file:
                found = os.fstat(file.fileno())
                # As much room as the file takes, whatever the limit.
                data = file.read(min(found.st_size + _GROWTH_BYTES, max_bytes)) or b""
        except OSError:
            return []
        encoding = _UTF16.get(data[:2])
        if encoding is not None:
            data = data[2:].decode(encoding, "replace").encode("utf-8", "surrogatepass")
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        if not lines[-1]:
            lines.pop()
        self._keep(name, Stamp.of(found).settled(now), max_bytes, lines)
        return lines

    def _keep(self, name: str, stamp: Stamp, max_bytes: int, lines: list[bytes]) -> None:
        with self._lock:
            self._drop(name)
            self._known[name] = (stamp, max_bytes, lines)
            self._kept += _room_of(lines)
            while self._kept > self._room:
                self._drop(next(iter(self._known)))

    def _drop(self, name: str) -> None:
        _, _, lines = self._known.pop(name, (None, 0, []))
        self._kept -= _room_of(lines)


def _room_of(lines: list[bytes]) -> int:
    # An object of bytes takes as much beside what it holds.
    return sum(map(len, lines)) + 41 * len(lines)


def _is_code(name: str) -> bool:
    from qidf.syntax import detect_language

    language = detect_language(name, b"")
    return language is not None and language.grammar is not None


def _stamp_of(path: Path) -> Stamp:
    try:
        return Stamp.of(os.lstat(path))
    except OSError:
        return Stamp(-1, -1, -1, -1)


def _decoded(data: bytes, stamp: Stamp) -> Source:
    digest = content_digest(data)
    if not data:
        return Source(stamp, digest, reason=EMPTY)
    encoding = _UTF16.get(data[:2])
    if encoding is not None:
        text = data[2:].decode(encoding, "replace")
        return Source(stamp, digest, text, BINARY if "\0" in text[:SNIFFED_BYTES] else "")
    if b"\0" in data[:SNIFFED_BYTES]:
        return Source(stamp, digest, reason=BINARY)
    return Source(stamp, digest, data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))


def content_digest(data: bytes) -> bytes:
    """Sixteen bytes that stand for a file's content."""
    return hashlib.blake2b(data, digest_size=16).digest()
