"""From documents to a segment, one bounded batch of text at a time, on several threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from qidf.analysis import Analyzer, StringBuffer, TermTable, TokenStream, analyze_batch
from qidf.errors import InvalidArgumentError
from qidf.index.columns import IdColumn, MetadataColumn
from qidf.index.documents import DocId, DocumentBatch, DocumentLike, batches
from qidf.index.inversion import NumberedStream, invert
from qidf.index.segment import MAX_DOCS, Segment
from qidf.native.threads import num_threads

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

# Batches that a thread has at a time: one that it works on and one that waits.
_IN_HAND = 2


def build_segment(
    documents: Iterable[DocumentLike],
    analyzer: Analyzer,
    next_position: int,
    threads: int | None = None,
) -> Segment:
    """Analyze and invert documents; those without ids get positions from `next_position` on.

    However many threads there are, the segment is the same to the byte.
    """
    allowed = num_threads(threads)
    terms = TermTable.empty()
    ids: list[DocId | None] = []
    metadata: list[bytes] = []

    def texts() -> Iterator[list[str]]:
        for batch in _counted(batches(documents)):
            ids.extend(batch.ids)
            metadata.extend(batch.metadata)
            yield batch.texts

    streams = _analyzed(analyzer, texts(), terms, allowed)
    postings = invert(streams, len(terms), allowed)
    return Segment(
        terms,
        postings.starts,
        postings.docs,
        postings.tfs,
        postings.lengths,
        IdColumn.from_ids(ids, next_position),
        MetadataColumn.from_encoded(metadata),
        int(postings.lengths.sum(dtype=np.int64)),
    )


def _counted(found: Iterator[DocumentBatch]) -> Iterator[DocumentBatch]:
    count = 0
    for batch in found:
        count += len(batch.texts)
        if count > MAX_DOCS:
            raise InvalidArgumentError(
                f"a segment holds at most {MAX_DOCS} documents; add them in several calls"
            )
        yield batch


def _analyzed(
    analyzer: Analyzer, texts: Iterator[list[str]], terms: TermTable, threads: int
) -> list[NumberedStream]:
    """Number the tokens of all texts in the order in which they come."""
    first = list(islice(texts, 2))
    texts = chain(first, texts)
    if threads == 1 or len(first) < 2:
        return [NumberedStream(analyze_batch(analyzer, batch, terms)) for batch in texts]
    return _analyzed_side_by_side(analyzer, texts, terms, threads)


class _Numbering:
    """A thread that numbers tokens by a table of its own, and what its numbers are in all."""

    def __init__(self, analyzer: Analyzer, pool: ThreadPoolExecutor) -> None:
        self._analyzer, self._pool = analyzer, pool
        self._table = TermTable.empty()
        self._new_ids = [np.empty(0, np.int32)]

    def begin(self, texts: list[str]) -> Future[tuple[TokenStream, StringBuffer]]:
        """Have texts analyzed once those before are; gives their tokens, and which are new here."""
        return self._pool.submit(self._analyze, texts)

    def _analyze(self, texts: list[str]) -> tuple[TokenStream, StringBuffer]:
        known = len(self._table)
        stream = analyze_batch(self._analyzer, texts, self._table)
        return stream, self._table.strings(known)

    def learn(self, new_ids: np.ndarray) -> None:
        self._new_ids.append(new_ids)

    @property
    def new_ids(self) -> np.ndarray:
        return np.concatenate(self._new_ids)


def _analyzed_side_by_side(
    analyzer: Analyzer, texts: Iterator[list[str]], terms: TermTable, threads: int
) -> list[NumberedStream]:
    """Batches go round the threads, and their new terms are numbered in the order of batches.

    A term is new to all where it is new to a thread, in the first batch that has it: so terms get
    the numbers that one thread would give them.
    """
    # Takes as long to import as a small search takes, and most processes only search.
    from concurrent.futures import ThreadPoolExecutor

    streams: list[tuple[TokenStream, _Numbering]] = []
    begun: deque[tuple[Future[tuple[TokenStream, StringBuffer]], _Numbering]] = deque()

    def take() -> None:
        future, numbering = begun.popleft()
        stream, strings = future.result()
        numbering.learn(terms.numbers(strings, grow=True))
        streams.append((stream, numbering))

    with ExitStack() as stack:
        pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in range(threads)]
        numberings = [_Numbering(analyzer, pool) for pool in pools]
        for number, batch in enumerate(texts):
            numbering = numberings[number % threads]
            begun.append((numbering.begin(batch), numbering))
            if len(begun) >= _IN_HAND * threads:
                take()
        while begun:
            take()
    maps = {id(numbering): numbering.new_ids for numbering in numberings}
    return [NumberedStream(stream, maps[id(numbering)]) for stream, numbering in streams]
