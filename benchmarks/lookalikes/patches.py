"""Debian's patches to a package: what they say they mend, and which files they change."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# DEP-3, and what git and quilt write at the top of a patch.
_FIELD = re.compile(r"^([A-Z][A-Za-z0-9-]*)\s*:\s?(.*)$")
_TEXT_FIELDS = frozenset({"description", "subject"})
# git format-patch puts this before the subject.
_SERIES = re.compile(r"^\[[^\]]*\]\s*")
_BEGINS = re.compile(r"^(---|diff |Index: |\+\+\+ |@@ |={20,})")
_CHANGED = re.compile(r"^(---|\+\+\+) (\S+)")
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch: its title, what more is written about it, and the files that it changes."""

    name: str
    title: str
    body: str
    changed: tuple[str, ...]


def read_patches(archive: Path) -> Iterator[Patch]:
    """The patches in use of a package's debian.tar, in the order of their series."""
    with tarfile.open(archive, mode="r:*") as tar:
        members = {member.name.removeprefix("./"): member for member in tar if member.isfile()}
        series = members.get("debian/patches/series")
        if series is None:
            return
        for line in _read(tar, series).splitlines():
            name = line.split("#")[0].split()
            member = members.get(f"debian/patches/{name[0]}") if name else None
            if member is not None:
                yield parse_patch(name[0], _read(tar, member))


def parse_patch(name: str, text: str) -> Patch:
    """Tell the words of a patch from its fields and from what it changes."""
    lines = text.replace("\r\n", "\n").split("\n")
    begin = next((at for at, line in enumerate(lines) if _BEGINS.match(line)), len(lines))
    title, body = _words(lines[:begin])
    return Patch(name, title, body, _changed(lines[begin:]))


def _words(header: list[str]) -> tuple[str, str]:
    """Title and body: the text fields with their continuations, and lines that are no field's.

    Other fields (origin, author, bug) would give away nothing or too much, and are left out.
    """
    kept: list[str] = []
    within = True
    for line in header:
        field = _FIELD.match(line)
        if field is not None:
            within = field[1].lower() in _TEXT_FIELDS
            if within:
                kept.append(_SERIES.sub("", field[2]).strip())
        elif line[:1] in (" ", "\t"):
            if within:
                # DEP-3 writes an empty line as a dot.
                kept.append("" if line.strip() == "." else line.strip())
        else:
            within = True
            kept.append("" if line.startswith(("#", "From ")) else line.strip())
    text = "\n".join(kept).strip("\n")
    title, _, body = text.partition("\n")
    return title.strip(), body.strip()


def _changed(lines: list[str]) -> tuple[str, ...]:
    """Files that are changed, new ones and deleted ones left out; a/ and b/ are stripped."""
    found: dict[str, None] = {}
    before = ""
    removed = added = 0
    for line in lines:
        if removed or added:
            # Within a hunk a line that looks like a file's name is a changed line.
            removed -= line[:1] in ("-", " ", "")
            added -= line[:1] in ("+", " ", "")
            continue
        hunk = _HUNK.match(line)
        if hunk is not None:
            removed, added = (int(count) if count else 1 for count in hunk.groups())
            continue
        heading = _CHANGED.match(line)
        if heading is not None and heading[1] == "---":
            before = heading[2]
        elif heading is not None and _NOWHERE not in (before, heading[2]):
            found[heading[2].partition("/")[2]] = None
    return tuple(found)


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    data = tar.extractfile(member)
    return "" if data is None else data.read().decode("utf-8", "replace")
