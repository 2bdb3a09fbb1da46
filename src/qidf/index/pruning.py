"""The compiled search over one segment, and the memory it reuses from query to query."""

from __future__ import annotations

import threading

import numpy as np

from qidf.index.scoring import Scoring
from qidf.index.segment import Segment
from qidf.kernels.layout import Forward, Postings, Prepared, Queries, Scratch
from qidf.weighting import WeightedQueries

# Documents up to this length have a bucket each; longer ones share buckets that widen with length,
# since a bound that is a few percent loose there changes nothing.
EXACT_LENGTHS = 32
WIDE_BUCKETS = 32
# Sums of products below this would vanish in float32 and make a document look untouched.
SMALLEST_PRODUCT = 1e-36
# Documents' rows of terms are made once this many queries have come: making them reads the whole
# segment, which one query from a new process should not have to wait for.
QUERIES_BEFORE_ROWS = 64
# What a document can gain as long as its length isn't to be trusted: more than any query has terms.
NO_BUDGET = 2.0**31
# Places in rows are 32 bits wide.
MOST_ROW_PLACES = 2**32 - 1


class Workspace:
    """A segment with what queries share: accumulators, and parts that depend on k1, b and avgdl."""

    __slots__ = (
        "_forward",
        "_key",
        "_lock",
        "_longest",
        "_prepared",
        "_scratch",
        "_served",
        "counters",
        "segment",
    )

    def __init__(self, segment: Segment) -> None:
        """Allocate nothing until the first compiled query."""
        self.segment = segment
        self.counters = np.zeros(4, np.int64)
        self._key: tuple[float, float, float] | None = None
        self._lock = threading.Lock()
        self._longest = int(segment.lengths.max(initial=0))
        self._scratch: Scratch | None = None
        self._prepared: Prepared | None = None
        self._forward: Forward | None = None
        self._served = 0

    def can_rank(self, weights: np.ndarray, scoring: Scoring, avg_doc_length: float) -> bool:
        """Whether every product of weight and tf part is large enough for float32 sums."""
        sizes = np.abs(weights[weights != 0])
        relative = self._longest / max(avg_doc_length, 1e-9)
        norm = scoring.k1 * ((1 - scoring.b) + scoring.b * relative)
        return sizes.size == 0 or float(sizes.min()) / (1 + norm) > SMALLEST_PRODUCT

    def rank(
        self,
        queries: WeightedQueries,
        segment_terms: np.ndarray,
        scoring: Scoring,
        avg_doc_length: float,
        excluded: np.ndarray | None,
        base: int,
        positions: np.ndarray,
        scores: np.ndarray,
    ) -> None:
        """Merge this segment's best documents into each query's row; one thread at a time."""
        from qidf.kernels.topk import rank_queries

        segment = self.segment
        with self._lock:
            prepared, scratch = self._prepare(scoring, avg_doc_length)
            self._served += len(positions)
            rows = self._rows()
            if not segment.is_whole:
                # A length that isn't the sum of its postings would prune what it should find.
                budgets = np.full(len(prepared.budgets), NO_BUDGET)
                prepared = prepared._replace(budgets=budgets)
            rank_queries(
                Queries(queries.names, queries.offsets, segment_terms, queries.weights),
                Postings(segment.starts, segment.docs, segment.tfs, segment.lengths),
                rows,
                prepared,
                scratch,
                np.empty(0, np.uint8) if excluded is None else excluded,
                float(scoring.k1),
                float(scoring.b),
                avg_doc_length,
                base,
                positions,
                scores,
                self.counters,
            )

    def _prepare(self, scoring: Scoring, avg_doc_length: float) -> tuple[Prepared, Scratch]:
        key = (scoring.k1, scoring.b, avg_doc_length)
        if self._prepared is not None and self._scratch is not None and self._key == key:
            return self._prepared, self._scratch
        size, lengths = self.segment.size, self.segment.lengths
        if self._scratch is None:
            self._scratch = Scratch(
                np.zeros(size, np.float32),
                np.empty(size + 1, np.uint32),
                np.empty(size + 1, np.float32),
                np.zeros(size, np.uint8),
            )
        longest = max(self._longest, EXACT_LENGTHS + 1)
        wide = np.geomspace(EXACT_LENGTHS, longest, WIDE_BUCKETS + 1)[1:]
        bucket_lengths = np.concatenate([np.arange(EXACT_LENGTHS + 1), np.ceil(wide)])
        bucket_norms = scoring.k1 * ((1 - scoring.b) + scoring.b * bucket_lengths / avg_doc_length)
        norms = scoring.k1 * ((1 - scoring.b) + scoring.b * lengths / avg_doc_length)
        num_terms = len(self.segment.starts) - 1
        self._prepared = Prepared(
            norms.astype(np.float32),
            np.empty(len(self.segment.docs), np.float32),
            np.full(num_terms, -1, np.float32),
            np.empty(self._most_words(), np.uint64),
            np.zeros(num_terms, np.int64),
            np.zeros(num_terms, np.uint8),
            np.zeros(1, np.int64),
            np.searchsorted(bucket_lengths, lengths).astype(np.uint8),
            bucket_lengths / (1 + bucket_norms),
        )
        self._key = key
        return self._prepared, self._scratch

    def _most_words(self) -> int:
        """Words of all terms' marks together; memory that isn't written takes no room."""
        from qidf.kernels.postings import SHORT_LIST, STRETCHES

        doc_freqs = np.diff(self.segment.starts)
        stretches = np.minimum(2 * STRETCHES * doc_freqs[doc_freqs > SHORT_LIST], self.segment.size)
        return int((stretches // 32 + 2).sum())

    def _rows(self) -> Forward:
        """Documents' rows of terms; empty arrays until enough queries have come."""
        segment = self.segment
        if self._served < QUERIES_BEFORE_ROWS or len(segment.docs) > MOST_ROW_PLACES:
            none = np.empty(0, np.uint32)
            return Forward(none, none, np.empty(0, segment.tfs.dtype))
        if self._forward is not None:
            return self._forward
        from qidf.kernels.forward import transpose

        segment.verify_postings()
        self._forward = Forward(*transpose(segment.starts, segment.docs, segment.tfs, segment.size))
        return self._forward
