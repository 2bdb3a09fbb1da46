"""An index on disk: segment files and one manifest that names the current ones.

A commit writes new files under names never used before, then replaces the manifest in one step.
Until that step the old manifest stands and every file it names is untouched, so a kill at any
moment leaves the last commit readable. Files no manifest names are removed afterwards.
"""

from __future__ import annotations

import json
import os
import uuid
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qidf.errors import CorruptIndexError, IndexFormatError, IndexNotFoundError, InputError
from qidf.index.lock import LOCK_NAME
from qidf.index.segment import Deletions, Segment, open_deletions, write_deletions
from qidf.index.totals import Totals

FORMAT = 1
MANIFEST = "manifest.json"
SUFFIX = ".qidf"
SEGMENT, DELETIONS = "segment-", "deletions-"


@dataclass(frozen=True, slots=True, eq=False)
class StoredSegment:
    """A segment and the files that hold it; None while it is only in memory."""

    segment: Segment
    file: str | None = None
    deletions_file: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The state of an index at one commit."""

    analyzer: str
    segments: tuple[StoredSegment, ...] = ()
    totals: Totals = field(default_factory=Totals)
    next_position: int = 0
    generation: int = 0


def read_snapshot(directory: Path) -> Snapshot:
    """Open the last commit."""
    manifest = _read_manifest(directory)
    while True:
        try:
            return _open(directory, manifest)
        except (FileNotFoundError, IsADirectoryError) as error:
            # A writer may have merged away a segment after we read the manifest that names it;
            # then there is a newer manifest by now.
            newer = _read_manifest(directory)
            if newer == manifest:
                found = "missing" if isinstance(error, FileNotFoundError) else "a folder"
                raise CorruptIndexError(
                    f"{error.filename} is {found}; restore it from a copy or build the index again"
                ) from error
            manifest = newer


def is_current(directory: Path, snapshot: Snapshot) -> bool:
    """Whether a snapshot is the last commit; an index made anew may reuse a generation."""
    manifest = _read_manifest(directory)
    files = [(entry["file"], entry["deletions"]) for entry in manifest["segments"]]
    return (
        manifest["generation"] == snapshot.generation
        and manifest["analyzer"] == snapshot.analyzer
        and files == [(stored.file, stored.deletions_file) for stored in snapshot.segments]
    )


def commit(directory: Path, snapshot: Snapshot) -> Snapshot:
    """Store a snapshot as the next generation; the caller holds the write lock."""
    generation = _last_generation(directory) + 1
    written: list[Path] = []
    try:
        segments = tuple(_store(directory, stored, written) for stored in snapshot.segments)
        _sync_directory(directory)
    except BaseException:
        # A full disk should not stay full; what a kill leaves behind, the next commit removes.
        for path in written:
            path.unlink(missing_ok=True)
        raise
    committed = replace(snapshot, segments=segments, generation=generation)
    _write_manifest(directory, committed)
    _remove_unnamed(directory, committed)
    return committed


def _store(directory: Path, stored: StoredSegment, written: list[Path]) -> StoredSegment:
    """Write what of a segment the directory does not hold, noting each path before it exists."""
    file, deletions_file = stored.file, stored.deletions_file
    if file is None or not (directory / file).exists():
        file, deletions_file = f"{SEGMENT}{uuid.uuid4().hex}{SUFFIX}", None
        written.append(directory / file)
        stored.segment.write(directory / file)
    if deletions_file is not None and not (directory / deletions_file).exists():
        deletions_file = None
    if stored.segment.deletions is not None and deletions_file is None:
        deletions_file = f"{DELETIONS}{uuid.uuid4().hex}{SUFFIX}"
        written.append(directory / deletions_file)
        write_deletions(directory / deletions_file, stored.segment.deletions)
    return StoredSegment(stored.segment, file, deletions_file)


def prepare(directory: Path) -> None:
    """Make the directory, refusing one that holds something other than an index.

    An index that can't be read may be replaced, as its error tells the user to build it again.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{directory} is a file; choose a folder for the index") from error
    names = {entry.name for entry in directory.iterdir()}
    if MANIFEST in names and _last_generation(directory) > 0:
        return
    ours = {name for name in names if _is_ours(name)} | {MANIFEST, f"{MANIFEST}.tmp", LOCK_NAME}
    # Other programs have a manifest.json too; ours never stands alone.
    if names - ours or names == {MANIFEST}:
        raise InputError(
            f"{directory} is not empty and holds no index; choose an empty or new folder"
        )


