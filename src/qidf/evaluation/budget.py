"""Recall within a context window: whether the right document is among the first K tokens."""

from __future__ import annotations

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.evaluation.relevance import Relevance


def recall_at_tokens(
    relevance: Relevance, positions: np.ndarray, doc_tokens: np.ndarray, budget: int
) -> np.ndarray:
    """Each query's share of relevant documents that end within the first `budget` tokens.

    Walk down the ranking, adding up documents' token counts; a document is recalled if the count,
    its own tokens included, stays within the budget (paper, fig. recall-tokens). `positions` holds
    a row of documents for each query, padded with -1, numbered as in `relevance`.
    """
    if budget < 0:
        raise InvalidArgumentError(f"a budget is a number of tokens, so it can't be {budget}")
    sizes = np.where(positions >= 0, np.asarray(doc_tokens)[positions], 0)
    within = np.cumsum(sizes, axis=1) <= budget
    ranks = relevance.ranks_in(positions)
    found = (ranks > 0) & within[relevance.queries, np.maximum(ranks, 1) - 1]
    counts = relevance.counts
    recalled = relevance.total(found.astype(np.float64))
    shares: np.ndarray = np.divide(recalled, counts, out=np.zeros(len(counts)), where=counts > 0)
    return shares
