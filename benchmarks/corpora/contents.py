"""The files inside a package, read without unpacking it to disk."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from qidf.errors import InputError

# Longer files are data, bundles or tables; the longest hand-written sources are well below.
MAX_FILE_BYTES = 1 << 20


def _deb_members(file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Members of the ar archive that a .deb is: 60-byte headers, contents padded to even length."""
    if file.read(8) != b"!<arch>\n":
        raise tarfile.ReadError("the ar signature is missing")
    while len(header := file.read(60)) == 60:
        size = int(header[48:58])
        yield header[:16].decode("ascii").strip().rstrip("/"), file.read(size)
        file.read(size % 2)


def _tar_files(tar: tarfile.TarFile, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for member in tar:
        name = member.name.removeprefix("./")
        if member.isreg() and name.endswith(suffixes) and member.size <= MAX_FILE_BYTES:
            handle = tar.extractfile(member)
            if handle is not None:
                yield name, handle.read()


def _files(path: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    if path.name.endswith(".deb"):
        with path.open("rb") as file:
            for name, data in _deb_members(file):
                if name.startswith("data.tar"):
                    with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as tar:
                        yield from _tar_files(tar, suffixes)
    elif path.name.endswith((".jar", ".whl", ".zip")):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.filename.endswith(suffixes) and info.file_size <= MAX_FILE_BYTES:
                    yield info.filename, archive.read(info)
    else:
        with tarfile.open(path, mode="r:*") as tar:
            yield from _tar_files(tar, suffixes)


def source_files(path: Path, suffixes: tuple[str, ...]) -> list[tuple[str, bytes]]:
    """Regular files of a package that end in one of `suffixes`, sorted by path."""
    try:
        return sorted(_files(path, suffixes))
    except (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, EOFError) as error:
        raise InputError(f"{path.name} can't be read ({error}); delete it and run again") from error
