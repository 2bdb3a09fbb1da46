"""A segment laid out for searching, and the search over it (native/search.c).

Nothing in a layout depends on q, k1 or b, nor on anything else that a query brings.
"""

from __future__ import annotations

import ctypes
import threading

import numpy as np

from qidf.index.scoring import Scoring
from qidf.index.segment import Segment
from qidf.native.library import F32S, I32S, I64S, U8S, address
from qidf.native.rows import Rows, fill_rows
from qidf.native.search import Queries, search, search_scratch
from qidf.native.windows import SHORT_LIST, Windows, place_documents
from qidf.native.windows import Segment as SegmentView
from qidf.records import dataclass

# Documents are told apart by length into so many classes; the more there are, the tighter scores
# are bounded, and the more there is to look at with every query.
MOST_CLASSES = 64
# Longer documents are all of one class.
LONGEST_OF_ITS_OWN = 4096
# A window's accumulators, two bytes each, leave room for postings in the nearest cache.
LARGEST_WINDOW = 8192
# Windows get larger where there would be more of them than this, up to what 15 bits can number.
MANY_WINDOWS = 256
MOST_NUMBERED = 2**15
# Documents' rows of terms are made once this many queries have come: making them reads the whole
# segment, which one query from a new process should not have to wait for.
QUERIES_BEFORE_ROWS = 64
# Places in rows are 32 bits wide, and a term shares 32 bits with how often it occurs.
MOST_ROW_PLACES = 2**32 - 1
MOST_ROW_TERMS = 2**26

