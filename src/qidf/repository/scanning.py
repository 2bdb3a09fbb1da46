"""What changed since the last commit, without reading a file."""

from __future__ import annotations

import os
import time
from pathlib import Path

from qidf.records import dataclass
from qidf.repository.file_records import FileRecord, FileRecords
from qidf.repository.listing import ABSENT, Listing, list_repository, signature
from qidf.repository.reading import CLOCK_TICK_NS
from qidf.repository.state import State

# Equals the signature of no file: the source changed so recently that it may change unseen.
_RACY = (-2, -2, -2)


@dataclass(frozen=True, slots=True)
class Changes:
    """Files to read, files that are gone, and a new listing if the old one no longer holds."""

    to_read: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    listing: Listing | None = None
    scanned_ns: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.to_read or self.removed or self.listing is not None)


def scan(root: Path, state: State) -> Changes:
    """Compare a repository with what is known of it."""
    now = time.time_ns()
    prefix = f"{root}{os.sep}"
    if _listing_holds(prefix, state):
        found = _restat(prefix, state.files)
        if found is not None:
            return Changes(tuple(found), scanned_ns=now)
    listing = list_repository(root)
    to_read = [
        path for path, status in listing.files.items() if _differs(state.files.get(path), status)
    ]
    removed = [path for path in state.files if path not in listing.files]
    return Changes(tuple(to_read), tuple(removed), listing, now)


def settle_listing(listing: Listing, scanned_ns: int) -> None:
    """Forget the times of what changed within a clock tick of being listed; see `Stamp`."""
    limit = scanned_ns - CLOCK_TICK_NS
    for folder, mtime_ns in listing.folders.items():
        if mtime_ns >= limit:
            listing.folders[folder] = -1
    for source, found in listing.sources.items():
        if found != ABSENT and found[0] >= limit:
            listing.sources[source] = _RACY


def _listing_holds(prefix: str, state: State) -> bool:
    """Whether no folder and no ignore file has changed, so that the same files are there."""
    if not state.folders:
        return False
    stat = os.stat
    try:
        for folder, mtime_ns in state.folders.items():
            if stat(prefix + folder).st_mtime_ns != mtime_ns:
                return False
    except OSError:
        return False
    return all(signature(source) == known for source, known in state.sources.items())


def _restat(prefix: str, files: FileRecords) -> list[str] | None:
    """The files whose stamp differs; None if one is gone or has become something else."""
    changed = []
    lstat = os.lstat
    try:
        for path, stamp in files.stamps():
            found = lstat(prefix + path)
            if (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino) != stamp:
                changed.append(path)
    except OSError:
        return None
    return changed


def _differs(record: FileRecord | None, found: os.stat_result) -> bool:
    return record is None or (
        found.st_mtime_ns != record.stamp.mtime_ns
        or found.st_size != record.stamp.size
        or found.st_ctime_ns != record.stamp.ctime_ns
        or found.st_ino != record.stamp.inode
    )
