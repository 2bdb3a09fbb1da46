"""What is known of the files of a repository: columns as stored, a record when one is asked for.

A search compares the stamps of ten thousand files and needs the records of none, so that making
those would be most of what opening a repository costs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from qidf.records import dataclass
from qidf.repository.reading import Stamp


class FileRecord(NamedTuple):
    """A file at the last commit: its stamp, digest, language and chunks, or why it has none."""

    stamp: Stamp
    digest: bytes
    language: str = ""
    reason: str = ""
    notice: str = ""
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class FileColumns:
    """Stored files by number; `kinds` are the numbers in `names` of language, reason and notice.

    `starts` says where in `spans` those of each file begin; the last is where all end.
    """

    stamps: list[tuple[int, int, int, int]]
    digests: bytes
    names: list[str]
    kinds: list[np.ndarray]
    starts: list[int]
    spans: np.ndarray

    def __post_init__(self) -> None:
        """Refuse columns that don't belong together."""
        files = len(self.stamps)
        if (
            len(self.digests) != 16 * files
            or len(self.starts) != files + 1
            or any(len(each) != files for each in self.kinds)
            or any(
                files and not 0 <= each.min() <= each.max() < len(self.names) for each in self.kinds
            )
            or self.spans.shape != (self.starts[-1], 2)
            or bool(((self.spans[:, 0] < 1) | (self.spans[:, 0] > self.spans[:, 1])).any())
        ):
            raise ValueError("the columns of a state don't belong together")

    def _are_names(self, kinds: np.ndarray) -> bool:
        return bool(((kinds >= 0) & (kinds < len(self.names))).all())

    def record(self, number: int) -> FileRecord:
        """The record of one file."""
        first, last = self.starts[number], self.starts[number + 1]
        language, reason, notice = (self.names[int(each[number])] for each in self.kinds)
        spans = tuple((start, end) for start, end in self.spans[first:last].tolist())
        digest = self.digests[16 * number : 16 * number + 16]
        return FileRecord(Stamp(*self.stamps[number]), digest, language, reason, notice, spans)


class FileRecords(Mapping[str, FileRecord]):
    """Records by path; those that are stored are given by their number."""

    __slots__ = ("_columns", "_rows")

    def __init__(
        self, rows: Mapping[str, int | FileRecord] | None = None, columns: FileColumns | None = None
    ) -> None:
        """Take records, and numbers in the columns."""
        self._rows: dict[str, int | FileRecord] = dict(rows or {})
        self._columns = columns

    def __getitem__(self, path: str) -> FileRecord:
        """The record of a file."""
        row = self._rows[path]
        if isinstance(row, FileRecord):
            return row
        if self._columns is None:
            raise KeyError(path)
        return self._columns.record(row)

    def __iter__(self) -> Iterator[str]:
        """The paths, in order."""
        return iter(self._rows)

    def __len__(self) -> int:
        """How many files are known."""
        return len(self._rows)

    def __contains__(self, path: object) -> bool:
        """Whether a file is known."""
        return path in self._rows

    def changed(self, records: Mapping[str, FileRecord], gone: Collection[str]) -> FileRecords:
        """These with other records, and without the paths that are gone, in order of paths."""
        rows = {**self._rows, **records}
        for path in gone:
            rows.pop(path, None)
        if not records.keys() <= self._rows.keys():
            rows = dict(sorted(rows.items(), key=lambda item: item[0]))
        return FileRecords(rows, self._columns)

    def stamps(self) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
        """The paths, each with what a `Stamp` holds."""
        stored = [] if self._columns is None else self._columns.stamps
        for path, row in self._rows.items():
            yield path, row.stamp if isinstance(row, FileRecord) else stored[row]

    def span_counts(self) -> Iterator[int]:
        """How many spans each file has."""
        starts = [] if self._columns is None else self._columns.starts
        for row in self._rows.values():
            if isinstance(row, FileRecord):
                yield len(row.spans)
            else:
                yield starts[row + 1] - starts[row]
