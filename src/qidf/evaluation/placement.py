"""The ranks of relevant documents, found without ranking what comes after them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qidf.evaluation.collection import Collection
from qidf.evaluation.runs import without_hidden
from qidf.index.queries import PreparedQueries
from qidf.index.scoring import Scoring
from qidf.weighting import QueryTokens, WeightedQueries, Weighting


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A collection's queries, looked up once for all weightings that share k1 and b."""

    collection: Collection
    queries: PreparedQueries
    scoring: Scoring

    @classmethod
    def prepare(cls, collection: Collection, k1: float, b: float) -> Placement:
        """Look the queries up."""
        queries = collection.index.prepare(list(collection.dataset.queries.texts))
        return cls(collection, queries, Scoring(k1=k1, b=b))

    @property
    def tokens(self) -> QueryTokens:
        """The queries as numbers of their words."""
        return self.queries.tokens

    @property
    def terms(self) -> np.ndarray:
        """The number that the collection's segment has for each word, or -1."""
        return self.queries.segment_terms[0]

    @property
    def doc_freqs(self) -> np.ndarray:
        """In how many documents each word occurs."""
        return self.queries.doc_freqs

    def without(self, dropped: np.ndarray) -> Placement:
        """The same queries with some of their words taken out, given as a mask over the words."""
        queries = replace(
            self.queries,
            segment_terms=(np.where(dropped, -1, self.terms),),
            doc_freqs=np.where(dropped, 0, self.doc_freqs),
        )
        return replace(self, queries=queries)

    def weigh(self, asked: Weighting) -> WeightedQueries:
        """The queries as the collection's index weighs them."""
        return self.collection.index.ranker.weigh(self.queries, asked)

    def ranks(self, queries: WeightedQueries, limit: int) -> np.ndarray:
        """The rank of every pair of the collection's relevance, 0 where it is beyond `limit`."""
        collection = self.collection
        relevance = collection.relevance
        ranking = collection.index.ranker.search(
            queries,
            self.queries.segment_terms,
            limit + bool(collection.num_hidden),
            self.scoring,
            [None],
            wanted=(relevance.offsets, np.ascontiguousarray(relevance.docs)),
        )
        positions, _ = without_hidden(collection.hidden, *ranking)
        return relevance.ranks_in(positions[:, :limit])


def found_nothing(queries: WeightedQueries) -> int:
    """How many queries have no word that counts in any document, so that nothing is found."""
    useful = np.concatenate([[0], np.cumsum(queries.weights > 0)])[queries.offsets]
    return int((useful[1:] == useful[:-1]).sum())
