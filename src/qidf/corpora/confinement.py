"""Opening a file below a folder and never beyond it: no link on the way, no race to win.

And nothing but regular files of a sane size, wherever a stranger may have chosen what is there: a
pipe would keep us waiting, a device would never end.
"""

from __future__ import annotations

import os
import stat
from errno import EINVAL, ELOOP

_CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
# Linux names what a descriptor has open: one question in place of a walk, which costs a first index
# of eleven thousand files half a second.
_OPENED = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else None
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# A named pipe would otherwise wait for its other end, and a terminal would become ours.
_SAFELY = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_BINARY", 0) | _SAFELY
_FOLDER = _FILE | getattr(os, "O_DIRECTORY", 0)

# Parts of a path that are no names of files; `git~1` is how Windows may abbreviate `.git`.
_NO_NAMES = frozenset({"", ".", "..", ".git", "git~1"})
_FORBIDDEN = "\\:" if os.name == "nt" else ""


class NotRegularError(OSError):
    """What is there is a folder, a pipe, a device or a socket."""


def is_plain(name: str) -> bool:
    """Whether a path is plain names with slashes between: it leads nowhere but down.

    What belongs to git itself isn't a repository's to show.
    """
    return (
        "\0" not in name
        and not any(each in name for each in _FORBIDDEN)
        and _NO_NAMES.isdisjoint(name.lower().split("/"))
    )


def open_below(root: str | os.PathLike[str], name: str) -> int:
    """A descriptor to read a regular file with, `name` being plain names with slashes between.

    The root is taken as it is, so resolve it first. A link below it, the file itself or a folder
    that has just become one, is an OSError, and so is what isn't a regular file.
    """
    if not is_plain(name):
        raise OSError(EINVAL, "a path that isn't plain names", name)
    handle = _open_below(os.fspath(root), name)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotRegularError(EINVAL, "not a regular file", name)
    return handle


def read_if_regular(
    path: str | os.PathLike[str], limit: int, *, links: bool = False
) -> bytes | None:
    """A regular file's bytes; None if it is none, has more than the limit or can't be read."""
    try:
        with open(os.open(path, _FILE & ~_NO_LINK if links else _FILE), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
                return None
            # A file may grow, or say that it is empty, and never end.
            data = file.read(limit + 1)
    except (OSError, ValueError):
        return None
    return data if len(data) <= limit else None


def _open_below(top: str, name: str) -> int:
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
    folder = os.open(top, _FOLDER & ~_NO_LINK)
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
