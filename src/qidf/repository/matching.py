"""Which paths a glob means, and which languages a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from qidf.errors import InputError

Matcher = Callable[[str], bool]

_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]")

# What people write for languages whose names here are others; extensions are known anyway.
_SPELLED = {
    "c++": "cpp",
    "c#": "csharp",
    "emacslisp": "elisp",
    "golang": "go",
    "objectivec": "objc",
    "protobuf": "proto",
    "protocolbuffers": "proto",
    "shell": "bash",
    "vimscript": "vim",
}
# Who asks for TypeScript wants the components too.
_MEANT_TOO = {"typescript": ("tsx",)}


def language_names(given: Sequence[str] | None) -> frozenset[str] | None:
    """Languages by name or extension, in any spelling; None if all are wanted."""
    if not given:
        return None
    from qidf.syntax import LANGUAGES

    extensions = {
        ending.lstrip("."): name for name, each in LANGUAGES.items() for ending in each.extensions
    }
    names = set()
    for word in given:
        plain = re.sub(r"[\s_.-]+", "", word.lower())
        name = plain if plain in LANGUAGES else _SPELLED.get(plain) or extensions.get(plain)
        if name is None:
            from difflib import get_close_matches

            near = get_close_matches(plain, LANGUAGES, 1)
            hint = f"did you mean {near[0]!r}?" if near else "name one like 'python' or '.py'"
            raise InputError(f"{word[:64]!r} is no language known here; {hint}")
        names |= {name, *_MEANT_TOO.get(name, ())}
    return frozenset(names)


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
