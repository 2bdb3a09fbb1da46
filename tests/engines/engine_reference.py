"""BM25 and other weightings written out from tokens, with each engine's own conventions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from qidf.weighting import Weighting


def _weighting(by: Weighting | float) -> Weighting:
    """A bare q is what a query in words is weighed with."""
    return by if isinstance(by, Weighting) else Weighting("qlog1p", by, None)


def byte4(length: int) -> int:
    """The length that Lucene and Tantivy remember of one: the float of a byte below it.

    Exact to 40; above, three bits of mantissa after the leading one, as SmallFloat.intToByte4.
    """
    if length < 40:
        return length
    shifted = length - 24
    bits = max(shifted.bit_length() - 4, 0)
    return ((shifted >> bits) << bits) + 24


@dataclass(frozen=True)
class Conventions:
    """How an engine scores: its constants, its length, and what it makes of repeated words."""

    k1: float
    b: float
    k1_plus_1: bool
    takes_negative: bool
    repeats: bool = True
    stored_length: Callable[[int], int] = field(default=lambda length: length)
    shortest: float = 0.0


class Reference:
    """Counts of a corpus, and scores of all documents by formula."""

    def __init__(
        self,
        tokens: dict[str, list[str]],
        conventions: Conventions,
        deleted_but_counted: dict[str, list[str]] | None = None,
    ) -> None:
        """Take live documents, and those that are gone but still count."""
        self.conventions = conventions
        counted = {**tokens, **(deleted_but_counted or {})}
        self.ids = list(tokens)
        self.num_docs = len(counted)
        self.lengths = np.array([conventions.stored_length(len(t)) for t in tokens.values()])
        self.average = sum(map(len, counted.values())) / len(counted)
        self.postings: dict[str, tuple[list[int], list[int]]] = {}
        for at, words in enumerate(tokens.values()):
            for word, count in Counter(words).items():
                docs, counts = self.postings.setdefault(word, ([], []))
                docs.append(at)
                counts.append(count)
        self.doc_freqs = Counter(word for words in counted.values() for word in set(words))

    def weight(self, term: str, by: Weighting | float) -> float:
        """ln_q of one plus the odds, or of the odds alone, by its definition."""
        weighting = _weighting(by)
        n, total = self.doc_freqs[term], self.num_docs
        odds = (total - n + 0.5) / (n + 0.5) + (weighting.formula == "qlog1p")
        q = weighting.q
        return math.log(odds) if q == 1 else (odds ** (1 - q) - 1) / (1 - q)

    def factor(self, count: int, by: Weighting | float) -> float:
        """What a term said so often counts: by k3, or as the engine counts it."""
        k3 = _weighting(by).k3
        if k3 is None:
            return count if self.conventions.repeats else 1
        return (k3 + 1) * count / (k3 + count)

    def scores(self, query: Sequence[str], q: Weighting | float) -> np.ndarray:
        """Every live document's score."""
        how = self.conventions
        relative = np.maximum(self.lengths / self.average, how.shortest)
        norms = how.k1 * (1 - how.b + how.b * relative)
        total = np.zeros(len(self.ids))
        for term, count in Counter(query).items():
            if term not in self.postings:
                continue
            weight = self.weight(term, q)
            if weight < 0 and not how.takes_negative:
                continue
            docs, counts = (np.array(each) for each in self.postings[term])
            part = counts / (counts + norms[docs])
            if how.k1_plus_1:
                part *= how.k1 + 1
            total[docs] += weight * part * self.factor(count, q)
        return total

    def scale(self, query: Sequence[str], q: Weighting | float) -> float:
        """The weights of a query's terms added up: what an engine's rounding is relative to.

        Weights of both signs cancel, and Lucene takes nearly all of a weight away from it for a
        long document; a score can be much smaller than the numbers it was made of.
        """
        factor = 1 + self.conventions.k1 if self.conventions.k1_plus_1 else 1
        known = [abs(self.weight(term, q)) for term in query if term in self.postings]
        return factor * sum(known)

    def ranking(self, query: Sequence[str], q: Weighting | float) -> list[tuple[str, float]]:
        """Documents above zero, best first."""
        scores = self.scores(query, q)
        order = np.argsort(-scores, kind="stable")
        return [(self.ids[at], float(scores[at])) for at in order if scores[at] > 0]
