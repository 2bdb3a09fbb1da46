"""An index of documents that somebody else has tokenized, asked with somebody else's tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qidf.index import DEFAULT_B, DEFAULT_K1, Index, Ranking
from qidf.integrations.passages import Q, spelled, token_lists

# Tokens stand between spaces and are taken as they are.
ANALYZER = "whitespace(lowercase=false)"


class TokenIndex:
    """What rank_bm25's classes offer, with q: `get_scores` and `get_top_n` over token lists."""

    def __init__(
        self,
        corpus: Iterable[Sequence[str]] = (),
        *,
        q: Q = "auto",
        k1: float = DEFAULT_K1,
        b: float = DEFAULT_B,
        index: Index | None = None,
    ) -> None:
        """Index lists of tokens, one for each document; or go on with an index made this way."""
        texts = token_lists(list(corpus)) if index is None else []
        self.index = Index.build(texts, analyzer=ANALYZER) if index is None else index
        self.q, self.k1, self.b = q, k1, b

    @classmethod
    def open(cls, path: str | Path, *, q: Q = "auto") -> TokenIndex:
        """Open what `save` stored."""
        return cls(q=q, index=Index.open(path))

    def save(self, path: str | Path) -> None:
        """Store the index; the tokenizer is its owner's to remember."""
        self.index.save(path)

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self.index)

    def rank(self, queries: Sequence[Sequence[str]], k: int, filter: Any = None) -> Ranking:
        """Positions and scores of many queries' best documents."""
        tokens = [[spelled(token) for token in query] for query in queries]
        return self.index.rank(tokens, k, self.q, filter, k1=self.k1, b=self.b)

    def get_scores(self, query: Sequence[str]) -> np.ndarray:
        """Every document's score."""
        tokens = [spelled(token) for token in query]
        return self.index.scores(tokens, self.q, k1=self.k1, b=self.b)

    def get_top_n(self, query: Sequence[str], documents: Sequence[Any], n: int = 5) -> list[Any]:
        """Of the documents in the order they were indexed, the n best that match at all."""
        if n < 1 or not len(self):
            return []
        positions = self.rank([query], n).positions[0]
        return [documents[int(at)] for at in positions if at >= 0]
