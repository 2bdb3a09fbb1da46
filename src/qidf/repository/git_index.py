"""Which names does git's index hold? Versions 2 to 4, split or sparse, as its format says.

https://git-scm.com/docs/index-format. Whoever wrote the file may have wanted to do harm: nothing
it says is taken beyond what is there, and only plain names come out.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Generator, Iterator
from pathlib import Path

from qidf.corpora.confinement import is_plain, read_if_regular

# The index of a million files, which is as many as are listed at all, is smaller.
MAX_BYTES = 256_000_000
# Where each name repeats most of the one before, a small index may hold far more than its size.
_MAX_NAMES_BYTES = 256_000_000
# No path that can be opened is longer.
_MAX_NAME_BYTES = 4_096

_HEADER = struct.Struct(">4sLL")
_EXTENSION = struct.Struct(">4sL")
# The mode, with times, device and inode before it, owner and size behind it.
_MODE = struct.Struct(">24xL12x")
_FLAGS = struct.Struct(">H")
_HAS_MORE_FLAGS, _NAME_LENGTH = 0x4000, 0x0FFF
_FOLDER = 0o040000


class _MalformedError(Exception):
    pass


def tracked_names(directory: Path, *, digest_bytes: int) -> Iterator[str]:
    """The names in the index of a git directory, as far as it is well-formed.

    A folder that a sparse index holds in place of its files is left out: they aren't checked out.
    """
    left = _MAX_NAMES_BYTES
    try:
        for name, is_folder in _all_entries(directory, digest_bytes):
            left -= len(name)
            if left < 0:
                return
            text = os.fsdecode(name)
            if not is_folder and is_plain(text):
                yield text
    except (_MalformedError, struct.error, IndexError):
        return


def _all_entries(directory: Path, digest_bytes: int) -> Iterator[tuple[bytes, bool]]:
    data = read_if_regular(directory / "index", MAX_BYTES, links=True) or b""
    end = yield from _entries(data, digest_bytes)
    link = _extension(data, end, digest_bytes, b"link")
    if link is None or len(link) < digest_bytes:
        return
    # A split index: most entries are in another file, some of them deleted since. One that was
    # replaced has no name here and keeps the one it has there.
    name = f"sharedindex.{link[:digest_bytes].hex()}"
    shared = read_if_regular(directory / name, MAX_BYTES, links=True) or b""
    deleted = _set_bits(link[digest_bytes:], most=len(shared))
    for number, entry in enumerate(_entries(shared, digest_bytes)):
        if not deleted[number]:
            yield entry


def _entries(data: bytes, digest_bytes: int) -> Generator[tuple[bytes, bool], None, int]:
    """Each entry's name and whether it is a folder; returns where the last one ends."""
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise _MalformedError
    at, name = _HEADER.size, b""
    flags_at = _MODE.size + digest_bytes
    for _ in range(count):
        (mode,) = _MODE.unpack_from(data, at)
        (flags,) = _FLAGS.unpack_from(data, at + flags_at)
        start = at + flags_at + (4 if flags & _HAS_MORE_FLAGS else 2)
        if version == 4:
            removed, start = _number(data, start)
            if removed > len(name):
                raise _MalformedError
            end = _name_end(data, start)
            name = name[: len(name) - removed] + data[start:end]
            at = end + 1
        else:
            length = flags & _NAME_LENGTH
            end = start + length if length < _NAME_LENGTH else _name_end(data, start)
            name = data[start:end]
            # One to eight NULs follow, up to a multiple of eight.
            at += (end - at + 8) & ~7
        if at > len(data) - digest_bytes or len(name) > _MAX_NAME_BYTES:
            raise _MalformedError
        yield name, mode == _FOLDER
    return at


def _name_end(data: bytes, start: int) -> int:
    end = data.find(b"\0", start, start + _MAX_NAME_BYTES + 1)
    if end < 0:
        raise _MalformedError
    return end


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    byte = data[at]
    value = byte & 127
    while byte & 128:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 127)
        if value > _MAX_NAME_BYTES:
            raise _MalformedError
    return value, at + 1


def _extension(data: bytes, at: int, digest_bytes: int, wanted: bytes) -> bytes | None:
    """What an extension behind the entries says, if it is there."""
    while at + _EXTENSION.size <= len(data) - digest_bytes:
        signature, size = _EXTENSION.unpack_from(data, at)
        at += _EXTENSION.size
        if signature == wanted:
            return data[at : at + size]
        at += size
    return None


def _set_bits(data: bytes, most: int) -> bytearray:
    """The first bits of a compressed bitmap, one a byte.

    It is words of 64 bits: one says how many words of nothing but zeros or ones there are, and how
    many follow as they are. https://git-scm.com/docs/bitmap-format
    """
    bits = bytearray(most)
    if len(data) < 8:
        return bits
    (count,) = struct.unpack_from(">4xL", data)
    words = struct.unpack_from(f">{min(count, len(data) // 8 - 1)}Q", data, 8)
    at, place = 0, 0
    while at < len(words) and place < most:
        word = words[at]
        run = ((word >> 1) & 0xFFFFFFFF) * 64
        if word & 1:
            bits[place : place + run] = b"\1" * max(0, min(run, most - place))
        place += run
        plain = words[at + 1 : at + 1 + (word >> 33)]
        for each in plain:
            for bit in range(64):
                if each >> bit & 1 and place + bit < most:
                    bits[place + bit] = 1
            place += 64
        at += 1 + len(plain)
    return bits