def _last_generation(directory: Path) -> int:
    """The generation of the last commit, 0 when there is none that can be read."""
    try:
        return int(_read_manifest(directory)["generation"])
    except (IndexNotFoundError, CorruptIndexError, IndexFormatError):
        return 0


def _open(directory: Path, manifest: dict[str, Any]) -> Snapshot:
    segments = []
    for entry in manifest["segments"]:
        segment = Segment.open(directory / entry["file"], entry["id_kind"], entry["first_id"])
        if entry["deletions"]:
            deletions = _open_deletions(directory / entry["deletions"], segment)
            segment = replace(segment, deletions=deletions)
        segments.append(StoredSegment(segment, entry["file"], entry["deletions"]))
    return Snapshot(
        manifest["analyzer"],
        tuple(segments),
        Totals(**manifest["totals"]),
        manifest["next_position"],
        manifest["generation"],
    )


def _open_deletions(path: Path, segment: Segment) -> Deletions:
    deletions = open_deletions(path, segment)
    if len(deletions.doc_freqs) != len(segment.terms):
        raise CorruptIndexError(f"{path} belongs to another segment; build the index again")
    return deletions


def _read_manifest(directory: Path) -> dict[str, Any]:
    path = directory / MANIFEST
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise IndexNotFoundError(
            f"there is no index at {directory}; make one with: qidf index PATH -o {directory}"
        ) from None
    except IsADirectoryError:
        raise CorruptIndexError(
            f"{path} is a folder; restore it from a copy or build the index again"
        ) from None
    try:
        manifest: dict[str, Any] = json.loads(data)
        checksum, body = manifest.pop("checksum"), manifest
        intact = checksum == _checksum(body)
        version = body["format"]
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        intact, version, body = False, FORMAT, {}
    if not intact:
        raise CorruptIndexError(
            f"{path} is corrupt (its checksum does not match); "
            "restore it from a copy or build the index again"
        )
    if version != FORMAT:
        raise IndexFormatError(
            f"{directory} has index format {version} and this qidf reads format {FORMAT}; "
            "build the index again or use another version of qidf"
        )
    return body


def _write_manifest(directory: Path, snapshot: Snapshot) -> None:
    totals = snapshot.totals
    body: dict[str, Any] = {
        "format": FORMAT,
        "generation": snapshot.generation,
        "analyzer": snapshot.analyzer,
        "next_position": snapshot.next_position,
        "totals": {
            "num_docs": totals.num_docs,
            "num_tokens": totals.num_tokens,
            "vocab_size": totals.vocab_size,
            "num_hapaxes": totals.num_hapaxes,
        },
        "segments": [
            {
                "file": stored.file,
                "deletions": stored.deletions_file,
                "id_kind": stored.segment.ids.kind,
                "first_id": stored.segment.ids.first,
            }
            for stored in snapshot.segments
        ],
    }
    temporary = directory / f"{MANIFEST}.tmp"
    with open(temporary, "wb") as file:
        file.write(json.dumps({**body, "checksum": _checksum(body)}, indent=1).encode())
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, directory / MANIFEST)
    _sync_directory(directory)


def _checksum(body: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(body, sort_keys=True, separators=(",", ":")).encode())


def _sync_directory(directory: Path) -> None:
    """Make renames and new names durable; Windows has no such call and needs none."""
    if os.name == "nt":  # pragma: no cover
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_unnamed(directory: Path, snapshot: Snapshot) -> None:
    """Delete files the commit left behind; readers that have them mapped keep them."""
    named = {name for stored in snapshot.segments for name in (stored.file, stored.deletions_file)}
    for path in directory.iterdir():
        if _is_ours(path.name) and path.name not in named:
            # The commit stands already; a file that can't be removed now is removed by a later one.
            with suppress(OSError):
                path.unlink()


def _is_ours(name: str) -> bool:
    return name.startswith((SEGMENT, DELETIONS)) and name.endswith(SUFFIX)


def stored_files(directory: Path, snapshot: Snapshot) -> Sequence[Path]:
    """The files of a committed snapshot, manifest included."""
    names = [name for stored in snapshot.segments for name in (stored.file, stored.deletions_file)]
    return [directory / name for name in names if name] + [directory / MANIFEST]