_thread = threading.local()


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Queries that are searched together, and the rows of positions and scores that they fill.

    Query i has the positions from offsets[i] to offsets[i + 1], with a weight each. Where documents
    are wanted, given likewise as offsets and numbers, only what scores as high as one is found.
    """

    offsets: np.ndarray
    weights: np.ndarray
    scoring: Scoring
    avg_doc_length: float
    positions: np.ndarray
    scores: np.ndarray
    longest: int
    wanted: tuple[np.ndarray, np.ndarray] | None = None


class Layout:
    """A segment's documents in windows of about the same length, and its terms' postings there.

    Terms are filled in when they are first searched, with what any thread would fill in, so that
    any number of threads may search at once.
    """

    __slots__ = (
        "_arrays",
        "_lock",
        "_rows",
        "_segment",
        "_served",
        "_windows",
        "counters",
        "segment",
    )

    def __init__(self, segment: Segment) -> None:
        """Place the documents; postings follow as queries need them."""
        self.segment = segment
        self.counters = np.zeros(4, np.int64)
        self._lock = threading.Lock()
        self._served = 0
        self._rows = Rows(None, None)
        # The library has addresses alone; what is there must stay.
        self._arrays: list[np.ndarray] = []
        self._segment = SegmentView(
            segment.size,
            len(segment.starts) - 1,
            self._keep(segment.starts),
            self._keep(segment.docs),
            self._keep(segment.tfs),
            segment.tfs.dtype != np.uint16,
            self._keep(segment.lengths),
        )
        self._windows = self._make_windows()

    def search(
        self,
        batch: Batch,
        terms: np.ndarray,
        excluded: np.ndarray | None,
        base: int,
        first: int,
        last: int,
    ) -> None:
        """Merge this segment's best documents into the rows of queries `first` to `last` - 1.

        `terms` has the segment's number of the token at every position, -1 where it has none.
        """
        segment, windows = self.segment, self._windows
        rows = self._rows_after(last - first)
        queries = Queries(
            I64S.address(batch.offsets), I32S.address(terms), F32S.address(batch.weights)
        )
        wanted = (None, None) if batch.wanted is None else tuple(map(I64S.address, batch.wanted))
        k = batch.positions.shape[1]
        room = search_scratch(segment.size, windows.num_windows, windows.largest, batch.longest, k)
        counters = np.zeros(4, np.int64)
        search(
            ctypes.byref(self._segment),
            ctypes.byref(windows),
            ctypes.byref(rows),
            ctypes.byref(queries),
            first,
            last,
            batch.longest,
            batch.scoring.k1,
            batch.scoring.b,
            batch.avg_doc_length,
            segment.is_whole,
            None if excluded is None else U8S.address(excluded),
            base,
            *wanted,
            k,
            I64S.address(batch.positions),
            F32S.address(batch.scores),
            address(counters),
            address(_scratch(room)),
        )
        self.counters += counters

    def _rows_after(self, num_queries: int) -> Rows:
        """Documents' rows of terms; none until enough queries have come."""
        if self._rows.starts is not None or self._served < 0:
            return self._rows
        with self._lock:
            self._served += num_queries
            if self._served >= QUERIES_BEFORE_ROWS and self._rows.starts is None:
                self._rows = self._make_rows()
        return self._rows

    def _make_rows(self) -> Rows:
        segment = self.segment
        if len(segment.docs) > MOST_ROW_PLACES or self._segment.num_terms > MOST_ROW_TERMS:
            self._served = -1
            return self._rows
        segment.verify_postings()
        starts = np.empty(segment.size + 1, np.uint32)
        entries = np.empty(len(segment.docs) + 1, np.uint32)
        fill_rows(ctypes.byref(self._segment), starts, entries)
        return Rows(self._keep(starts), self._keep(entries))

    def _make_windows(self) -> Windows:
        segment, lengths = self.segment, self.segment.lengths
        counts = np.bincount(np.minimum(lengths, LONGEST_OF_ITS_OWN), minlength=1)
        classes, shortest = _length_classes(counts)
        sizes = np.bincount(classes, counts).astype(np.int64)
        largest = LARGEST_WINDOW
        while segment.size > MANY_WINDOWS * largest and largest < MOST_NUMBERED:
            largest *= 2
        # A class takes as many windows as it needs, all full but the last.
        taken = -(-sizes // largest)
        first_windows = (np.cumsum(taken) - taken).astype(np.int32)
        class_of = np.repeat(np.arange(len(sizes)), taken)
        starts = (np.cumsum(sizes) - sizes)[class_of]
        starts += (np.arange(len(class_of)) - first_windows[class_of]) * largest
        starts = np.append(starts, segment.size).astype(np.uint32)
        longest = np.append(shortest[1:] - 1, lengths.max(initial=0))
        places, docs = np.empty(segment.size, np.uint32), np.empty(segment.size, np.uint32)
        place_documents(
            *(lengths, segment.size, classes, len(classes), first_windows, starts, largest),
            *(len(sizes), np.empty(len(sizes), np.int64), places, docs),
        )
        has_table = np.diff(segment.starts) > SHORT_LIST
        num_windows, num_tables = len(class_of), int(has_table.sum())
        tables = np.where(has_table, np.cumsum(has_table) - 1, -1).astype(np.int32)
        return Windows(
            num_windows,
            largest,
            *map(
                self._keep,
                (
                    starts,
                    shortest[class_of].astype(np.int32),
                    longest[class_of].astype(np.int32),
                    places,
                    docs,
                    tables,
                    # Memory that isn't written takes no room.
                    np.empty((num_tables, 2 * num_windows + 1), np.uint32),
                    np.empty((num_tables, num_windows + 1), np.uint8),
                    np.zeros(num_tables, np.uint8),
                    np.empty(len(segment.docs), np.uint16),
                ),
            ),
        )

    def _keep(self, array: np.ndarray) -> int:
        self._arrays.append(array)
        return address(array)


def _length_classes(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The class of every length, given how many documents have it, and each class's shortest."""
    least = counts.sum() / MOST_CLASSES
    classes = np.zeros(len(counts), np.int32)
    shortest = [0]
    held = 0
    for length, count in enumerate(counts.tolist()):
        if held > least:
            shortest.append(length)
            held = 0
        held += count
        classes[length] = len(shortest) - 1
    return classes, np.array(shortest, np.int64)


def _scratch(size: int) -> np.ndarray:
    """Memory for one search after another, each thread its own."""
    scratch: np.ndarray | None = getattr(_thread, "scratch", None)
    if scratch is None or len(scratch) < size:
        scratch = _thread.scratch = np.empty(size, np.uint8)
    return scratch
