"""Which paths a glob means, and which languages a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from qidf.errors import InputError
from qidf.repository.globs import GlobError, check, compile_globs

Matcher = Callable[[str], bool]

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

    One that begins with ! leaves out what it matches, whatever the others say.
    `*` and `?` stay within a name and `**` stands for folders. A glob without a slash may match any
    name in the path, and one that names a folder means all that is in it. `within` is a folder or
    file that no glob leads out of.
    """
    folder = (within or "").strip("/")
    inside = "" if folder == "." else folder
    wanted = [glob for glob in globs or () if not glob.startswith("!")]
    unwanted = [glob[1:] for glob in globs or () if glob.startswith("!")]
    pattern = _compiled(wanted) if wanted else None
    excluded = _compiled(unwanted) if unwanted else None
    if pattern is None and excluded is None and not inside:
        return None

    def matches(path: str) -> bool:
        if inside and path != inside and not path.startswith(f"{inside}/"):
            return False
        if excluded is not None and excluded.fullmatch(path) is not None:
            return False
        return pattern is None or pattern.fullmatch(path) is not None

    return matches


def _compiled(globs: Sequence[str]) -> re.Pattern[str]:
    anchored = []
    for glob in globs:
        text = glob.removeprefix("./").strip("/")
        try:
            check(text)
        except GlobError as error:
            shown = f"{glob[:64]!r}{'...' if len(glob) > 64 else ''}"
            raise InputError(
                f"the path {shown} {error}; write a glob like 'src/**' or '*.py'"
            ) from None
        if text in ("", "."):
            text = "**"
        anchored.append(text if "/" in glob.rstrip("/") else f"**/{text}")
    return compile_globs(anchored, behind="(?:/.*)?")
