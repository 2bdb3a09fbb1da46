"""The compiled search over one segment, and the memory it reuses from query to query."""

from __future__ import annotations

import threading

import numpy as np

from qidf.analysis import TokenStream
from qidf.index.scoring import Scoring
from qidf.index.segment import Segment

# Documents of at least this many tokens share one bound, that of the longest.
LENGTH_BUCKETS = 256


class Workspace:
    """A segment with its accumulators and what depends on k1, b and the mean length alone."""

    __slots__ = ("_in_heap", "_key", "_lock", "_norms", "_parts", "_sums", "_touched", "buckets",
                 "budgets", "counters", "segment")  # fmt: skip

    def __init__(self, segment: Segment) -> None:
        """Allocate nothing until the first query."""
        self.segment = segment
        self._key: tuple[float, float, float] | None = None
        self._lock = threading.Lock()
        self.counters = np.zeros(4, np.int64)

    def rank(
        self,
        stream: TokenStream,
        segment_terms: np.ndarray,
        weights: np.ndarray,
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
            self._prepare(scoring, avg_doc_length)
            rank_queries(
                stream.term_ids,
                stream.doc_offsets,
                segment_terms,
                weights,
                segment.starts,
                segment.docs,
                segment.tfs,
                segment.lengths,
                np.empty(0, np.uint8) if excluded is None else excluded,
                float(scoring.k1),
                float(scoring.b),
                avg_doc_length,
                self._norms,
                self._parts,
                self.buckets,
                self.budgets,
                self._sums,
                self._touched,
                self._in_heap,
                base,
                positions,
                scores,
                self.counters,
            )

    def _prepare(self, scoring: Scoring, avg_doc_length: float) -> None:
        key = (scoring.k1, scoring.b, avg_doc_length)
        if self._key == key:
            return
        segment, size = self.segment, self.segment.size
        if self._key is None:
            self._sums = np.zeros(size, np.float32)
            self._touched = np.empty(size + 1, np.int32)
            self._in_heap = np.zeros(size, np.uint8)
            self.buckets = np.minimum(segment.lengths, LENGTH_BUCKETS - 1).astype(np.uint8)
        k1, b, lengths = scoring.k1, scoring.b, segment.lengths
        self._norms = (k1 * ((1 - b) + b * lengths / avg_doc_length)).astype(np.float32)
        self._parts = np.full(len(segment.terms), -1, np.float32)
        bucket_lengths = np.arange(LENGTH_BUCKETS, dtype=np.float64)
        bucket_lengths[-1] = max(int(lengths.max(initial=0)), LENGTH_BUCKETS - 1)
        bucket_norms = k1 * ((1 - b) + b * bucket_lengths / avg_doc_length)
        self.budgets = bucket_lengths / (1 + bucket_norms)
        self._key = key
