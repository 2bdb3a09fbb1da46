"""Documents that belong together, so that they can be scored as one: the spans of a file.

A group's documents are consecutive and in one segment, which holds for whatever was added together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.index.segment import Segment
from qidf.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The group of each stored document, and each group's live tokens; see `from_starts`."""

    numbers: np.ndarray
    lengths: np.ndarray
    num_groups: int

    @classmethod
    def from_starts(cls, segments: Sequence[Segment], starts: Sequence[np.ndarray]) -> Groups:
        """Group documents, given those of each segment that begin a group.

        Groups without live documents keep their number and count for nothing.
        """
        numbers: list[np.ndarray] = []
        lengths: list[np.ndarray] = []
        num_groups = first = 0
        for segment, begins in zip(segments, starts, strict=True):
            if segment.size == 0:
                continue
            if len(begins) == 0 or begins[0] != 0 or (np.diff(begins) <= 0).any():
                raise InvalidArgumentError(
                    "the groups of a segment must begin at its first document, in ascending order"
                )
            sizes = np.diff(begins, append=segment.size)
            numbers.append(np.repeat(np.arange(first, first + len(begins)), sizes))
            live = np.ones(segment.size, bool)
            if segment.deletions is not None:
                live = segment.deletions.deleted == 0
            lengths.append(np.add.reduceat(np.where(live, segment.lengths, 0), begins))
            num_groups += int(np.add.reduceat(live.astype(np.int64), begins).astype(bool).sum())
            first += len(begins)
        empty = [np.empty(0, np.int64)]
        return cls(np.concatenate(numbers or empty), np.concatenate(lengths or empty), num_groups)

    @property
    def avg_length(self) -> float:
        """Mean tokens a group; 1 where there are no tokens, since lengths are divided by it."""
        num_tokens = int(self.lengths.sum())
        return num_tokens / self.num_groups if num_tokens else 1.0
