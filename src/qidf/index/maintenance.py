"""Changing an index: adding a segment, deleting documents, keeping segments few."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qidf.errors import DuplicateIdError, InvalidArgumentError
from qidf.index.columns import MAX_INTEGER_ID, STRING
from qidf.index.directory import Snapshot, StoredSegment
from qidf.index.segment import Segment, merge
from qidf.index.totals import count

# Each segment at least twice the size of the next: an index of n documents then has at most
# log2(n) segments, and a document is rewritten at most log2(n) times however it was added.
GROWTH = 2
# Rewrite a segment once half of it is deleted: its dead postings would cost every query more than
# the rewrite costs once.
MAX_DELETED = 0.5


def with_segment(snapshot: Snapshot, segment: Segment, *, replace: bool = False) -> Snapshot:
    """A snapshot with one more segment; ids already present are an error or are replaced."""
    if segment.size == 0:
        return _counted(snapshot, snapshot.segments)
    kinds = {stored.segment.ids.kind == STRING for stored in snapshot.segments}
    if kinds and kinds != {segment.ids.kind == STRING}:
        raise InvalidArgumentError(
            "the index has integer ids and these documents have string ids, or the other way "
            "round; use the kind of id the index already has"
        )
    next_position = max(snapshot.next_position, segment.ids.highest() + 1)
    if next_position > MAX_INTEGER_ID:
        raise InvalidArgumentError("an integer id must be below 2^62; use strings for larger ones")
    existing = []
    for stored in snapshot.segments:
        old = stored.segment
        shared = old.ids.shared(segment.ids)
        if old.deletions is not None:
            shared = shared[old.deletions.deleted[shared] == 0]
        if len(shared) and not replace:
            raise DuplicateIdError(
                f"the index already has a document with the id {old.ids[int(shared[0])]!r}; "
                "delete it first, or add with replace=True"
            )
        existing.append(_without(stored, shared))
    return _counted(snapshot, (*existing, StoredSegment(segment)), next_position)


def delete_positions(snapshot: Snapshot, positions: np.ndarray) -> Snapshot:
    """A snapshot without the documents at these positions."""
    segments, base = [], 0
    for stored in snapshot.segments:
        local = positions[(positions >= base) & (positions < base + stored.segment.size)] - base
        segments.append(_without(stored, local))
        base += stored.segment.size
    return _counted(snapshot, tuple(segments))


def settle(snapshot: Snapshot, *, everything: bool = False) -> Snapshot:
    """Merge neighbouring segments that have grown too many; documents keep their order."""
    segments = [stored for stored in snapshot.segments if stored.segment.num_docs]
    if everything:
        if len(segments) > 1 or any(stored.segment.deletions for stored in segments):
            segments = [StoredSegment(merge([stored.segment for stored in segments]))]
    else:
        segments = [_rewritten(stored) for stored in segments]
        while len(segments) > 1 and _size(segments[-2]) < GROWTH * _size(segments[-1]):
            merged = merge([segments[-2].segment, segments[-1].segment])
            segments[-2:] = [StoredSegment(merged)]
    if len(segments) == len(snapshot.segments) and all(
        new is old for new, old in zip(segments, snapshot.segments, strict=True)
    ):
        return snapshot
    return replace(snapshot, segments=tuple(segments))


def _rewritten(stored: StoredSegment) -> StoredSegment:
    deleted = 1 - stored.segment.num_docs / stored.segment.size
    return StoredSegment(merge([stored.segment])) if deleted > MAX_DELETED else stored


def _without(stored: StoredSegment, docs: np.ndarray) -> StoredSegment:
    """A segment with documents deleted; its deletions will need a new file."""
    if len(docs) == 0:
        return stored
    return StoredSegment(stored.segment.without(docs), stored.file, None)


def _size(stored: StoredSegment) -> int:
    return stored.segment.num_docs


def _counted(
    snapshot: Snapshot, segments: tuple[StoredSegment, ...], next_position: int | None = None
) -> Snapshot:
    totals = count([stored.segment for stored in segments])
    position = snapshot.next_position if next_position is None else next_position
    return replace(snapshot, segments=segments, totals=totals, next_position=position)
