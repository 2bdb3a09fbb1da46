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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from qidf.errors import CorruptIndexError
from qidf.index.files import open_regular, written

MAGIC = b"QIDFARR1"
ALIGNMENT = 64
# 256 KiB: one query's terms touch a handful of blocks (about 0.1 ms each to verify), while the
# checksums of a gigabyte still fit in 16 KB of header.
BLOCK_BYTES = 1 << 18
_PREFIX = len(MAGIC) + 8 + 4
_DTYPES = frozenset({"|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8"})
# Says what is wrong with elements `first` to `last` (excluded) of an array, or nothing.
Check = Callable[[int, int], str | None]


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
    with written(path) as file:
        file.write(MAGIC + len(header).to_bytes(8, "little"))
        file.write(zlib.crc32(header).to_bytes(4, "little"))
        file.write(header.ljust(start - _PREFIX, b" "))
        for name, array in views.items():
            file.seek(start + fields[name]["offset"])
            if array.size:
                file.write(array.data.cast("B"))
        file.truncate(start + offset)


class Container:
    """A container file mapped into memory; arrays are verified when they are asked for."""

    __slots__ = (
        "_block_bytes",
        "_checks",
        "_fields",
        "_map",
        "_settled",
        "_start",
        "_verified",
        "path",
    )

    def __init__(self, path: Path) -> None:
        """Map the file and check its header and size; array contents are checked on access."""
        self.path = path
        with open_regular(path) as file:
            prefix = file.read(_PREFIX)
            length = int.from_bytes(prefix[8:16], "little")
            actual = os.fstat(file.fileno()).st_size
            if prefix[:8] != MAGIC or len(prefix) < _PREFIX or length > actual:
                raise self.corrupt("its first bytes are not those of an index file")
            header = file.read(length)
            if zlib.crc32(header) != int.from_bytes(prefix[16:20], "little"):
                raise self.corrupt("its header's checksum does not match")
            self._start = -(-(_PREFIX + length) // ALIGNMENT) * ALIGNMENT
            described = self._described(header)
            expected = self._start + described["size"]
            if actual != expected:
                raise self.corrupt(f"it has {actual} bytes instead of {expected}")
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._block_bytes: int = described["block_bytes"]
        self._fields: dict[str, dict[str, Any]] = described["arrays"]
        self._verified: dict[str, np.ndarray] = {
            name: np.zeros(len(field["crc"]), dtype=bool) for name, field in self._fields.items()
        }
        self._checks: dict[str, Check] = {}
        self._settled: set[str] = set()

    def _described(self, header: bytes) -> dict[str, Any]:
        """Read a header, holding whatever it says to what it can say."""
        try:
            described = json.loads(header)
            if not isinstance(described, dict):
                raise TypeError
            if described.get("name") != self.path.name:
                raise self.corrupt(f"it was written as {described.get('name')!s:.100}")
            size, block_bytes = described["size"], described["block_bytes"]
            # Blocks of whole elements, whatever their width.
            sound = _is_count(size) and _is_count(block_bytes) and block_bytes > 0
            sound = sound and block_bytes % ALIGNMENT == 0 and isinstance(described["arrays"], dict)
            sound = sound and all(
                _fits(field, size, block_bytes) for field in described["arrays"].values()
            )
        except (ValueError, KeyError, TypeError, RecursionError):
            sound = False
        if not sound:
            raise self.corrupt("its header doesn't describe arrays")
        return dict(described)

    def corrupt(self, what: str) -> CorruptIndexError:
        """The error that says so of this file."""
        return CorruptIndexError(
            f"{self.path} is corrupt ({what}); restore it from a copy or build the index again"
        )

    def require(self, problem: str | None) -> None:
        """Refuse the file if something is wrong with it."""
        if problem is not None:
            raise self.corrupt(problem)

    def guard(self, name: str, check: Check) -> None:
        """Hold each block of an array to a check of its content too, when it is first verified."""
        self._checks[name] = check

    def is_settled(self, question: str) -> bool:
        """Whether `settle` was called for this."""
        return question in self._settled

    def settle(self, question: str) -> None:
        """Remember that something about the whole file was checked and found right."""
        self._settled.add(question)

    def __contains__(self, name: str) -> bool:
        """Whether the file holds an array of that name."""
        return name in self._fields

    def array(self, name: str, *dtypes: str) -> np.ndarray:
        """The whole array, every block of it verified; of one of these types, if any are given."""
        array = self.unverified(name, *dtypes)
        self.verify(name, 0, len(array))
        return array

    def unverified(self, name: str, *dtypes: str) -> np.ndarray:
        """The array as mapped; call `verify` for a range before reading it."""
        field = self._fields.get(name)
        if field is None:
            raise self.corrupt(f"it has no {name!r} array")
        if dtypes and field["dtype"] not in dtypes:
            raise self.corrupt(f"{name!r} is of another type than it is stored with")
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
        if verified[begin] if end - begin == 1 else verified[begin:end].all():
            return
        base = self._start + field["offset"]
        size = field["length"] * np.dtype(field["dtype"]).itemsize
        view = memoryview(self._map)[base : base + size]
        check = self._checks.get(name)
        for block in range(begin, end):
            if not verified[block]:
                part = view[block * self._block_bytes : (block + 1) * self._block_bytes]
                if zlib.crc32(part) != field["crc"][block]:
                    raise self.corrupt(f"checksum mismatch in {name!r}")
                if check is not None:
                    stop = min((block + 1) * per_block, field["length"])
                    self.require(check(block * per_block, stop))
                verified[block] = True

    def verify_all(self) -> None:
        """Check every block of every array."""
        for name, field in self._fields.items():
            self.verify(name, 0, field["length"])


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _fits(field: Any, size: int, block_bytes: int) -> bool:
    """Whether an array's description is one, and leads nowhere outside the file."""
    dtype, length, offset, crc = (field[name] for name in ("dtype", "length", "offset", "crc"))
    if dtype not in _DTYPES or not _is_count(length) or not _is_count(offset):
        return False
    taken = length * int(dtype[2:])
    return (
        offset % ALIGNMENT == 0
        and offset + taken <= size
        and isinstance(crc, list)
        and len(crc) == -(-taken // block_bytes)
        and set(map(type, crc)) <= {int}
    )
