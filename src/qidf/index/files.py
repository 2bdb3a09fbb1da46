"""Files that are read back: regular ones only, under plain names, of a sane size.

Whoever can write to a folder can put a pipe, a device or a link in the place of a file. Opening a
pipe would wait for ever, and a link would lead out of the folder.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from qidf.errors import CorruptIndexError

# Windows has neither of them, and none of what they guard against.
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
NO_FOLLOWING = getattr(os, "O_NOFOLLOW", 0)


def is_plain_name(name: object) -> bool:
    """Whether this names a file in its own folder and nothing elsewhere."""
    return (
        isinstance(name, str)
        and name not in ("", ".", "..")
        and not any(character in name for character in "/\\\0:")
    )


def open_regular(path: Path, *, follow: bool = False) -> BinaryIO:
    """Open a regular file to read, never waiting; a link is refused unless it may be followed."""
    flags = os.O_RDONLY | _NO_WAITING | (0 if follow else NO_FOLLOWING)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise not_regular(path) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise not_regular(path)
    return os.fdopen(handle, "rb")


def read_regular(path: Path, most: int, *, follow: bool = False) -> bytes:
    """Read a regular file of at most so many bytes."""
    with open_regular(path, follow=follow) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise CorruptIndexError(
            f"{path} has more than the {most:,} bytes it can have; restore it from a copy or "
            "build the index again"
        )
    return data


def not_regular(path: Path) -> CorruptIndexError:
    """What to say of a folder, link, pipe or device in the place of a file."""
    return CorruptIndexError(
        f"{path} is not a regular file; restore it from a copy or build the index again"
    )


def like_folder(path: str, flags: int) -> int:
    """An opener by which a new file may be read by whoever may read its folder, at most."""
    folder = os.stat(os.path.dirname(path) or os.curdir)
    return os.open(path, flags, folder.st_mode & 0o666)


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """Write a new file and flush it to disk; an error names it, and leaves nothing of it behind."""
    try:
        with open(path, "xb", opener=like_folder) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except BaseException as error:
        with suppress(OSError):
            path.unlink()
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)
        raise


def sync_folder(folder: Path) -> None:
    """Make renames and new names durable; Windows has no such call and needs none."""
    if os.name == "nt":  # pragma: no cover
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        error.filename = str(folder)
        raise
    finally:
        os.close(handle)
