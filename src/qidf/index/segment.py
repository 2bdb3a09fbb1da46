"""A segment: the postings and columns of consecutive documents, never changed once made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from qidf.analysis import TermTable, TokenStream
from qidf.errors import InvalidArgumentError
from qidf.index.columns import IdColumn, MetadataColumn
from qidf.index.container import Container, write_container

MAX_DOCS = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Deletions:
    """Which of a segment's documents are gone, and its counts without them."""

    deleted: np.ndarray
    doc_freqs: np.ndarray
    collection_freqs: np.ndarray
    num_docs: int
    num_tokens: int


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Term t occurs in documents docs[starts[t]:starts[t+1]], tfs times in each."""

    terms: TermTable
    starts: np.ndarray
    docs: np.ndarray
    tfs: np.ndarray
    lengths: np.ndarray
    ids: IdColumn
    metadata: MetadataColumn
    num_tokens: int
    deletions: Deletions | None = None
    container: Container | None = None

    @classmethod
    def from_stream(
        cls, stream: TokenStream, terms: TermTable, ids: IdColumn, metadata: MetadataColumn
    ) -> Segment:
        """Invert documents' tokens."""
        from qidf.kernels.invert import count_postings, fill_postings

        if stream.num_docs > MAX_DOCS:
            raise InvalidArgumentError(
                f"a segment holds at most {MAX_DOCS} documents; add them in several calls"
            )
        doc_freqs = np.zeros(len(terms), np.int64)
        last_doc = np.full(len(terms), -1, np.int32)
        num_postings, longest = count_postings(
            stream.term_ids, stream.doc_offsets, doc_freqs, last_doc
        )
        starts = _offsets(doc_freqs)
        docs = np.empty(num_postings, np.uint32)
        # A term can't occur more often in a document than the document is long.
        tfs = np.empty(num_postings, np.uint16 if longest < 2**16 else np.uint32)
        last_doc.fill(-1)
        fill_postings(stream.term_ids, stream.doc_offsets, starts[:-1].copy(), last_doc, docs, tfs)
        lengths = np.diff(stream.doc_offsets).astype(np.int32)
        return cls(terms, starts, docs, tfs, lengths, ids, metadata, len(stream.term_ids))

    @classmethod
    def open(cls, path: Path, id_kind: str, first_id: int) -> Segment:
        """Map a stored segment; everything but postings and metadata is verified here."""
        container = Container(path)
        names = ("term_blob", "term_offsets", "term_slots")
        lengths = container.array("lengths")
        return cls(
            TermTable.from_arrays(*map(container.array, names)),
            container.array("starts"),
            container.unverified("docs"),
            container.unverified("tfs"),
            lengths,
            IdColumn.from_container(id_kind, len(lengths), first_id, container),
            MetadataColumn.from_container(container),
            int(lengths.sum(dtype=np.int64)),
            container=container,
        )

    def write(self, path: Path) -> None:
        """Store everything but the deletions, which live in a file of their own."""
        if self.container is not None:
            # New checksums must not vouch for a damaged copy of the old data.
            self.container.verify_all()
        terms = {f"term_{name}": array for name, array in self.terms.arrays().items()}
        postings = {"starts": self.starts, "docs": self.docs, "tfs": self.tfs}
        write_container(
            path,
            {
                **terms,
                **postings,
                "lengths": self.lengths,
                **self.ids.arrays(),
                **self.metadata.arrays(),
            },
        )

    @property
    def size(self) -> int:
        """Documents stored, deleted ones included."""
        return len(self.lengths)

    @property
    def num_docs(self) -> int:
        """Documents that are not deleted."""
        return self.size if self.deletions is None else self.deletions.num_docs

    @property
    def live_tokens(self) -> int:
        """Tokens of the documents that are not deleted."""
        return self.num_tokens if self.deletions is None else self.deletions.num_tokens

    @property
    def doc_freqs(self) -> np.ndarray:
        """Every term's documents, deleted ones left out."""
        return np.diff(self.starts) if self.deletions is None else self.deletions.doc_freqs

    def doc_freqs_of(self, term_ids: np.ndarray) -> np.ndarray:
        """Some terms' documents, deleted ones left out."""
        if self.deletions is not None:
            doc_freqs: np.ndarray = self.deletions.doc_freqs[term_ids]
        else:
            doc_freqs = self.starts[term_ids + 1] - self.starts[term_ids]
        return doc_freqs

    @property
    def collection_freqs(self) -> np.ndarray:
        """Every term's occurrences, those in deleted documents left out."""
        if self.deletions is not None:
            return self.deletions.collection_freqs
        self.verify_postings()
        if len(self.tfs) == 0:
            return np.zeros(len(self.starts) - 1, np.int64)
        # No term of a segment is without postings, so reduceat's empty-slice rule never applies.
        counts: np.ndarray = np.add.reduceat(self.tfs, self.starts[:-1], dtype=np.int64)
        return counts

    def hapaxes(self) -> np.ndarray:
        """Which terms occur exactly once in this segment."""
        if self.deletions is not None:
            only: np.ndarray = self.deletions.collection_freqs == 1
            return only
        single: np.ndarray = np.diff(self.starts) == 1
        if self.container is not None:
            self.container.verify("tfs", 0, len(self.tfs))
        single[single] = self.tfs[self.starts[:-1][single]] == 1
        return single

    def without(self, docs: np.ndarray) -> Segment:
        """The same segment with these documents deleted too."""
        from qidf.kernels.invert import count_live

        self.verify_postings()
        deleted = np.zeros(self.size, np.uint8)
        if self.deletions is not None:
            deleted[:] = self.deletions.deleted
        deleted[docs] = 1
        doc_freqs = np.zeros(len(self.terms), np.int64)
        collection_freqs = np.zeros(len(self.terms), np.int64)
        count_live(self.starts, self.docs, self.tfs, deleted, doc_freqs, collection_freqs)
        live = deleted == 0
        deletions = Deletions(
            deleted,
            doc_freqs,
            collection_freqs,
            int(live.sum()),
            int(self.lengths[live].sum(dtype=np.int64)),
        )
        return replace(self, deletions=deletions)

    def verify_postings(self, term_ids: np.ndarray | None = None) -> None:
        """Check the checksums of these terms' postings (of all, by default), once each."""
        if self.container is None:
            return
        for name in ("docs", "tfs"):
            verified, per_block = self.container.blocks(name)
            if verified.all():
                continue
            if term_ids is None:
                self.container.verify(name, 0, len(self.docs))
                continue
            first = self.starts[term_ids] // per_block
            last = (self.starts[term_ids + 1] - 1) // per_block
            for term in np.nonzero(~(verified[first] & verified[last] & (last - first <= 1)))[0]:
                begin, end = self.starts[term_ids[term]], self.starts[term_ids[term] + 1]
                self.container.verify(name, int(begin), int(end))


def write_deletions(path: Path, deletions: Deletions) -> None:
    """Store a segment's deletions in a file of their own."""
    write_container(
        path,
        {
            "deleted": np.packbits(deletions.deleted),
            "doc_freqs": deletions.doc_freqs.astype(np.int32),
            "collection_freqs": deletions.collection_freqs,
        },
    )


def open_deletions(path: Path, segment: Segment) -> Deletions:
    """Read a segment's deletions."""
    container = Container(path)
    deleted = np.unpackbits(container.array("deleted"), count=segment.size)
    live = deleted == 0
    return Deletions(
        deleted,
        container.array("doc_freqs").astype(np.int64),
        container.array("collection_freqs"),
        int(live.sum()),
        int(segment.lengths[live].sum(dtype=np.int64)),
    )


def merge(segments: list[Segment]) -> Segment:
    """One segment with the live documents of several, in their order."""
    from qidf.kernels.invert import copy_live

    terms = TermTable.empty()
    doc_freqs = np.zeros(0, np.int64)
    maps: list[np.ndarray] = []
    for segment in segments:
        segment.verify_postings()
        live = segment.doc_freqs > 0
        new_terms = np.full(len(segment.terms), -1, np.int32)
        if live.all():
            new_terms[:] = terms.intern_table(segment.terms)
        else:
            tokens = segment.terms.tokens()
            new_terms[live] = terms.intern([tokens[term] for term in np.nonzero(live)[0]])
        doc_freqs = np.concatenate([doc_freqs, np.zeros(len(terms) - len(doc_freqs), np.int64)])
        doc_freqs[new_terms[live]] += segment.doc_freqs[live]
        maps.append(new_terms)
    starts = _offsets(doc_freqs)
    heads = starts[:-1].copy()
    docs = np.empty(starts[-1], np.uint32)
    wide = any(segment.tfs.dtype != np.uint16 for segment in segments)
    tfs = np.empty(starts[-1], np.uint32 if wide else np.uint16)
    lengths: list[np.ndarray] = []
    ids: list[str | int | None] = []
    metadata: list[bytes] = []
    offset = 0
    for segment, new_terms in zip(segments, maps, strict=True):
        kept = _live_docs(segment)
        new_docs = np.full(segment.size, -1, np.int32)
        new_docs[kept] = np.arange(offset, offset + len(kept), dtype=np.int32)
        copy_live(segment.starts, segment.docs, segment.tfs, new_docs, new_terms, heads, docs, tfs)
        lengths.append(segment.lengths[kept])
        all_ids = segment.ids.listed()
        ids.extend(all_ids[doc] for doc in kept.tolist())
        metadata.extend(map(segment.metadata.encoded, kept.tolist()))
        offset += len(kept)
    merged_lengths = np.concatenate(lengths) if lengths else np.empty(0, np.int32)
    return Segment(
        terms,
        starts,
        docs,
        tfs,
        merged_lengths,
        IdColumn.from_ids(ids, 0),
        MetadataColumn.from_encoded(metadata),
        int(merged_lengths.sum(dtype=np.int64)),
    )


def _live_docs(segment: Segment) -> np.ndarray:
    if segment.deletions is None:
        return np.arange(segment.size)
    return np.nonzero(segment.deletions.deleted == 0)[0]


def _offsets(counts: np.ndarray) -> np.ndarray:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets
