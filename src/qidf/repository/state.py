"""What is known of every file at the last commit, kept beside the index.

The index is the truth: the first chunk of every file carries the file's digest. This file only
saves reading all that again. It names the commit it belongs to; one that names another is not used,
and what it would say is recovered from the index.
"""

from __future__ import annotations

import json
import os
import time
import uuid
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from qidf.corpora.confinement import is_plain, read_if_regular
from qidf.errors import CorruptIndexError
from qidf.index.container import Container, write_container
from qidf.index.directory import MANIFEST, MOST_MANIFEST_BYTES
from qidf.index.files import is_plain_name
from qidf.records import dataclass
from qidf.repository.file_records import FileColumns, FileRecord, FileRecords
from qidf.repository.listing import Signature
from qidf.repository.reading import NO_DIGEST, Stamp

FORMAT = 1
PREFIX, SUFFIX = "files-", ".state"
# Additions to a stored state before it is written whole again: reading them costs every new process
# a little, writing it whole costs once.
MAX_ADDITIONS = 20
# A whole state is written when more than this part of the files differs.
_WORTH_A_WHOLE = 20
_NO_STAMP = Stamp(-1, -1, -1, -1)


@dataclass(slots=True)
class State:
    """All files, the folders and ignore files that decided which, and what was left out."""

    files: FileRecords = field(default_factory=FileRecords)
    folders: dict[str, int] = field(default_factory=dict)
    sources: dict[str, Signature] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    refreshed_ns: int = 0
    # The stored files that this state was read from or written to: a whole one, then additions.
    stored: tuple[str, ...] = ()


def chunk_id(path: str, span: tuple[int, int]) -> str:
    """A chunk's id in the index: path:start-end."""
    return f"{path}:{span[0]}-{span[1]}"


def parse_chunk_id(identifier: str) -> tuple[str, int, int]:
    """The path and lines that an id stands for; an index may have been made by anyone."""
    path, _, lines = identifier.rpartition(":")
    start, _, end = lines.partition("-")
    numbers = start.isdecimal() and end.isdecimal() and max(len(start), len(end)) < 10
    if not (is_plain(path) and numbers):
        raise CorruptIndexError("the index holds an id that names no span; build it again")
    return path, int(start), int(end)


def fingerprint(index: Path) -> str:
    """What tells one commit of an index from another; empty where there is none."""
    data = read_if_regular(index / MANIFEST, MOST_MANIFEST_BYTES)
    if data is None:
        return ""
    return f"{zlib.crc32(data):08x}-{len(data)}"


def write_state(
    directory: Path, state: State, commit: str, touched: Collection[str] | None = None
) -> None:
    """Store the state; `commit` is the fingerprint it belongs to.

    `touched` are the paths in which it differs from the state that is stored. Few of them are
    written as an addition to it, so that one changed file of ten thousand costs only itself.
    """
    added = (
        touched is not None
        and 0 < len(state.stored) <= MAX_ADDITIONS
        and len(touched) * _WORTH_A_WHOLE <= len(state.files)
        # Another process may have written it whole meanwhile.
        and all((directory / name).exists() for name in state.stored)
    )
    base = state.stored if added else ()
    chosen = {path: state.files[path] for path in touched or () if path in state.files}
    gone = [path for path in touched or () if path not in state.files]
    written = replace(state, files=FileRecords(chosen)) if added else state
    arrays = _arrays(written, commit, base, gone)
    former = [path for path in _stored(directory) if path.name not in base]
    # A container knows its own name, so it can't be renamed into place; one that was cut short
    # doesn't pass its checksums and is passed over.
    path = directory / f"{PREFIX}{time.time_ns():020}-{uuid.uuid4().hex}{SUFFIX}"
    try:
        write_container(path, arrays)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    state.stored = (*base, path.name)
    for each in former:
        with suppress(OSError):
            each.unlink()


def _arrays(
    state: State, commit: str, base: Sequence[str], gone: Sequence[str]
) -> dict[str, np.ndarray]:
    files = list(state.files.values())
    spans = [span for record in files for span in record.spans]
    names = _Names()
    head = {
        "format": FORMAT,
        "commit": commit,
        "base": list(base),
        "gone": list(gone),
        "sources": list(state.sources.items()),
        "skipped": dict(state.skipped),
        "refreshed_ns": state.refreshed_ns,
    }
    stamps = [record.stamp for record in files]
    arrays = {
        "paths": _packed(state.files),
        "size": np.array([stamp.size for stamp in stamps], np.int64),
        "mtime_ns": np.array([stamp.mtime_ns for stamp in stamps], np.int64),
        "ctime_ns": np.array([stamp.ctime_ns for stamp in stamps], np.int64),
        "inode": np.array([stamp.inode & (2**63 - 1) for stamp in stamps], np.int64),
        "digests": np.frombuffer(b"".join(record.digest for record in files), np.uint8),
        "language": np.array([names.number(record.language) for record in files], np.int32),
        "reason": np.array([names.number(record.reason) for record in files], np.int32),
        "notice": np.array([names.number(record.notice) for record in files], np.int32),
        "num_spans": np.array([len(record.spans) for record in files], np.int64),
        "spans": np.array(spans, np.int32).reshape(-1),
        "folders": _packed(state.folders),
        "folder_mtime_ns": np.array(list(state.folders.values()), np.int64),
    }
    arrays["names"] = _packed(names.known)
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    return arrays


def read_state(directory: Path, commit: str) -> State | None:
    """The latest stored state that belongs to this commit of the index, if there is one.

    One that isn't what it can be is passed over like one that was cut short.
    """
    for path in reversed(_stored(directory)):
        try:
            container = Container(path)
            head = _head(container)
            if head["format"] == FORMAT and head["commit"] == commit:
                return _joined(directory, container, head)
        except (OSError, CorruptIndexError, ValueError, KeyError, TypeError, IndexError):
            continue
        except (RecursionError, AttributeError, OverflowError):
            # Of JSON that is nested too deep, or of another shape.
            continue
    return None


def _head(container: Container) -> dict[str, Any]:
    head: dict[str, Any] = json.loads(container.array("head", "|u1").tobytes())
    base = head["base"]
    if not (
        isinstance(base, list)
        and len(base) <= MAX_ADDITIONS
        and all(is_plain_name(name) and name.startswith(PREFIX) for name in base)
        and isinstance(head["gone"], list)
        and all(isinstance(path, str) for path in head["gone"])
        and type(head["refreshed_ns"]) is int
        and all(type(number) is int for number in head["skipped"].values())
    ):
        raise ValueError
    return head


def _joined(directory: Path, container: Container, head: Mapping[str, Any]) -> State:
    """A state with what it is an addition to."""
    state = _read(container, head)
    if head["base"]:
        whole, *additions = head["base"]
        earlier = Container(directory / whole)
        files = _read(earlier, _head(earlier)).files
        for name in additions:
            earlier = Container(directory / name)
            found = _head(earlier)
            files = files.changed(_read(earlier, found).files, found["gone"])
        state.files = files.changed(state.files, head["gone"])
    state.stored = (*head["base"], container.path.name)
    return state


def _stored(directory: Path) -> list[Path]:
    """Stored states, the latest last."""
    try:
        names = sorted(name for name in os.listdir(directory) if name.startswith(PREFIX))
    except OSError:
        return []
    return [directory / name for name in names]


def _read(container: Container, head: Mapping[str, Any]) -> State:
    names = _unpacked(container, "names")
    columns = (
        container.array(name, "<i8").tolist() for name in ("size", "mtime_ns", "ctime_ns", "inode")
    )
    counts = container.array("num_spans", "<i8")
    if len(counts) and int(counts.min()) < 0:
        raise ValueError
    stored = FileColumns(
        list(zip(*columns, strict=True)),
        container.array("digests", "|u1").tobytes(),
        names,
        [container.array(name, "<i4").copy() for name in ("language", "reason", "notice")],
        [0, *np.cumsum(counts).tolist()],
        container.array("spans", "<i4").reshape(-1, 2).copy(),
    )
    paths = _unpacked(container, "paths")
    files = FileRecords(dict(zip(paths, range(len(counts)), strict=True)), stored)
    folders = zip(
        _unpacked(container, "folders"),
        container.array("folder_mtime_ns", "<i8").tolist(),
        strict=True,
    )
    if len(files) != len(counts):
        raise ValueError
    return State(
        files,
        dict(folders),
        {str(path): _signature(each) for path, each in head["sources"]},
        Counter(head["skipped"]),
        head["refreshed_ns"],
    )


def _signature(found: Sequence[Any]) -> Signature:
    mtime_ns, size, inode = map(int, found)
    return mtime_ns, size, inode


def recover_state(chunks: Iterable[tuple[str, Mapping[str, Any]]]) -> State:
    """The state an index itself knows, from its chunks' ids and metadata; every stamp is unknown.

    A file some of whose chunks are missing has no digest here, so that it is read anew.
    """
    spans: dict[str, list[tuple[int, int]]] = {}
    known: dict[str, tuple[bytes, str, int]] = {}
    for identifier, metadata in chunks:
        path, start, end = parse_chunk_id(identifier)
        spans.setdefault(path, []).append((start, end))
        if "digest" in metadata:
            language = str(metadata.get("language", ""))
            digest = bytes.fromhex(metadata["digest"])
            known[path] = (digest, language, int(metadata["chunks"]))
    files = {}
    for path, found in sorted(spans.items()):
        digest, language, count = known.get(path, (NO_DIGEST, "", -1))
        whole = digest if count == len(found) else NO_DIGEST
        files[path] = FileRecord(_NO_STAMP, whole, language, spans=tuple(sorted(found)))
    return State(FileRecords(files))


class _Names:
    """Strings that many files share, numbered."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))


def _packed(names: Iterable[str]) -> np.ndarray:
    """Strings that hold no NUL, as bytes."""
    data = "".join(f"{name}\0" for name in names).encode("utf-8", "surrogateescape")
    return np.frombuffer(data, np.uint8)


def _unpacked(container: Container, name: str) -> list[str]:
    data: bytes = container.array(name, "|u1").tobytes()
    return data.decode("utf-8", "surrogateescape").split("\0")[:-1]
