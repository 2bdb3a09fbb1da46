"""A segment: the postings and columns of consecutive documents, never changed once made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from qidf.analysis import TermTable
from qidf.errors import CorruptIndexError
from qidf.index.columns import IdColumn, MetadataColumn, stored_strings
from qidf.index.container import Container, write_container
from qidf.index.soundness import check_deletions, check_lengths, check_postings, check_tables
from qidf.native import inversion
from qidf.native.library import address
from qidf.records import dataclass

MAX_DOCS = 2**31 - 1
_LENGTHS, _POSTINGS, _EVERYTHING = "lengths", "postings", "everything"


@dataclass(frozen=True, slots=True, eq=False)
class Deletions:
    """Which of a segment's documents are gone, and its counts without them."""

    deleted: np.ndarray
    doc_freqs: np.ndarray
    collection_freqs: np.ndarray
    num_docs: int
    num_tokens: int
    container: Container | None = None


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
    def open(cls, path: Path, id_kind: str, first_id: int) -> Segment:
        """Map a stored segment; what it is held to, and when, is said in soundness.py."""
        container = Container(path)
        terms = stored_strings(container, "term")
        starts = container.array("starts", "<i8")
        docs = container.unverified("docs", "<u4")
        tfs = container.unverified("tfs", "<u2", "<u4")
        lengths = container.array("lengths", "<i4")
        container.require(check_tables(len(terms), starts, docs, tfs, lengths))

        def check(first: int, last: int) -> str | None:
            container.verify("tfs", first, last)
            return check_postings(starts, docs, tfs, lengths, first, last)

        container.guard("docs", check)
        return cls(
            terms,
            starts,
            docs,
            tfs,
            lengths,
            IdColumn.from_container(id_kind, len(lengths), first_id, container),
            MetadataColumn.from_container(len(lengths), container),
            int(lengths.sum(dtype=np.int64)),
            container=container,
        )

    def write(self, path: Path) -> None:
        """Store everything but the deletions, which live in a file of their own."""
        # New checksums must not vouch for a damaged copy of the old data.
        self.verify()
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

    def is_live(self, doc: int) -> bool:
        """Whether a document is not deleted."""
        return self.deletions is None or not self.deletions.deleted[doc]

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
        going = np.zeros(self.size, np.uint8)
        going[docs] = 1
        return replace(self, deletions=self._count_without(going))

    def _count_without(self, going: np.ndarray) -> Deletions:
        """The deletions so far and these: the counts so far less those of their postings."""
        self.verify_postings()
        deleted = (
            np.zeros(self.size, np.uint8) if self.deletions is None else self.deletions.deleted
        )
        going = going & (deleted ^ 1)
        # A document has no more terms than tokens.
        room = int(self.lengths[going == 1].sum(dtype=np.int64)) + 1
        places = np.empty(room, np.int64)
        count = inversion.find_postings(self.docs, len(self.docs), going, places, room)
        places = places[:count]
        terms = np.searchsorted(self.starts, places, side="right") - 1
        doc_freqs, collection_freqs = self.doc_freqs.copy(), self.collection_freqs.copy()
        np.subtract.at(doc_freqs, terms, 1)
        np.subtract.at(collection_freqs, terms, self.tfs[places].astype(np.int64))
        deleted = deleted | going
        live = deleted == 0
        return Deletions(
            deleted,
            doc_freqs,
            collection_freqs,
            int(live.sum()),
            int(self.lengths[live].sum(dtype=np.int64)),
        )

    def verify_postings(self, term_ids: np.ndarray | None = None) -> None:
        """Check these terms' postings (all of them, by default), once each, before they are read.

        Both checksums and content: after it, kernels may follow them without looking. An id of -1
        is that of no term.
        """
        if self.container is None:
            return
        if term_ids is None:
            for name in ("docs", "tfs"):
                self.container.verify(name, 0, len(self.docs))
            if not self.is_whole:
                self.container.require(check_lengths(self.docs, self.tfs, self.lengths))
                self.container.settle(_LENGTHS)
            self.container.settle(_POSTINGS)
            return
        if self.container.is_settled(_POSTINGS):
            return
        term_ids = term_ids[term_ids >= 0]
        for name in ("docs", "tfs"):
            verified, per_block = self.container.blocks(name)
            if verified.all():
                continue
            first = self.starts[term_ids] // per_block
            last = (self.starts[term_ids + 1] - 1) // per_block
            for term in np.nonzero(~(verified[first] & verified[last] & (last - first <= 1)))[0]:
                begin, end = self.starts[term_ids[term]], self.starts[term_ids[term] + 1]
                self.container.verify(name, int(begin), int(end))

    @property
    def is_whole(self) -> bool:
        """Whether lengths are known to be the sums of the postings: bounds may rest on them."""
        return self.container is None or self.container.is_settled(_LENGTHS)

    def verify(self) -> None:
        """Check everything there is, once, before it is copied or vouched for."""
        self._verify_deletions()
        container = self.container
        if container is None or container.is_settled(_EVERYTHING):
            return
        container.verify_all()
        self.verify_postings()
        if not self.terms.is_sound():
            raise container.corrupt("its terms aren't text, or one is there twice")
        if not self.ids.is_sound():
            raise container.corrupt("two documents have the same id")
        if not self.metadata.is_sound():
            raise container.corrupt("a document's metadata is outside its file")
        container.settle(_EVERYTHING)

    def _verify_deletions(self) -> None:
        """Count anew what stored deletions say is left."""
        stored = self.deletions
        if stored is None or stored.container is None or stored.container.is_settled(_EVERYTHING):
            return
        counted = replace(self, deletions=None)._count_without(stored.deleted)
        if not (
            np.array_equal(counted.doc_freqs, stored.doc_freqs)
            and np.array_equal(counted.collection_freqs, stored.collection_freqs)
        ):
            raise stored.container.corrupt("its counts aren't those of its segment")
        stored.container.settle(_EVERYTHING)


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
    """Read a segment's deletions, holding their counts to what they can be."""
    container = Container(path)
    packed = container.array("deleted", "|u1")
    if len(packed) != -(-segment.size // 8):
        raise container.corrupt("it belongs to another segment")
    deleted = np.unpackbits(packed, count=segment.size)
    live = deleted == 0
    deletions = Deletions(
        deleted,
        container.array("doc_freqs", "<i4").astype(np.int64),
        container.array("collection_freqs", "<i8"),
        int(live.sum()),
        int(segment.lengths[live].sum(dtype=np.int64)),
        container,
    )
    container.require(
        check_deletions(
            deletions.doc_freqs,
            deletions.collection_freqs,
            segment.starts,
            deletions.num_docs,
            deletions.num_tokens,
        )
    )
    return deletions


def merge(segments: list[Segment]) -> Segment:
    """One segment with the live documents of several, in their order."""
    terms = TermTable.empty()
    doc_freqs = np.zeros(0, np.int64)
    maps: list[np.ndarray] = []
    for segment in segments:
        # Places in the merged arrays are counted from what the parts say of themselves.
        segment.verify()
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
        own_tfs = segment.tfs.astype(tfs.dtype, copy=False)
        inversion.copy_postings(
            segment.starts,
            len(new_terms),
            segment.docs,
            *_tfs(own_tfs),
            new_docs,
            new_terms,
            heads,
            docs,
            address(tfs),
        )
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


def _tfs(tfs: np.ndarray) -> tuple[int, bool]:
    """Where counts are, and whether they are of 32 bits rather than 16, as loops take them."""
    if tfs.dtype not in (np.uint16, np.uint32) or not tfs.flags.c_contiguous:
        raise CorruptIndexError(f"counts of terms are stored as {tfs.dtype}; build the index again")
    return address(tfs), tfs.dtype == np.uint32


def _live_docs(segment: Segment) -> np.ndarray:
    if segment.deletions is None:
        return np.arange(segment.size)
    return np.nonzero(segment.deletions.deleted == 0)[0]


def _offsets(counts: np.ndarray) -> np.ndarray:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets
