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
from dataclasses import asdict, field, fields, replace
from pathlib import Path
from typing import Any

from qidf.analysis import parse_analyzer
from qidf.errors import (
    CorruptIndexError,
    IndexFormatError,
    IndexNotFoundError,
    InputError,
    InvalidArgumentError,
)
from qidf.index.columns import INTEGER, MAX_INTEGER_ID, POSITION, STRING
from qidf.index.files import is_plain_name, read_regular, sync_folder, written
from qidf.index.lock import LOCK_NAME
from qidf.index.segment import Segment, open_deletions, write_deletions
from qidf.index.totals import Totals, count
from qidf.records import dataclass

FORMAT = 1
MANIFEST = "manifest.json"
SUFFIX = ".qidf"
SEGMENT, DELETIONS = "segment-", "deletions-"
# A manifest has a few lines for each segment, and segments are few (maintenance.py).
MOST_MANIFEST_BYTES = 1 << 20


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
        except FileNotFoundError as error:
            # A writer may have merged away a segment after we read the manifest that names it;
            # then there is a newer manifest by now.
            newer = _read_manifest(directory)
            if newer == manifest:
                raise CorruptIndexError(
                    f"{error.filename} is missing; restore it from a copy or build the index again"
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
    new: list[Path] = []
    try:
        segments = tuple(_store(directory, stored, new) for stored in snapshot.segments)
        sync_folder(directory)
        committed = replace(snapshot, segments=segments, generation=generation)
        draft = directory / f"{MANIFEST}.tmp"
        # One that a kill left behind, or that somebody put there to lead elsewhere.
        draft.unlink(missing_ok=True)
        new.append(draft)
        with written(draft) as file:
            file.write(_encoded(committed))
        os.replace(draft, directory / MANIFEST)
    except BaseException:
        # A full disk should not stay full; what a kill leaves behind, the next commit removes.
        for path in new:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        raise
    sync_folder(directory)
    _remove_unnamed(directory, committed)
    return committed


def _store(directory: Path, stored: StoredSegment, new: list[Path]) -> StoredSegment:
    """Write what of a segment the directory does not hold, noting each path before it exists."""
    file, deletions_file = stored.file, stored.deletions_file
    if file is None or not (directory / file).exists():
        file, deletions_file = f"{SEGMENT}{uuid.uuid4().hex}{SUFFIX}", None
        new.append(directory / file)
        stored.segment.write(directory / file)
    if deletions_file is not None and not (directory / deletions_file).exists():
        deletions_file = None
    if stored.segment.deletions is not None and deletions_file is None:
        deletions_file = f"{DELETIONS}{uuid.uuid4().hex}{SUFFIX}"
        new.append(directory / deletions_file)
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
            deletions = open_deletions(directory / entry["deletions"], segment)
            segment = replace(segment, deletions=deletions)
        segments.append(StoredSegment(segment, entry["file"], entry["deletions"]))
    snapshot = Snapshot(
        manifest["analyzer"],
        tuple(segments),
        Totals(**manifest["totals"]),
        manifest["next_position"],
        manifest["generation"],
    )
    if not _adds_up(snapshot):
        raise _other_counts(directory)
    return snapshot


def _adds_up(snapshot: Snapshot) -> bool:
    """Whether a manifest's numbers can be those of its segments, as far as opening them tells."""
    totals, segments = snapshot.totals, [stored.segment for stored in snapshot.segments]
    vocabularies = [int((segment.doc_freqs > 0).sum()) for segment in segments]
    in_one = sum(int((segment.doc_freqs == 1).sum()) for segment in segments)
    return (
        totals.num_docs == sum(segment.num_docs for segment in segments)
        and totals.num_tokens == sum(segment.live_tokens for segment in segments)
        and max(vocabularies, default=0) <= totals.vocab_size <= sum(vocabularies)
        and totals.num_hapaxes <= min(totals.vocab_size, in_one)
        and all(segment.ids.highest() < snapshot.next_position for segment in segments)
        and len({segment.ids.kind == STRING for segment in segments}) <= 1
    )


def _other_counts(directory: Path) -> CorruptIndexError:
    return CorruptIndexError(
        f"{directory / MANIFEST} is corrupt (it says other counts than the index holds); "
        "restore it from a copy or build the index again"
    )


def verify(directory: Path, snapshot: Snapshot) -> None:
    """Check every byte and every count of an index, and that no two documents share an id."""
    segments = [stored.segment for stored in snapshot.segments]
    for number, segment in enumerate(segments):
        segment.verify()
        for doc in range(segment.size):
            segment.metadata[doc]
        for earlier in segments[:number]:
            shared = segment.ids.shared(earlier.ids).tolist()
            twice = [segment.ids[doc] for doc in shared if segment.is_live(doc)]
            if any(earlier.is_live(earlier.ids.find(each)) for each in twice):
                raise CorruptIndexError(
                    f"{directory} has two documents with the same id; build the index again"
                )
    if count(segments) != snapshot.totals:
        raise _other_counts(directory)


def _read_manifest(directory: Path) -> dict[str, Any]:
    path = directory / MANIFEST
    try:
        data = read_regular(path, MOST_MANIFEST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise IndexNotFoundError(
            f"there is no index at {directory}; make one with: qidf index PATH -o {directory}"
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
            f"{directory} has index format {version!r:.20} and this qidf reads format {FORMAT}; "
            "build the index again or use another version of qidf"
        )
    if not _is_manifest(body):
        raise CorruptIndexError(
            f"{path} is corrupt (it doesn't describe an index); "
            "restore it from a copy or build the index again"
        )
    return body


def _is_manifest(body: dict[str, Any]) -> bool:
    """Whether a manifest has what one must have, all of it of the right kind and size."""
    try:
        parse_analyzer(body["analyzer"])
        counts = [body["generation"], body["next_position"], *body["totals"].values()]
        names = [name for entry in body["segments"] for name in (entry["file"], entry["deletions"])]
        files = [name for name in names if name is not None]
        return (
            isinstance(body["analyzer"], str)
            and set(body["totals"]) == {field.name for field in fields(Totals)}
            and all(type(each) is int and 0 <= each <= MAX_INTEGER_ID for each in counts)
            and len(files) == len(set(files))
            and all(map(_is_entry, body["segments"]))
        )
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError, InvalidArgumentError):
        return False


def _is_entry(entry: dict[str, Any]) -> bool:
    """Whether a manifest's segment names files in the index's own folder, and nothing else."""
    file, deletions, first = entry["file"], entry["deletions"], entry["first_id"]
    return (
        _is_ours(file)
        and file.startswith(SEGMENT)
        and (deletions is None or (_is_ours(deletions) and deletions.startswith(DELETIONS)))
        and entry["id_kind"] in (POSITION, INTEGER, STRING)
        and type(first) is int
        and abs(first) <= MAX_INTEGER_ID
    )


def _encoded(snapshot: Snapshot) -> bytes:
    """The manifest of a snapshot."""
    body: dict[str, Any] = {
        "format": FORMAT,
        "generation": snapshot.generation,
        "analyzer": snapshot.analyzer,
        "next_position": snapshot.next_position,
        "totals": asdict(snapshot.totals),
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
    return json.dumps({**body, "checksum": _checksum(body)}, indent=1).encode()


def _checksum(body: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(body, sort_keys=True, separators=(",", ":")).encode())


def _remove_unnamed(directory: Path, snapshot: Snapshot) -> None:
    """Delete files the commit left behind; readers that have them mapped keep them."""
    named = {name for stored in snapshot.segments for name in (stored.file, stored.deletions_file)}
    for path in directory.iterdir():
        if _is_ours(path.name) and path.name not in named:
            # The commit stands already; a file that can't be removed now is removed by a later one.
            with suppress(OSError):
                path.unlink()


def _is_ours(name: object) -> bool:
    return (
        is_plain_name(name)
        and str(name).startswith((SEGMENT, DELETIONS))
        and str(name).endswith(SUFFIX)
    )


def stored_files(directory: Path, snapshot: Snapshot) -> Sequence[Path]:
    """The files of a committed snapshot, manifest included."""
    names = [name for stored in snapshot.segments for name in (stored.file, stored.deletions_file)]
    return [directory / name for name in names if name] + [directory / MANIFEST]
