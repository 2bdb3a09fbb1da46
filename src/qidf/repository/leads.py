"""Where a question leads by name: to files whose path it gives, to definitions that it names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from qidf.index import Groups, Index
from qidf.records import dataclass
from qidf.repository.frames import Frame, common_end
from qidf.repository.state import parse_chunk_id
from qidf.weighting import BM25

# Spans that may define a name; those that hold it most often are looked at.
MAX_LOOKED_AT = 300
# A path that so many files end in is a name like `__init__.py`, and leads nowhere.
MAX_FILES = 8
# The same for a name that so many definitions have.
MAX_DEFINITIONS = 12
# Names looked up for one question; a pasted log may hold thousands.
MAX_NAMES = 60
# Frames further out than this are the caller's own code, or a framework's loop.
MAX_DEPTH = 10

_JOINT = re.compile(r"\.|::|#|->|/")
_SYMBOL_JOINT = re.compile(r"\.|::|#")


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A span that defines a name, and how surely it is the one that is meant, up to 1."""

    position: int
    name: str
    sureness: float


@dataclass(frozen=True, eq=False)
class FileTable:
    """The files of an index: which spans are theirs, and their paths."""

    groups: Groups
    paths: Sequence[str] = field(repr=False)

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[int]]:
        """The numbers of files by their last name, with its ending and without."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, path in enumerate(self.paths):
            name = path.rpartition("/")[2]
            found[name].append(number)
            stem = name.partition(".")[0]
            if stem and stem != name:
                found[stem].append(number)
        return found

    def at(self, mention: str) -> list[int]:
        """The files that a path in a text means: those that have most of it, if they are few."""
        name = re.split(r"[/\\]", mention)[-1]
        ends = {n: common_end(mention, self.paths[n]) for n in self.by_name.get(name, ())}
        most = max(ends.values(), default=0)
        found = [number for number, both in ends.items() if both == most > 0]
        return found if len(found) <= MAX_FILES else []

    def of_module(self, parts: Sequence[str]) -> list[int]:
        """The files that a dotted name means as a module: http.server is lib/http/server.py."""
        if len(parts) < 2:
            return []
        folders = "/".join(parts)
        found = []
        for number in self.by_name.get(parts[-1], ()):
            stem = self.paths[number].rpartition("/")[0] + "/" + parts[-1]
            if f"/{stem}".endswith(f"/{folders}"):
                found.append(number)
        return found if len(found) <= MAX_FILES else []


def led_files(table: FileTable, paths: Sequence[str], trace: Sequence[Frame]) -> dict[int, float]:
    """Files that a question names, each with how surely: 1 for a path that means one file.

    A frame counts the less the further it is from the call that failed.
    """
    found: dict[int, float] = {}
    depths: dict[str, int] = {}
    for frame in trace:
        depths[frame.path] = min(frame.depth, depths.get(frame.path, frame.depth))
    for path in dict.fromkeys([*depths, *paths]):
        numbers = table.at(path) or table.of_module(path.split("."))
        share = 1.0 / len(numbers) if numbers else 0.0
        depth = next((d for p, d in depths.items() if p.strip("/.").endswith(path.strip("/."))), 0)
        for number in numbers:
            found[number] = max(found.get(number, 0.0), share * 0.8**depth)
    return found


def led_frames(index: Index, table: FileTable, trace: Sequence[Frame]) -> list[Definition]:
    """The functions that frames were in, where the file and the name are those of the frame."""
    found: dict[int, Definition] = {}
    for frame in trace:
        if frame.depth >= MAX_DEPTH or not frame.function:
            continue
        files = set(table.at(frame.path))
        for position, _, symbol in _defining(index, frame.function):
            if int(table.groups.numbers[position]) in files and position not in found:
                found[position] = Definition(position, symbol, 0.8**frame.depth)
    return list(found.values())


def definitions(
    index: Index, names: Sequence[str], *, limit: int | None = MAX_DEFINITIONS
) -> list[Definition]:
    """The spans that define these names; names that more than `limit` define are passed over."""
    found: dict[int, Definition] = {}
    for name in names[:MAX_NAMES]:
        *around, last = [part for part in _JOINT.split(name) if part] or [name]
        sure = [(p, s, _sureness(around, s, path)) for p, path, s in _defining(index, last)]
        best = max((sureness for _, _, sureness in sure), default=0.0)
        kept = [each for each in sure if each[2] == best]
        if limit is not None and len(kept) > limit:
            continue
        for position, symbol, sureness in sure:
            share = sureness if limit is None else sureness / len(kept) ** 0.5
            if position not in found or found[position].sureness < share:
                found[position] = Definition(position, symbol, share)
    return list(found.values())


def _defining(index: Index, name: str) -> list[tuple[int, str, str]]:
    """Position, path and symbol of the spans whose symbol ends in a name, in any case if need be.

    Of a definition that was cut, the piece that it begins with.
    """
    tokens = index.analyzer.tokens(name) or index.analyzer.tokens(spelled_out(name))
    if not tokens:
        return []
    (scored,) = index.token_scores(tokens[:1], weighting=BM25)
    # What defines a name says it most often.
    most = np.argsort(-scored.tfs, kind="stable")[:MAX_LOOKED_AT]
    positions = index.mentioning(np.sort(scored.docs[most]), name)
    named: dict[tuple[str, str], int] = {}
    hits = index.hits(positions, np.zeros(len(positions), np.float32))
    for position, hit in zip(positions.tolist(), hits, strict=True):
        inside = hit.metadata.get("inside", ())
        # Metadata is read from a file that somebody else may have made.
        others = map(str, inside) if isinstance(inside, list | tuple) else ()
        for symbol in (str(hit.metadata.get("symbol", "")), *others):
            if last_name(symbol).lower() == name.lower():
                path = parse_chunk_id(str(hit.id))[0]
                named.setdefault((path, symbol), position)
    found = [(position, path, symbol) for (path, symbol), position in named.items()]
    return [each for each in found if last_name(each[2]) == name] or found


def _sureness(around: Sequence[str], symbol: str, path: str) -> float:
    """1 if all names around the one that is asked for are around the definition, in its file."""
    if not around:
        return 1.0
    have = {*_SYMBOL_JOINT.split(symbol)[:-1], *re.split(r"[/.]", path)}
    lower = {each.lower() for each in have}
    met = sum((each in have) + (each.lower() in lower) for each in around) / (2 * len(around))
    # The nearest name around says most.
    return 0.5 + 0.25 * met + 0.25 * (around[-1] in have)


def last_name(symbol: str) -> str:
    """A definition's own name, without those around it."""
    return _SYMBOL_JOINT.split(symbol)[-1]


def spelled_out(name: str) -> str:
    """A word for a name that is none itself, being one letter long or a stop word."""
    digits = name.encode("utf-8", "surrogatepass").hex()
    return "name" + "".join(chr(ord("a") + int(digit, 16)) for digit in digits)
