"""The score matrix inside a `bm25s.BM25`, and the walk over its columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qidf.errors import InvalidArgumentError

# Postings handled at a time: large enough that Python's overhead vanishes, small enough that the
# float64 temporaries (8 MB each) don't show beside the index.
BLOCK_POSTINGS = 1 << 20


class Retriever(Protocol):
    """The attributes of `bm25s.BM25` that are read or replaced here."""

    scores: dict[str, Any]
    vocab_dict: dict[Any, int]
    nonoccurrence_array: NDArray[np.floating[Any]] | None
    method: str
    idf_method: str
    k1: float
    b: float
    delta: float
    dtype: str


@dataclass(frozen=True, slots=True)
class ScoreMatrix:
    """A compressed sparse column matrix: one column for each term, one row for each document."""

    data: NDArray[np.floating[Any]]
    indices: NDArray[np.integer[Any]]
    indptr: NDArray[np.integer[Any]]
    num_docs: int

    @classmethod
    def of(cls, retriever: Retriever) -> ScoreMatrix:
        """Read the matrix of a retriever that has an index."""
        scores = getattr(retriever, "scores", None)
        if not isinstance(scores, dict) or "indptr" not in scores:
            raise InvalidArgumentError(
                "This needs a bm25s.BM25 that holds an index; call its index(...) method first."
            )
        if scores.get("num_docs") is None:
            raise InvalidArgumentError(
                "This bm25s index doesn't say how many documents it has, as very old ones don't;"
                " build it again."
            )
        return cls(scores["data"], scores["indices"], scores["indptr"], int(scores["num_docs"]))

    @property
    def doc_freqs(self) -> NDArray[np.int64]:
        """How many documents each term occurs in: the lengths of the columns."""
        bounds = np.asarray(self.indptr, dtype=np.int64)
        return bounds[1:] - bounds[:-1]

    def blocks(self) -> Iterator[ColumnBlock]:
        """Yield runs of whole columns of about BLOCK_POSTINGS postings."""
        indptr = np.asarray(self.indptr, dtype=np.int64)
        column, last = 0, len(indptr) - 1
        while column < last:
            bound = int(indptr[column]) + BLOCK_POSTINGS
            stop = max(column + 1, int(np.searchsorted(indptr, bound, side="right")) - 1)
            yield ColumnBlock(
                slice(column, stop),
                slice(int(indptr[column]), int(indptr[stop])),
                indptr[column + 1 : stop + 1] - indptr[column:stop],
            )
            column = stop


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """A run of columns: which ones, which postings they hold, how many each."""

    columns: slice
    postings: slice
    lengths: NDArray[np.int64]

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Repeat each column's value over its postings."""
        return np.repeat(values[self.columns], self.lengths)
