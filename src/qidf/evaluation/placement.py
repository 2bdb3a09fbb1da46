"""The ranks of relevant documents, found without ranking the others (kernels/placement.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qidf.analysis import TermTable, TokenStream, analyze_batch
from qidf.evaluation.collection import Collection
from qidf.index.scoring import Scoring


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A collection's queries, numbered once for all scorings that share k1 and b.

    What it gives is what `Index.rank` would, to the bit; several threads may ask at a time.
    """

    collection: Collection
    stream: TokenStream
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
        stream = analyze_batch(
            collection.index.analyzer, list(collection.dataset.queries.texts), names
        )
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
        return cls(collection, stream, terms, doc_freqs, norms, parts, best_parts)

    def without(self, dropped: np.ndarray) -> Placement:
        """The same queries with some of their words taken out, given as a mask over the words."""
        return replace(
            self,
            terms=np.where(dropped, -1, self.terms),
            doc_freqs=np.where(dropped, 0, self.doc_freqs),
        )

    def ranks(self, scoring: Scoring, limit: int) -> np.ndarray:
        """The rank of every pair of the collection's relevance, 0 where it is beyond `limit`."""
        from qidf.kernels.layout import Postings, Queries
        from qidf.kernels.placement import place_documents

        collection, segment = self.collection, self.collection.segment
        ranks = np.zeros(len(collection.relevance.docs), np.int64)
        place_documents(
            Queries(
                self.stream.term_ids,
                self.stream.doc_offsets,
                self.terms,
                scoring.weights(self.doc_freqs, segment.size),
            ),
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

    def found_nothing(self, scoring: Scoring) -> int:
        """How many queries have no word that counts in any document, so that nothing is found."""
        counts = scoring.weights(self.doc_freqs, self.collection.segment.size) > 0
        starts, names = self.stream.doc_offsets, self.stream.term_ids
        useful = np.concatenate([[0], np.cumsum(counts[names])])
        return int((useful[starts[1:]] == useful[starts[:-1]]).sum())
