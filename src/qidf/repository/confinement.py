"""Opening a file below a folder and never beyond it: no link on the way, no race to win."""

from __future__ import annotations

import os
from errno import ELOOP

_CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
# Linux names what a descriptor has open: one question in place of a walk, which costs a first index
# of eleven thousand files half a second.
_OPENED = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else None
# A named pipe would otherwise wait for its other end, and a terminal would become ours.
_SAFELY = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | _SAFELY
_FOLDER = _FILE | getattr(os, "O_DIRECTORY", 0)


def open_below(root: str | os.PathLike[str], name: str) -> int:
    """A descriptor to read a file with, `name` being plain names with slashes between.

    The root is taken as it is, so resolve it first. A link below it, the file itself or a folder
    that has just become one, is an OSError.
    """
    top = os.fspath(root)
    if _OPENED is not None:
        path = f"{top.rstrip(os.sep)}/{name}"
        handle = os.open(path, _FILE)
        try:
            if os.readlink(f"{_OPENED}/{handle}") == path:
                return handle
        except OSError:
            pass
        os.close(handle)
        # A link, a root that is itself reached through one or was moved: the walk tells.
    return _walk(top, name) if _CAN_WALK else _open_resolved(top, name)


def _walk(top: str, name: str) -> int:
    """Open folder after folder from the root's own descriptor, following no link."""
    *folders, last = name.split("/")
    folder = os.open(top, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for part in folders:
            below = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        return os.open(last, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _open_resolved(top: str, name: str) -> int:
    """Where descriptors can't be walked: resolve, open, and see that it was the same file."""
    wanted = os.path.join(top, *name.split("/"))
    expected = os.path.join(os.path.realpath(top), *name.split("/"))
    handle = os.open(wanted, _FILE)
    same = os.path.realpath(wanted) == expected and os.path.samestat(
        os.fstat(handle), os.stat(wanted, follow_symlinks=False)
    )
    if not same:
        os.close(handle)
        raise OSError(ELOOP, os.strerror(ELOOP), wanted)
    return handle
