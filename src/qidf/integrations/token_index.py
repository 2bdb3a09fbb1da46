"""An index of documents that somebody else has tokenized, asked with somebody else's tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qidf.index import DEFAULT_B, DEFAULT_K1, Index, Ranking
from qidf.integrations.passages import Q, spelled, token_lists
from qidf.weighting import Kind, Weighting, checked_kind, wanted

# Tokens stand between spaces and are taken as they are.
ANALYZER = "whitespace(lowercase=false)"


class TokenIndex:
    """What rank_bm25's classes offer, weighed in any way: `get_scores`, `get_top_n`.

    Tokens don't show whether they were code: `kind` says it, of all queries.
    """

    def __init__(
        self,
        corpus: Iterable[Sequence[str]] = (),
        *,
        q: Q | None = None,
        weighting: str | Weighting = "auto",
        kind: Kind | None = None,
        k1: float = DEFAULT_K1,
        b: float = DEFAULT_B,
        index: Index | None = None,
    ) -> None:
        """Index lists of tokens, one for each document; or go on with an index made this way."""
        texts = token_lists(list(corpus)) if index is None else []
        self.index = Index.build(texts, analyzer=ANALYZER) if index is None else index
        self.weighting, self.kind = wanted(weighting, q=q), checked_kind(kind)
        self.k1, self.b = k1, b

    @classmethod
    def open(cls, path: str | Path, **options: Any) -> TokenIndex:
        """Open what `save` stored; `options` are those of a new one."""
        return cls(index=Index.open(path), **options)

    def save(self, path: str | Path) -> None:
        """Store the index; the tokenizer is its owner's to remember."""
        self.index.save(path)

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self.index)

    def rank(self, queries: Sequence[Sequence[str]], k: int, filter: Any = None) -> Ranking:
        """Positions and scores of many queries' best documents."""
        tokens = [[spelled(token) for token in query] for query in queries]
        return self.index.rank(tokens, k, filter=filter, **self._options)

    def get_scores(self, query: Sequence[str]) -> np.ndarray:
        """Every document's score."""
        tokens = [spelled(token) for token in query]
        return self.index.scores(tokens, **self._options)

    @property
    def _options(self) -> dict[str, Any]:
        chosen = {"weighting": self.weighting, "kind": self.kind}
        return {**chosen, "k1": self.k1, "b": self.b}

    def get_top_n(self, query: Sequence[str], documents: Sequence[Any], n: int = 5) -> list[Any]:
        """Of the documents in the order they were indexed, the n best that match at all."""
        if n < 1 or not len(self):
            return []
        positions = self.rank([query], n).positions[0]
        return [documents[int(at)] for at in positions if at >= 0]
