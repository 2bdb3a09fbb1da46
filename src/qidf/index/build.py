"""From documents to a segment, one bounded batch of text at a time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from qidf.analysis import Analyzer, TermTable, TokenStream, analyze_batch
from qidf.index.columns import IdColumn, MetadataColumn
from qidf.index.documents import DocId, DocumentLike, batches
from qidf.index.segment import Segment


def build_segment(
    documents: Iterable[DocumentLike], analyzer: Analyzer, next_position: int
) -> Segment:
    """Analyze and invert documents; those without ids get positions from `next_position` on."""
    terms = TermTable.empty()
    streams: list[TokenStream] = []
    ids: list[DocId | None] = []
    metadata: list[bytes] = []
    for batch in batches(documents):
        streams.append(analyze_batch(analyzer, batch.texts, terms))
        ids.extend(batch.ids)
        metadata.extend(batch.metadata)
    stream = _joined(streams)
    return Segment.from_stream(
        stream, terms, IdColumn.from_ids(ids, next_position), MetadataColumn.from_encoded(metadata)
    )


def _joined(streams: list[TokenStream]) -> TokenStream:
    """One stream of several, in order."""
    if len(streams) == 1:
        return streams[0]
    term_ids = np.concatenate([np.empty(0, np.int32), *(stream.term_ids for stream in streams)])
    sizes = [np.diff(stream.doc_offsets) for stream in streams]
    offsets = np.zeros(sum(map(len, sizes)) + 1, np.int64)
    if sizes:
        np.cumsum(np.concatenate(sizes), out=offsets[1:])
    return TokenStream(term_ids, offsets)
