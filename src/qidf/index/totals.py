"""Counts over all of an index's segments: what idf and the choice of q need."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from qidf.analysis import TermTable
from qidf.index.segment import Segment
from qidf.records import dataclass
from qidf.statistics import CorpusStats


@dataclass(frozen=True, slots=True)
class Totals:
    """Live documents, their tokens, distinct terms, and terms that occur exactly once."""

    num_docs: int = 0
    num_tokens: int = 0
    vocab_size: int = 0
    num_hapaxes: int = 0

    @property
    def avg_doc_length(self) -> float:
        """Mean tokens a document; 1 where there are no tokens, since lengths are divided by it."""
        return self.num_tokens / self.num_docs if self.num_tokens else 1.0

    @property
    def htok(self) -> float:
        """Share of tokens whose term occurs exactly once in the corpus."""
        return self.num_hapaxes / self.num_tokens if self.num_tokens else 0.0

    def as_stats(self) -> CorpusStats:
        """The part of the corpus statistics that needs no pass over the vocabulary."""
        return CorpusStats(self.num_docs, self.num_tokens, self.vocab_size, self.htok)


def count(segments: Sequence[Segment]) -> Totals:
    """Count exactly, looking each pair of segments' smaller vocabulary up in the larger."""
    live = [segment.doc_freqs > 0 for segment in segments]
    seen_before = [np.zeros(len(mask), bool) for mask in live]
    seen_elsewhere = [np.zeros(len(mask), bool) for mask in live]
    for earlier, later in combinations(range(len(segments)), 2):
        shared_earlier, shared_later = _shared(segments[earlier], segments[later])
        both = live[earlier][shared_earlier] & live[later][shared_later]
        seen_elsewhere[earlier][shared_earlier[both]] = True
        seen_elsewhere[later][shared_later[both]] = True
        seen_before[later][shared_later[both]] = True
    return Totals(
        num_docs=sum(segment.num_docs for segment in segments),
        num_tokens=sum(segment.live_tokens for segment in segments),
        vocab_size=sum(
            int((mask & ~seen).sum()) for mask, seen in zip(live, seen_before, strict=True)
        ),
        num_hapaxes=sum(
            int((segment.hapaxes() & ~seen).sum())
            for segment, seen in zip(segments, seen_elsewhere, strict=True)
        ),
    )


def frequencies(segments: Sequence[Segment]) -> tuple[np.ndarray, np.ndarray]:
    """Document and collection frequency of every live term of the whole index."""
    if len(segments) == 1:
        doc_freqs, collection_freqs = segments[0].doc_freqs, segments[0].collection_freqs
    else:
        terms = TermTable.empty()
        maps = [terms.intern_table(segment.terms) for segment in segments]
        doc_freqs = np.zeros(len(terms), np.int64)
        collection_freqs = np.zeros(len(terms), np.int64)
        for segment, new_terms in zip(segments, maps, strict=True):
            doc_freqs[new_terms] += segment.doc_freqs
            collection_freqs[new_terms] += segment.collection_freqs
    live = doc_freqs > 0
    return doc_freqs[live], collection_freqs[live]


def _shared(first: Segment, second: Segment) -> tuple[np.ndarray, np.ndarray]:
    """Ids, in each of the two vocabularies, of the terms they share."""
    if len(first.terms) < len(second.terms):
        in_second, in_first = _shared(second, first)
        return in_first, in_second
    found = first.terms.lookup_table(second.terms)
    known = np.nonzero(found >= 0)[0]
    return found[known], known
