"""BM25 by the definition, one document and one token at a time.

Nothing here is shared with the package but numpy's float32: weights come from `math`, counts from
`collections.Counter`, the order from Python's sort. Slow, and meant to be read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

Tokens = Sequence[str]
Weight = Callable[[int, int], float]


def odds(doc_freq: int, num_docs: int) -> float:
    return (num_docs - doc_freq + 0.5) / (doc_freq + 0.5)


def weight_at(q: float) -> Weight:
    """Lucene's idf at q = 1, the q-logarithm of one plus the odds elsewhere."""
    return lambda doc_freq, num_docs: q_log(1 + odds(doc_freq, num_docs), q)


def paper_weight_at(q: float) -> Weight:
    """Lucene's idf at q = 1, the q-logarithm of the odds elsewhere."""
    if abs(q - 1) < 1e-9:
        return weight_at(1.0)
    return lambda doc_freq, num_docs: q_log(odds(doc_freq, num_docs), q)


def q_log(x: float, q: float) -> float:
    if abs(q - 1) < 1e-9:
        return math.log(x)
    return math.expm1((1 - q) * math.log(x)) / (1 - q)


def rsj_weight(doc_freq: int, num_docs: int) -> float:
    return math.log(odds(doc_freq, num_docs))


def gamma_weight(gamma: float) -> Weight:
    return lambda doc_freq, num_docs: math.log(1 + odds(doc_freq, num_docs)) ** gamma


def htok(documents: Sequence[Tokens]) -> float:
    """Share of tokens that occur once in the whole corpus."""
    counts = Counter(token for document in documents for token in document)
    total = sum(counts.values())
    return sum(count == 1 for count in counts.values()) / total if total else 0.0


def predicted_q(documents: Sequence[Tokens]) -> float:
    return min(max(1 - 7.28 * htok(documents), 0.01), 1.0)


def scores(
    documents: Sequence[Tokens],
    query: Tokens,
    weight: Weight,
    k1: float = 1.5,
    b: float = 0.75,
    k3: float | None = None,
) -> list[np.float32]:
    """Each document's score: a float32 sum, over the query's tokens in order, of float32 parts.

    With k3 each token is there once, where it is said first, and weighs what its repeats make it.
    """
    num_docs = len(documents)
    counts = [Counter(document) for document in documents]
    num_tokens = sum(map(len, documents))
    weights: dict[str, float] = {}
    for token in set(query):
        doc_freq = sum(token in count for count in counts)
        if doc_freq:
            said = query.count(token)
            factor = 1.0 if k3 is None else (k3 + 1) * said / (k3 + said)
            weights[token] = float(np.float32(weight(doc_freq, num_docs) * factor))
    positions = query if k3 is None else list(dict.fromkeys(query))
    found = []
    for document, count in zip(documents, counts, strict=True):
        total = np.float32(0)
        for token in positions:
            tf = count[token]
            if tf:
                norm = k1 * ((1 - b) + b * len(document) / (num_tokens / num_docs))
                total += np.float32(weights[token] * (tf / (norm + tf)))
        found.append(total)
    return found


def best(
    found: Sequence[np.float32], k: int, allowed: Callable[[int], bool] = lambda position: True
) -> list[tuple[int, np.float32]]:
    """The k highest scores above zero with their positions, equal ones in document order."""
    hits = [(place, score) for place, score in enumerate(found) if score > 0 and allowed(place)]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k]
