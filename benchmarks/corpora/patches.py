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
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOWHERE = "/dev/null"
# What git format-patch, git show and DEP-3 say about a commit that upstream has.
_UPSTREAM = re.compile(
    r"^From [0-9a-f]{40} |^commit [0-9a-f]{40}$|^Subject:\s*\[PATCH"
    r"|(cherry[- ]picked from commit|backport of) [0-9a-f]{7,40}\b"
    r"|^(Origin|Applied-Upstream)\s*:\s*(?!other|vendor|debian|no\b)\S",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a file as they were, and which of them change.

    `lines` begin at line `start`; `places` are runs of lines that go or are replaced, both ends
    included. Where lines are only added, the place is the line before and the line after.
    """

    path: str
    start: int
    lines: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch: its title, what more is written about it, and what it changes."""

    name: str
    title: str
    body: str
    changed: tuple[str, ...]
    hunks: tuple[Hunk, ...] = ()
    is_upstream: bool = False


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
    hunks = _hunks(lines[begin:])
    is_upstream = _UPSTREAM.search("\n".join(lines[:begin])) is not None
    return Patch(name, title, body, tuple(dict.fromkeys(h.path for h in hunks)), hunks, is_upstream)


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


def _hunks(lines: list[str]) -> tuple[Hunk, ...]:
    """Hunks of changed files, not of new or deleted ones; a/ and b/ are stripped."""
    found: list[Hunk] = []
    before = path = ""
    at = 0
    while at < len(lines):
        heading, hunk = _CHANGED.match(lines[at]), _HUNK.match(lines[at])
        at += 1
        if heading is not None and heading[1] == "---":
            before = heading[2]
        elif heading is not None:
            path = "" if _NOWHERE in (before, heading[2]) else heading[2].partition("/")[2]
        elif hunk is not None:
            removed, added = (int(count) if count else 1 for count in hunk.groups()[1:])
            begin = at
            # Within a hunk a line that looks like a file's name is a changed line.
            while (removed > 0 or added > 0) and at < len(lines):
                removed -= lines[at][:1] in ("-", " ", "")
                added -= lines[at][:1] in ("+", " ", "")
                at += 1
            if path:
                found.append(_hunk(path, int(hunk[1]), lines[begin:at]))
    return tuple(found)


def _hunk(path: str, start: int, lines: list[str]) -> Hunk:
    """A hunk from its marked lines."""
    old: list[str] = []
    places: list[tuple[int, int]] = []
    at = 0
    while at < len(lines):
        if lines[at][:1] not in ("-", "+"):
            if not lines[at].startswith("\\"):
                old.append(lines[at][1:])
            at += 1
            continue
        first = start + len(old)
        while at < len(lines) and lines[at][:1] in ("-", "+", "\\"):
            if lines[at].startswith("-"):
                old.append(lines[at][1:])
            at += 1
        last = start + len(old) - 1
        places.append((first, last) if last >= first else (max(first - 1, 1), max(first, 1)))
    return Hunk(path, start, tuple(old), tuple(places))


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    data = tar.extractfile(member)
    return "" if data is None else data.read().decode("utf-8", "replace")
