"""One writer at a time: a lock the operating system drops when its holder dies."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qidf.errors import IndexLockedError, IndexNotFoundError, StoredIndexError
from qidf.index.files import NO_FOLLOWING, like_folder, not_regular

LOCK_NAME = "write.lock"
# How the operating system says that someone else has it; whatever else it says is a failure.
_TAKEN = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK})
# Device and inode of what this process holds: the system doesn't tell its threads apart.
_held: set[tuple[int, int]] = set()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_held.clear)


@contextmanager
def write_lock(directory: Path) -> Iterator[None]:
    """Hold the directory's write lock, or say at once that somebody else has it."""
    handle = _open(directory)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise not_regular(directory / LOCK_NAME)
        key = status.st_dev, status.st_ino
        try:
            _acquire(handle)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise StoredIndexError(
                    f"{directory} can't be locked ({error.strerror or error}); "
                    "keep the index on a disk that knows locks, such as a local one"
                ) from error
            who = "another thread of this process" if key in _held else "another process"
            raise IndexLockedError(
                f"{who} is writing to {directory}; try again when it is done"
            ) from error
        _held.add(key)
        try:
            yield
        finally:
            _held.discard(key)
    finally:
        os.close(handle)


def _open(directory: Path) -> int:
    path = directory / LOCK_NAME
    # A pipe opened both to read and to write doesn't wait for the other side.
    try:
        return like_folder(str(path), os.O_RDWR | os.O_CREAT | NO_FOLLOWING)
    except (FileNotFoundError, NotADirectoryError):
        raise IndexNotFoundError(
            f"there is no index at {directory} any more; save this one to a path first"
        ) from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise not_regular(path) from None
        raise


if os.name == "nt":  # pragma: no cover

    def _acquire(handle: int) -> None:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]

else:

    def _acquire(handle: int) -> None:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
