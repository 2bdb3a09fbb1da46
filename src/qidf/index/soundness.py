"""What a stored segment must be before any kernel runs over it: the contract of the kernels.

Kernels index arrays without looking where they lead, so that whatever they rely on is checked here,
once, after checksums and before first use. A checksum only says that a file is as it was written;
somebody may have written it on purpose.

When a segment is opened (`check_tables`, `TermTable.from_arrays`, `check_deletions`):

- arrays have the types and lengths they are stored with;
- `starts` rises from 0 to the number of postings by at least one a term and at most one a document;
- lengths are not negative;
- a term table's slots are those that its strings have;
- deletions leave each term no more than it has, and together as many tokens as are left.

When a block of postings is first read (`check_postings`):

- documents of a term rise and are in range;
- a term occurs at least once in each, and no more often than the document is long.

When a segment has been read whole (`check_lengths` and `Segment.verify`): documents are as long as
their terms occur in them. Until then nothing but a score may rest on a length: what bounds scores
by lengths waits for `Segment.is_whole`.

Functions return what is wrong, in words that fit into brackets, or None.
"""

from __future__ import annotations

import numpy as np

# Postings summed up at a time: 16 bytes of memory for each.
_CHUNK = 1 << 20


def check_tables(
    num_terms: int, starts: np.ndarray, docs: np.ndarray, tfs: np.ndarray, lengths: np.ndarray
) -> str | None:
    """Hold what a segment is opened with to the contract."""
    if len(starts) != num_terms + 1 or len(docs) != len(tfs):
        return "its arrays don't fit together"
    if len(lengths) and int(lengths.min()) < 0:
        return "a document has a negative length"
    if starts[0] != 0 or starts[-1] != len(docs):
        return "its terms don't span its postings"
    if num_terms:
        sizes = np.diff(starts)
        if int(sizes.min()) < 1 or int(sizes.max()) > len(lengths):
            return "a term has an impossible number of documents"
    return None


def check_postings(
    starts: np.ndarray,
    docs: np.ndarray,
    tfs: np.ndarray,
    lengths: np.ndarray,
    first: int,
    last: int,
) -> str | None:
    """Hold postings `first` to `last` (excluded) to the contract; `starts` is known to be right."""
    found, counts = docs[first:last], tfs[first:last]
    if len(found) == 0:
        return None
    if int(found.max()) >= len(lengths):
        return "a posting names a document that doesn't exist"
    # With the posting before the first, unless a term begins there.
    begins = starts[np.searchsorted(starts, first) : np.searchsorted(starts, last)] - first
    falls = np.flatnonzero(found[1:] <= found[:-1]) + 1
    if len(falls) and not np.isin(falls, begins, assume_unique=True).all():
        return "a term's documents are out of order"
    if first and (len(begins) == 0 or begins[0] != 0) and docs[first - 1] >= found[0]:
        return "a term's documents are out of order"
    if int(counts.min()) < 1 or (counts > lengths[found]).any():
        return "a term occurs an impossible number of times"
    return None


def check_lengths(docs: np.ndarray, tfs: np.ndarray, lengths: np.ndarray) -> str | None:
    """Hold lengths to the sums of what occurs in documents; postings are known to be sound."""
    sums = np.zeros(len(lengths))
    chunk = max(_CHUNK, len(lengths))
    for first in range(0, len(docs), chunk):
        part = slice(first, first + chunk)
        sums += np.bincount(docs[part], tfs[part], len(lengths))
    return None if np.array_equal(sums, lengths) else "a document has another length than it says"


def check_deletions(
    doc_freqs: np.ndarray,
    collection_freqs: np.ndarray,
    starts: np.ndarray,
    live_docs: int,
    live_tokens: int,
) -> str | None:
    """Hold the counts that deletions leave to what they can be."""
    if len(doc_freqs) != len(starts) - 1 or len(collection_freqs) != len(doc_freqs):
        return "it belongs to another segment"
    possible = (
        (doc_freqs >= 0)
        & (doc_freqs <= np.minimum(np.diff(starts), live_docs))
        & (collection_freqs >= doc_freqs)
        & (collection_freqs <= live_tokens)
        & ((doc_freqs > 0) | (collection_freqs == 0))
    )
    if not possible.all() or int(collection_freqs.sum()) != live_tokens:
        return "its counts can't be"
    return None
