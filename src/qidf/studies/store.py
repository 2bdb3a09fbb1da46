"""Results kept by a digest of everything they depend on, so that a rerun is instant.

A key holds the content of the data, the settings and the sources of the code; a change in any of
them makes another key, and nothing is ever stale. The folder can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from qidf.corpora.confinement import read_if_regular
from qidf.index.files import written

_CHECKSUM_BYTES = 4
# The largest kept are every query's measures of a study.
_MOST_BYTES = 1 << 30
# Studies and the layers that only ask for them; a measurement depends on all the others.
ASKING = ("studies", "serving", "integrations", "cli")
_PACKAGE = Path(__file__).parent.parent
_SOURCES = (".py", ".c", ".h", ".java")


def default_folder() -> Path:
    """Where results are kept: below $XDG_CACHE_HOME, or ~/.cache where that isn't set."""
    # The XDG base directory specification: a relative path is invalid and is to be ignored.
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return root / "qidf" / "studies"


@cache
def measuring_version() -> str:
    """A digest of everything in the package that a measurement can depend on."""
    return _digest(path for path in _sources() if path.parts[0] not in ASKING)


@cache
def studies_version() -> str:
    """A digest of the studies' own sources."""
    return _digest(path for path in _sources() if path.parts[0] == "studies")


def _sources() -> list[Path]:
    # Kernels in C count as much as Python does; what is compiled from either does not.
    return sorted(
        path.relative_to(_PACKAGE)
        for path in _PACKAGE.rglob("*")
        if path.is_file() and path.suffix in _SOURCES
    )


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.as_posix().encode() + b"\0")
        digest.update((_PACKAGE / path).read_bytes() + b"\0")
    return digest.hexdigest()[:16]


class Store:
    """JSON values and arrays under keys; without a folder it keeps nothing."""

    __slots__ = ("_folder",)

    def __init__(self, folder: Path | None) -> None:
        """Keep things in this folder, which is made when the first one comes."""
        self._folder = folder

    def json(self, key: Mapping[str, Any]) -> Any:
        """The value under a key, or None."""
        content = self._read(key, ".json")
        try:
            return None if content is None else json.loads(content)
        except (ValueError, RecursionError):
            return None

    def put_json(self, key: Mapping[str, Any], value: Any) -> None:
        """Keep a value."""
        self._write(key, ".json", json.dumps(value).encode("utf-8"))

    def arrays(self, key: Mapping[str, Any]) -> dict[str, np.ndarray] | None:
        """The arrays under a key, or None."""
        content = self._read(key, ".npz")
        if content is None:
            return None
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as saved:
                return {name: saved[name] for name in saved.files}
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
            return None

    def put_arrays(self, key: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Keep arrays."""
        packed = io.BytesIO()
        np.savez_compressed(packed, allow_pickle=False, **arrays)
        self._write(key, ".npz", packed.getvalue())

    def blob(self, key: Mapping[str, Any], suffix: str) -> bytes | None:
        """The file under a key, such as a picture, or None."""
        return self._read(key, suffix)

    def put_blob(self, key: Mapping[str, Any], suffix: str, content: bytes) -> None:
        """Keep a file."""
        self._write(key, suffix, content)

    def _path(self, key: Mapping[str, Any], suffix: str) -> Path | None:
        if self._folder is None:
            return None
        name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:40]
        return self._folder / name[:2] / (name + suffix)

    def _read(self, key: Mapping[str, Any], suffix: str) -> bytes | None:
        """What is kept; a file that is missing, cut short or altered is a miss like any other."""
        path = self._path(key, suffix)
        data = None if path is None else read_if_regular(path, _MOST_BYTES)
        if data is None or data[:_CHECKSUM_BYTES] != _checksum(data[_CHECKSUM_BYTES:]):
            return None
        return data[_CHECKSUM_BYTES:]

    def _write(self, key: Mapping[str, Any], suffix: str, content: bytes) -> None:
        path = self._path(key, suffix)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
            partial.unlink(missing_ok=True)
            with written(partial) as file:
                file.write(_checksum(content) + content)
            os.replace(partial, path)


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "little")
