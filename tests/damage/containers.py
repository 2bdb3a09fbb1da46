"""Container files taken apart and put together by what their description says, checksums and all.

Nothing here is shared with the package, so that what it takes for granted isn't.
"""

from __future__ import annotations

import json
import random
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from mutations import Arrays, mutated_arrays, mutated_json

ALIGNMENT = 64


def read_arrays(path: Path) -> Arrays:
    data = path.read_bytes()
    length = int.from_bytes(data[8:16], "little")
    header = json.loads(data[20 : 20 + length])
    start = len(data) - header["size"]
    return {
        name: np.frombuffer(data, field["dtype"], field["length"], start + field["offset"])
        for name, field in header["arrays"].items()
    }


def encoded(name: str, arrays: Arrays, block: int = 64, mutate: Any = None) -> bytes:
    """A container of this name, in blocks so small that every array has several."""
    fields, body = {}, b""
    for key, array in arrays.items():
        data = array.tobytes()
        fields[key] = {
            "dtype": array.dtype.str,
            "length": len(array),
            "offset": len(body),
            "crc": [zlib.crc32(data[at : at + block]) for at in range(0, len(data), block)],
        }
        body += data + bytes(-len(data) % ALIGNMENT)
    described: Any = {"name": name, "size": len(body), "block_bytes": block, "arrays": fields}
    if mutate is not None:
        described = mutate(described)
    header = json.dumps(described).encode()
    sizes = len(header).to_bytes(8, "little") + zlib.crc32(header).to_bytes(4, "little")
    head = b"QIDFARR1" + sizes + header
    return head + b" " * (-len(head) % ALIGNMENT) + body


def mutate_container(path: Path, dice: random.Random) -> None:
    """Put a mutated copy in a file's place, whose checksums are right."""
    arrays = read_arrays(path)
    header = dice.random() < 0.15
    data = encoded(
        path.name,
        arrays if header else mutated_arrays(arrays, dice),
        dice.choice([64, 128, 1 << 18]),
        (lambda described: mutated_json(described, dice)) if header else None,
    )
    path.unlink()
    path.write_bytes(data)


def with_checksum(body: Any) -> bytes:
    """A manifest with the checksum that belongs to it."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    if isinstance(body, dict):
        body = {**body, "checksum": zlib.crc32(canonical)}
    return json.dumps(body).encode()
