"""From documents' tokens to terms' postings, and from several segments' postings to one's."""

from __future__ import annotations

import numpy as np

from qidf.kernels.jit import jit

Array = np.ndarray


@jit
def count_postings(
    term_ids: Array, doc_offsets: Array, doc_freqs: Array, last_doc: Array
) -> tuple[int, int]:
    """Count each term's documents; return how many postings there are and the highest tf bound.

    `last_doc` is filled with -1 by the caller. The bound returned is the longest document.
    """
    postings = 0
    longest = 0
    for doc in range(len(doc_offsets) - 1):
        longest = max(longest, doc_offsets[doc + 1] - doc_offsets[doc])
        for position in range(doc_offsets[doc], doc_offsets[doc + 1]):
            term = term_ids[position]
            if last_doc[term] != doc:
                last_doc[term] = doc
                doc_freqs[term] += 1
                postings += 1
    return postings, longest


@jit
def fill_postings(
    term_ids: Array, doc_offsets: Array, heads: Array, last_doc: Array, docs: Array, tfs: Array
) -> None:
    """Write postings term by term, documents ascending; `heads` starts as each term's start."""
    for doc in range(len(doc_offsets) - 1):
        for position in range(doc_offsets[doc], doc_offsets[doc + 1]):
            term = term_ids[position]
            head = heads[term]
            if last_doc[term] == doc:
                tfs[head - 1] += 1
            else:
                last_doc[term] = doc
                docs[head] = doc
                tfs[head] = 1
                heads[term] = head + 1


@jit
def count_live(
    starts: Array,
    docs: Array,
    tfs: Array,
    deleted: Array,
    doc_freqs: Array,
    collection_freqs: Array,
) -> None:
    """Count each term's documents and occurrences outside the deleted documents."""
    for term in range(len(starts) - 1):
        documents = 0
        occurrences = 0
        for position in range(starts[term], starts[term + 1]):
            live = deleted[docs[position]] == 0
            documents += live
            occurrences += live * tfs[position]
        doc_freqs[term] = documents
        collection_freqs[term] = occurrences


@jit
def copy_live(
    starts: Array,
    docs: Array,
    tfs: Array,
    new_docs: Array,
    new_terms: Array,
    heads: Array,
    docs_out: Array,
    tfs_out: Array,
) -> None:
    """Append a segment's postings to a merged one's; `new_docs` is -1 for deleted documents."""
    for term in range(len(starts) - 1):
        target = new_terms[term]
        if target < 0:
            continue
        head = heads[target]
        for position in range(starts[term], starts[term + 1]):
            doc = new_docs[docs[position]]
            if doc >= 0:
                docs_out[head] = doc
                tfs_out[head] = tfs[position]
                head += 1
        heads[target] = head
