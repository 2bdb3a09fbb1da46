"""From documents' tokens to terms' postings, on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from qidf.analysis import TokenStream
from qidf.native.inversion import count_postings, fill_postings
from qidf.native.library import address
from qidf.records import dataclass

# A thread's own counts have to be cleared, added up and kept beside the others': that pays from
# some tenths of a second of work on.
WORTH_THREADS_TOKENS = 1_000_000

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class NumberedStream:
    """Consecutive documents' tokens; with `new_ids`, term i of theirs is new_ids[i] of all."""

    tokens: TokenStream
    new_ids: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Postings:
    """Term t is in documents docs[starts[t]:starts[t+1]], tfs times; documents have lengths."""

    starts: np.ndarray
    docs: np.ndarray
    tfs: np.ndarray
    lengths: np.ndarray


@dataclass(slots=True)
class _Range:
    """Consecutive streams for one thread: the number of their first document, their counts."""

    first_doc: int
    streams: list[NumberedStream]
    doc_freqs: np.ndarray

    def count(self) -> None:
        last_doc = np.zeros(len(self.doc_freqs), np.uint32)
        for stream, first in self._numbered():
            tokens, new_ids = stream.tokens, stream.new_ids
            ids = None if new_ids is None else address(_checked(new_ids, np.int32))
            count_postings(
                tokens.term_ids,
                ids,
                tokens.doc_offsets,
                tokens.num_docs,
                first,
                last_doc,
                self.doc_freqs,
            )

    def fill(self, heads: np.ndarray, docs: np.ndarray, tfs: np.ndarray) -> None:
        where, wide = address(tfs), tfs.dtype == np.uint32
        for stream, first in self._numbered():
            tokens = stream.tokens
            fill_postings(
                tokens.term_ids,
                tokens.doc_offsets,
                tokens.num_docs,
                first,
                heads,
                docs,
                where,
                wide,
            )

    def _numbered(self) -> Iterator[tuple[NumberedStream, int]]:
        first = self.first_doc
        for stream in self.streams:
            yield stream, first
            first += stream.tokens.num_docs


def invert(streams: Sequence[NumberedStream], num_terms: int, threads: int) -> Postings:
    """Each term's documents in ascending order, from tokens that are used up.

    Each thread counts and then writes the postings of consecutive documents: where they go is
    known from what all have counted, so that the result doesn't depend on how many there are.
    """
    ranges = _ranges(streams, num_terms, threads)
    _each(_Range.count, ranges)
    doc_freqs = np.zeros(num_terms, np.int64)
    for part in ranges:
        doc_freqs += part.doc_freqs
    starts = np.zeros(num_terms + 1, np.int64)
    np.cumsum(doc_freqs, out=starts[1:])
    lengths = np.concatenate(
        [np.empty(0, np.int32), *(np.diff(stream.tokens.doc_offsets) for stream in streams)]
    ).astype(np.int32)
    docs = np.empty(starts[-1], np.uint32)
    # A term can't occur more often in a document than the document is long.
    tfs = np.empty(len(docs), np.uint16 if lengths.max(initial=0) < 2**16 else np.uint32)
    heads = [starts[:-1].copy()]
    for part in ranges[:-1]:
        heads.append(heads[-1] + part.doc_freqs)
    _each(lambda given: given[0].fill(given[1], docs, tfs), list(zip(ranges, heads, strict=True)))
    return Postings(starts, docs, tfs, lengths)


def _ranges(streams: Sequence[NumberedStream], num_terms: int, threads: int) -> list[_Range]:
    """Streams in one range for each thread that pays, with about as many tokens each."""
    sizes = [len(stream.tokens.term_ids) for stream in streams]
    wanted = max(1, min(threads, sum(sizes) // WORTH_THREADS_TOKENS))
    ranges = [_Range(0, [], np.zeros(num_terms, np.int32))]
    first_doc = done = 0
    for stream, size in zip(streams, sizes, strict=True):
        if done >= sum(sizes) * len(ranges) / wanted:
            ranges.append(_Range(first_doc, [], np.zeros(num_terms, np.int32)))
        ranges[-1].streams.append(stream)
        first_doc += stream.tokens.num_docs
        done += size
    return ranges


def _each(work: Callable[[Item], None], items: Iterable[Item]) -> None:
    """Do something for all, each on a thread of its own if there are several."""
    todo = list(items)
    if len(todo) == 1:
        work(todo[0])
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(todo)) as pool:
        for _ in pool.map(work, todo):
            pass


def _checked(array: np.ndarray, dtype: type[np.generic]) -> np.ndarray:
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise TypeError(f"expected contiguous {dtype}, not {array.dtype}")
    return array
