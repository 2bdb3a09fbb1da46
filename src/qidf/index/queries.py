"""Queries looked up once, to be ranked many times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qidf.analysis import TermTable
from qidf.records import dataclass
from qidf.weighting import Kind, QueryTokens


@dataclass(frozen=True, slots=True, eq=False)
class PreparedQueries:
    """Queries with their terms found in an index; `Index.prepare` makes them.

    What is found belongs to one state of the index. Ranked by another, they are looked up again.
    """

    queries: Sequence[str] | Sequence[Sequence[str]]
    kind: Kind | None
    tokens: QueryTokens
    spelling: TermTable
    segment_terms: tuple[np.ndarray, ...]
    doc_freqs: np.ndarray
    owner: object

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Say how many there are and of how many terms."""
        return f"<PreparedQueries: {len(self):,} queries, {len(self.doc_freqs):,} distinct tokens>"
