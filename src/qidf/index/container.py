"""One file holding several named arrays, checksummed, written atomically, read by memory map.

Layout: 8 bytes magic, 8 bytes header length, 4 bytes header CRC-32, the JSON header, then each
array at an offset that is a multiple of 64. The header gives every array's dtype, length, offset
and the CRC-32 of each of its blocks, so that a reader can verify just the blocks it touches; and
the file's own name, so that an intact file in another's place is found out.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from qidf.errors import CorruptIndexError

MAGIC = b"QIDFARR1"
ALIGNMENT = 64
# 256 KiB: one query's terms touch a handful of blocks (about 0.1 ms each to verify), while the
# checksums of a gigabyte still fit in 16 KB of header.
BLOCK_BYTES = 1 << 18
_PREFIX = len(MAGIC) + 8 + 4


def write_container(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the arrays to `path` and flush them to disk; the file must not exist yet."""
    fields: dict[str, dict[str, Any]] = {}
    offset = 0
    views = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    for name, array in views.items():
        data = array.data.cast("B") if array.size else memoryview(b"")
        fields[name] = {
            "dtype": array.dtype.str,
            "length": int(array.size),
            "offset": offset,
            "crc": [
                zlib.crc32(data[start : start + BLOCK_BYTES])
                for start in range(0, len(data), BLOCK_BYTES)
            ],
        }
        offset += -(-len(data) // ALIGNMENT) * ALIGNMENT
    described = {
        "name": path.name,
        "size": offset,
        "block_bytes": BLOCK_BYTES,
        "arrays": fields,
    }
    header = json.dumps(described, separators=(",", ":")).encode()
    start = -(-(_PREFIX + len(header)) // ALIGNMENT) * ALIGNMENT
    with open(path, "xb") as file:
        file.write(MAGIC + len(header).to_bytes(8, "little"))
        file.write(zlib.crc32(header).to_bytes(4, "little"))
        file.write(header.ljust(start - _PREFIX, b" "))
        for name, array in views.items():
            file.seek(start + fields[name]["offset"])
            if array.size:
                file.write(array.data.cast("B"))
        file.truncate(start + offset)
        file.flush()
        os.fsync(file.fileno())


class Container:
    """A container file mapped into memory; arrays are verified when they are asked for."""

    __slots__ = ("_block_bytes", "_fields", "_map", "_start", "_verified", "path")

    def __init__(self, path: Path) -> None:
        """Map the file and check its header and size; array contents are checked on access."""
        self.path = path
        with open(path, "rb") as file:
            prefix = file.read(_PREFIX)
            length = int.from_bytes(prefix[8:16], "little")
            actual = os.fstat(file.fileno()).st_size
            if prefix[:8] != MAGIC or len(prefix) < _PREFIX or length > actual:
                raise self._corrupt("its first bytes are not those of an index file")
            header = file.read(length)
            if zlib.crc32(header) != int.from_bytes(prefix[16:20], "little"):
                raise self._corrupt("its header's checksum does not match")
            self._start = -(-(_PREFIX + length) // ALIGNMENT) * ALIGNMENT
            described = json.loads(header)
            if described.get("name") != path.name:
                raise self._corrupt(f"it was written as {described.get('name')}")
            if actual != self._start + described["size"]:
                expected = self._start + described["size"]
                raise self._corrupt(f"it has {actual} bytes instead of {expected}")
            # Copy-on-write: numba would compile every kernel a second time for read-only arrays.
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self._block_bytes: int = described["block_bytes"]
        self._fields: dict[str, dict[str, Any]] = described["arrays"]
        self._verified: dict[str, np.ndarray] = {
            name: np.zeros(len(field["crc"]), dtype=bool) for name, field in self._fields.items()
        }

    def _corrupt(self, what: str) -> CorruptIndexError:
        return CorruptIndexError(
            f"{self.path} is corrupt ({what}); restore it from a copy or build the index again"
        )

    def __contains__(self, name: str) -> bool:
        """Whether the file holds an array of that name."""
        return name in self._fields

    def array(self, name: str) -> np.ndarray:
        """The whole array, every block of it verified."""
        self.verify(name, 0, self._fields[name]["length"] if name in self._fields else 0)
        return self.unverified(name)

    def unverified(self, name: str) -> np.ndarray:
        """The array as mapped; call `verify` for a range before reading it."""
        field = self._fields.get(name)
        if field is None:
            raise self._corrupt(f"it has no {name!r} array")
        return np.frombuffer(
            self._map, np.dtype(field["dtype"]), field["length"], self._start + field["offset"]
        )

    def blocks(self, name: str) -> tuple[np.ndarray, int]:
        """Which blocks of the array are verified so far, and how many elements a block holds."""
        width = np.dtype(self._fields[name]["dtype"]).itemsize
        return self._verified[name], self._block_bytes // width

    def verify(self, name: str, first: int, last: int) -> None:
        """Check the blocks that hold elements `first` to `last` (excluded), once each."""
        if last <= first:
            return
        field, (verified, per_block) = self._fields[name], self.blocks(name)
        begin, end = first // per_block, -(-last // per_block)
        if verified[begin:end].all():
            return
        base = self._start + field["offset"]
        size = field["length"] * np.dtype(field["dtype"]).itemsize
        view = memoryview(self._map)[base : base + size]
        for block in range(begin, end):
            if not verified[block]:
                part = view[block * self._block_bytes : (block + 1) * self._block_bytes]
                if zlib.crc32(part) != field["crc"][block]:
                    raise self._corrupt(f"checksum mismatch in {name!r}")
                verified[block] = True

    def verify_all(self) -> None:
        """Check every block of every array."""
        for name, field in self._fields.items():
            self.verify(name, 0, field["length"])
