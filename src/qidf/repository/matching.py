"""Which paths a glob means."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Matcher = Callable[[str], bool]

_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]")


def path_matcher(globs: Sequence[str] | None, within: str | None = None) -> Matcher | None:
    """A test whether a path from the root matches any of these globs; None if all paths do.

    `*` and `?` stay within a name and `**` crosses folders. A glob without a slash may match any
    name in the path, and one that names a folder means all that is in it. `within` is a folder or
    file that no glob leads out of.
    """
    folder = (within or "").strip("/")
    inside = re.escape(folder) + "(?:/.*)?" if folder not in ("", ".") else ".*"
    if not globs and inside == ".*":
        return None
    wanted = "|".join(f"(?:{_translated(glob)})" for glob in globs or ["**"])
    pattern = re.compile(f"(?={inside}$)(?:{wanted})", re.DOTALL)
    return lambda path: pattern.fullmatch(path) is not None


def _translated(glob: str) -> str:
    anchored = "/" in glob.rstrip("/")
    text = glob.removeprefix("./").strip("/")
    if text in ("", "."):
        return ".*"
    translated, done = "", 0
    for piece in _PIECES.finditer(text):
        translated += re.escape(text[done : piece.start()]) + _piece(piece.group())
        done = piece.end()
    translated += re.escape(text[done:])
    return ("" if anchored else "(?:.*/)?") + translated + "(?:/.*)?"


def _piece(piece: str) -> str:
    if piece == "**/":
        return "(?:.*/)?"
    if piece == "**":
        return ".*"
    if piece == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    inside = piece[1:-1].replace("\\", "\\\\")
    return f"[^{inside[1:]}/]" if inside.startswith("!") else f"[{inside}]"
