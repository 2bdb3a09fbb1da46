"""One writer at a time: a lock the operating system drops when its holder dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qidf.errors import IndexLockedError, IndexNotFoundError

LOCK_NAME = "write.lock"


@contextmanager
def write_lock(directory: Path) -> Iterator[None]:
    """Hold the directory's write lock, or say at once that another process has it."""
    try:
        handle = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except (FileNotFoundError, NotADirectoryError):
        raise IndexNotFoundError(
            f"there is no index at {directory} any more; save this one to a path first"
        ) from None
    try:
        try:
            _acquire(handle)
        except OSError as error:
            raise IndexLockedError(
                f"another process is writing to {directory}; try again when it is done"
            ) from error
        yield
    finally:
        os.close(handle)


if os.name == "nt":  # pragma: no cover

    def _acquire(handle: int) -> None:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]

else:

    def _acquire(handle: int) -> None:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
