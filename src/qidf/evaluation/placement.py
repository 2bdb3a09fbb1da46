"""The ranks of relevant documents, found without ranking the others (kernels/placement.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qidf.analysis import TermTable, analyze_batch
from qidf.evaluation.collection import Collection
from qidf.weighting import KINDS, LEARNT, QueryTokens, WeightedQueries, Weighting, kind_of, weigh


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A collection's queries, numbered once for all weightings that share k1 and b.

    What it gives is what `Index.rank` would, to the bit; several threads may ask at a time.
    """

    collection: Collection
    tokens: QueryTokens
    spelling: TermTable
    terms: np.ndarray
    doc_freqs: np.ndarray
    norms: np.ndarray
    parts: np.ndarray
    best_parts: np.ndarray

    @classmethod
    def prepare(cls, collection: Collection, k1: float, b: float) -> Placement:
        """Tokenize the queries and compute what k1 and b alone decide."""
        segment = collection.segment
        names = TermTable.empty()
        texts = list(collection.dataset.queries.texts)
        stream = analyze_batch(collection.index.analyzer, texts, names)
        code = np.array([kind_of(text) == "code" for text in texts], bool)
        tokens = QueryTokens(stream.term_ids, stream.doc_offsets, code, len(names))
        terms = segment.terms.lookup_table(names)
        known = terms >= 0
        doc_freqs = np.zeros(len(names), np.int64)
        doc_freqs[known] = segment.doc_freqs_of(terms[known])
        # The same operations in the same order as index/scoring.py, whose bits they give.
        average = segment.num_tokens / segment.size if segment.num_tokens else 1.0
        norms = k1 * ((1 - b) + b * segment.lengths / average)
        tfs = segment.tfs.astype(np.float64)
        parts = (tfs / (norms[segment.docs] + tfs)).astype(np.float32)
        best_parts = np.maximum.reduceat(parts, segment.starts[:-1]) if len(parts) else parts.copy()
        return cls(collection, tokens, names, terms, doc_freqs, norms, parts, best_parts)

    def without(self, dropped: np.ndarray) -> Placement:
        """The same queries with some of their words taken out, given as a mask over the words."""
        return replace(
            self,
            terms=np.where(dropped, -1, self.terms),
            doc_freqs=np.where(dropped, 0, self.doc_freqs),
        )

    def weigh(self, asked: Weighting) -> WeightedQueries:
        """The queries as the collection's index weighs them."""
        index, size = self.collection.index, self.collection.segment.size
        text, code = (index.decide(weighting=asked, kind=kind).weighting for kind in KINDS)
        return weigh(
            self.tokens,
            text,
            code,
            lambda each: each.idfs(self.doc_freqs, size),
            lambda: LEARNT.of_tokens(self.spelling.tokens(), self.doc_freqs, size),
        )

    def ranks(self, queries: WeightedQueries, limit: int) -> np.ndarray:
        """The rank of every pair of the collection's relevance, 0 where it is beyond `limit`."""
        from qidf.kernels.layout import Postings, Queries
        from qidf.kernels.placement import place_documents

        collection, segment = self.collection, self.collection.segment
        ranks = np.zeros(len(collection.relevance.docs), np.int64)
        place_documents(
            Queries(queries.names, queries.offsets, self.terms, queries.weights),
            Postings(segment.starts, segment.docs, segment.tfs, segment.lengths),
            self.parts,
            self.best_parts,
            self.norms,
            collection.relevance.offsets,
            collection.relevance.docs,
            collection.hidden,
            limit,
            ranks,
        )
        return ranks


def found_nothing(queries: WeightedQueries) -> int:
    """How many queries have no word that counts in any document, so that nothing is found."""
    useful = np.concatenate([[0], np.cumsum(queries.weights > 0)])[queries.offsets]
    return int((useful[1:] == useful[:-1]).sum())
