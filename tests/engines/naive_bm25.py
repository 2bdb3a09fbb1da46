"""BM25 and its variants written out term by term: the judge of every rescaled score."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

METHODS = ("lucene", "robertson", "atire", "bm25l", "bm25+")


def tf_part(
    method: str, tf: int, length: float, average: float, k1: float, b: float, delta: float
) -> float:
    """Return what multiplies the idf (Kamphuis et al. 2020, table 1)."""
    norm = 1 - b + b * length / average
    if method in ("lucene", "robertson"):
        return tf / (tf + k1 * norm)
    if method == "atire":
        return tf * (k1 + 1) / (tf + k1 * norm)
    if method == "bm25l":
        c = tf / norm
        return (k1 + 1) * (c + delta) / (k1 + c + delta)
    return tf * (k1 + 1) / (tf + k1 * norm) + delta


def qlog_weight(doc_freq: int, num_docs: int, q: float, shift: float = 0.0) -> float:
    odds = shift + (num_docs - doc_freq + 0.5) / (doc_freq + 0.5)
    return float((odds ** (1 - q) - 1) / (1 - q))


def contributions(
    corpus: Sequence[Sequence[str]],
    query: Sequence[str],
    q: float,
    method: str = "lucene",
    k1: float = 1.5,
    b: float = 0.75,
    delta: float = 0.5,
    shift: float = 0.0,
) -> list[list[float]]:
    """Return for each document what each of the query's terms adds to its score.

    The weight is the paper's; with a shift of 1 it is ln_q(1 + odds).
    """
    average = sum(map(len, corpus)) / len(corpus)
    rows = []
    for document in corpus:
        row = []
        for term in query:
            doc_freq = sum(term in other for other in corpus)
            tf = document.count(term)
            if not doc_freq or (not tf and method not in ("bm25l", "bm25+")):
                continue
            # BM25L and BM25+ credit absence too, as of a document of average length.
            part = tf_part(method, tf, len(document) if tf else average, average, k1, b, delta)
            row.append(qlog_weight(doc_freq, len(corpus), q, shift) * part)
        rows.append(row)
    return rows


def code_like_corpus(num_docs: int, seed: int) -> list[list[str]]:
    """Return documents of common words, shared identifiers and one identifier of their own."""
    rng = random.Random(seed)
    words = [f"word{i}" for i in range(400)]
    weights = [1 / (i + 1) for i in range(400)]
    shared = [f"sharedIdent{i}" for i in range(num_docs // 3)]
    corpus = []
    for i in range(num_docs):
        document = rng.choices(words, weights, k=rng.randint(2, 30))
        document += rng.choices(shared, k=rng.randint(0, 4))
        document.append(f"ownIdent{i}")
        rng.shuffle(document)
        corpus.append(document)
    return corpus


def close_to_sum(value: float, expected: Sequence[float], rel: float) -> bool:
    """Whether a score equals its contributions' sum, relative to their sizes."""
    return abs(value - math.fsum(expected)) <= rel * math.fsum(map(abs, expected))
