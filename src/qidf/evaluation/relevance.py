"""A dataset's relevant documents as arrays, one entry for each pair of a query and a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qidf.datasets import Judgements


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """Pair i: document docs[i] has grades[i] > 0 for query queries[i]; queries ascend.

    Documents are numbers in some order of the collection, -1 where they aren't in it. A query's
    pairs begin at offsets[query].
    """

    num_queries: int
    queries: np.ndarray
    docs: np.ndarray
    grades: np.ndarray
    offsets: np.ndarray

    @classmethod
    def from_judgements(
        cls, judgements: Judgements, query_ids: Sequence[str], positions: Mapping[str, int]
    ) -> Relevance:
        """Take the relevant pairs of these queries; `positions` numbers the documents."""
        rows: list[tuple[int, int, int]] = [
            (row, positions.get(doc_id, -1), grade)
            for row, query_id in enumerate(query_ids)
            for doc_id, grade in judgements.get(query_id, {}).items()
            if grade > 0
        ]
        pairs = np.array(rows, np.int64).reshape(-1, 3)
        offsets = np.zeros(len(query_ids) + 1, np.int64)
        np.cumsum(np.bincount(pairs[:, 0], minlength=len(query_ids)), out=offsets[1:])
        return cls(
            len(query_ids), pairs[:, 0], pairs[:, 1], pairs[:, 2].astype(np.float64), offsets
        )

    @property
    def counts(self) -> np.ndarray:
        """How many relevant documents each query has."""
        return np.diff(self.offsets)

    def total(self, values: np.ndarray) -> np.ndarray:
        """Add the pairs' values up by query."""
        return np.bincount(self.queries, values, minlength=self.num_queries)

    def ideal(self, cutoff: int) -> np.ndarray:
        """The discounted gain of each query's best ranking, as far as the cutoff."""
        best_first = np.lexsort((-self.grades, self.queries))
        ranks = np.arange(len(best_first)) - self.offsets[self.queries] + 1
        gains = np.where(ranks <= cutoff, self.grades[best_first] / np.log2(ranks + 1), 0.0)
        return self.total(gains)

    def ranks_in(self, positions: np.ndarray) -> np.ndarray:
        """Each pair's rank, from 1, in its query's row of a ranking; 0 where it isn't there."""
        ranks = np.zeros(len(self.docs), np.int64)
        if not positions.shape[1]:
            return ranks
        # Rows of a few thousand pairs at a time: with deep rankings all of them would fill memory.
        for start in range(0, len(ranks), _PAIRS_AT_ONCE):
            part = slice(start, start + _PAIRS_AT_ONCE)
            docs = self.docs[part, None]
            same = (positions[self.queries[part]] == docs) & (docs >= 0)
            ranks[part] = np.where(same.any(axis=1), same.argmax(axis=1) + 1, 0)
        return ranks


_PAIRS_AT_ONCE = 4096
