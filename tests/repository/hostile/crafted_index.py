"""git indexes that git itself would never write."""

from __future__ import annotations

import hashlib
import struct

DIGEST = b"\x11" * 20


def entry(name: bytes, *, mode: int = 0o100644, length: int | None = None) -> bytes:
    """An entry of version 2 or 3, padded."""
    flags = min(len(name) if length is None else length, 0x0FFF)
    data = struct.pack(">24xL12x", mode) + DIGEST + struct.pack(">H", flags) + name
    return data.ljust((len(data) + 8) & ~7, b"\0")


def compressed(removed: int, added: bytes) -> bytes:
    """An entry of version 4: so many bytes less than the last name, and these behind them."""
    number = bytes([removed & 127])
    while removed := removed >> 7:
        removed -= 1
        number = bytes([128 | removed & 127]) + number
    return struct.pack(">24xL12x", 0o100644) + DIGEST + b"\0\0" + number + added + b"\0"


def index(
    *entries: bytes, version: int = 2, count: int | None = None, extensions: bytes = b""
) -> bytes:
    """A whole index with a right checksum."""
    number = len(entries) if count is None else count
    body = struct.pack(">4sLL", b"DIRC", version, number) + b"".join(entries) + extensions
    return body + hashlib.sha1(body).digest()


def extension(name: bytes, data: bytes) -> bytes:
    """An extension behind the entries."""
    return name + struct.pack(">L", len(data)) + data


def bitmap(*words: int) -> bytes:
    """A compressed bitmap as a split index has it."""
    packed = b"".join(struct.pack(">Q", word) for word in words)
    return struct.pack(">LL", 64 * len(words), len(words)) + packed + struct.pack(">L", 0)
