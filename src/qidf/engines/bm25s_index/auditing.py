"""The bit-identity audit: at q = 1 an index scores exactly as it did before qidf touched it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.engines.bm25s_index.original import original_of
from qidf.engines.bm25s_index.rescaling import rescale
from qidf.errors import InvalidArgumentError
from qidf.weighting import BM25, Weighting

Scores: TypeAlias = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What was compared, and the largest difference found."""

    num_docs: int
    num_queries: int
    k: int
    q_visited: float
    max_abs_difference: float
    identical_top_k: bool
    identical_bits: bool

    @property
    def passed(self) -> bool:
        """Whether nothing at all differs."""
        return self.max_abs_difference == 0.0 and self.identical_top_k and self.identical_bits

    def __str__(self) -> str:
        """Say it in one line."""
        same = {True: "identical", False: "DIFFERENT"}
        return (
            f"{self.num_docs:,} documents, {self.num_queries:,} queries, q = 1 after"
            f" q = {self.q_visited:g}: max absolute score difference {self.max_abs_difference},"
            f" top-{self.k} {same[self.identical_top_k]}, score bits {same[self.identical_bits]}"
        )


def audit(
    retriever: Retriever, queries: Iterable[Iterable[Any]], *, k: int = 10, q: float = 0.5
) -> AuditReport:
    """Rescale to q and back to 1, and compare every score and ranking with a copy made before.

    Queries are lists of tokens or token ids, or what `bm25s.tokenize` returns; those without a
    known token are left out. The retriever is left at the q it had.
    """
    original = original_of(retriever)
    former = BM25 if original is None else Weighting(original.idf, None, None)
    asked = _known_tokens(retriever, queries)
    if not asked:
        raise InvalidArgumentError("No query has a token that the index knows; pass others.")
    rescale(retriever, 1.0)
    matrix = ScoreMatrix.of(retriever)
    before = np.array(matrix.data)
    absent_before = _bits(retriever.nonoccurrence_array)
    try:
        visited = rescale(retriever, q)
        rescale(retriever, 1.0)
        after = ScoreMatrix.of(retriever).data
        top = min(k, matrix.num_docs)
        return AuditReport(
            num_docs=matrix.num_docs,
            num_queries=len(asked),
            k=top,
            q_visited=visited,
            max_abs_difference=_largest_difference(retriever, asked, before, after),
            identical_top_k=_same_rankings(retriever, asked, top, before, after),
            identical_bits=_bits(before) == _bits(after)
            and absent_before == _bits(retriever.nonoccurrence_array),
        )
    finally:
        rescale(retriever, weighting=former)


def _largest_difference(
    retriever: Retriever, queries: list[list[Any]], before: Scores, after: Scores
) -> float:
    largest = 0.0
    for tokens in queries:
        first, second = (
            _with_data(retriever, data).get_scores(tokens).astype(np.float64)
            for data in (before, after)
        )
        largest = max(largest, float(np.abs(first - second).max(initial=0.0)))
    return largest


def _same_rankings(
    retriever: Retriever, queries: list[list[Any]], k: int, before: Scores, after: Scores
) -> bool:
    ids = np.arange(ScoreMatrix.of(retriever).num_docs)
    first, second = (
        _with_data(retriever, data).retrieve(queries, corpus=ids, k=k, show_progress=False)
        for data in (before, after)
    )
    same_documents = np.array_equal(first.documents, second.documents)
    return same_documents and np.array_equal(first.scores, second.scores)


def _with_data(retriever: Retriever, data: Scores) -> Any:
    retriever.scores["data"] = data
    return retriever


def _bits(array: Scores | None) -> bytes | None:
    return None if array is None else np.ascontiguousarray(array).tobytes()


def _known_tokens(retriever: Retriever, queries: Any) -> list[list[Any]]:
    """Return each query's tokens that have a column, dropping queries without any."""
    num_columns = len(ScoreMatrix.of(retriever).indptr) - 1
    vocabulary = retriever.vocab_dict
    if hasattr(queries, "ids") and hasattr(queries, "vocab"):
        words = {position: word for word, position in queries.vocab.items()}
        queries = [[words[position] for position in query] for query in queries.ids]

    def known(token: Any) -> bool:
        # bm25s gives the empty token an id beyond the last column.
        return (
            token if isinstance(token, int) else vocabulary.get(token, num_columns)
        ) < num_columns

    kept = ([token for token in query if known(token)] for query in queries)
    return [query for query in kept if query]
