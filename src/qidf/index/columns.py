"""Per-document columns: the caller's ids, and whatever metadata came with each document."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qidf.analysis import TermTable
from qidf.errors import CorruptIndexError, DuplicateIdError, InvalidArgumentError
from qidf.index.container import Container
from qidf.index.documents import DocId

POSITION, INTEGER, STRING = "position", "integer", "string"
# Positions given to later documents start above the highest id and must fit in 64 bits too.
MAX_INTEGER_ID = 2**62


class IdColumn:
    """Ids of a segment's documents: given positions, integers or strings."""

    __slots__ = ("_integers", "_order", "_strings", "first", "kind", "size")

    def __init__(
        self,
        kind: str,
        size: int,
        first: int = 0,
        integers: np.ndarray | None = None,
        strings: TermTable | None = None,
    ) -> None:
        """Hold ids of one kind; `first` is the first position where the ids are positions."""
        self.kind, self.size, self.first = kind, size, first
        self._integers, self._strings = integers, strings
        self._order: np.ndarray | None = None

    @classmethod
    def from_ids(cls, ids: Sequence[DocId | None], next_position: int) -> IdColumn:
        """Check that ids are of one kind and unique."""
        missing = ids.count(None)
        if missing == len(ids):
            return cls(POSITION, len(ids), first=next_position)
        if missing:
            raise InvalidArgumentError(
                f"{missing} of {len(ids)} documents have no id; give an id to all or to none"
            )
        kinds = set(map(type, ids))
        if kinds == {int}:
            return cls._from_integers(ids)
        if all(issubclass(kind, str) for kind in kinds):
            strings = TermTable.empty()
            numbers = strings.intern([str(identifier) for identifier in ids])
            if len(strings) < len(ids):
                first_seen = np.arange(len(ids)) == np.searchsorted(
                    np.maximum.accumulate(numbers), numbers
                )
                raise _duplicate(str(ids[int(np.argmin(first_seen))]))
            return cls(STRING, len(ids), strings=strings)
        for kind in kinds - {int}:
            if not issubclass(kind, str):
                raise InvalidArgumentError(
                    f"an id can't be of type {kind.__name__}; use strings or plain integers"
                )
        raise InvalidArgumentError("ids are strings and integers mixed; use one or the other")

    @classmethod
    def _from_integers(cls, ids: Sequence[DocId | None]) -> IdColumn:
        try:
            integers = np.array(ids, dtype=np.int64)
        except OverflowError:
            raise InvalidArgumentError(
                "an integer id must fit in 64 bits; use strings for larger ones"
            ) from None
        first, last = int(integers[0]), int(integers[-1])
        if last - first == len(ids) - 1 and (np.diff(integers) == 1).all():
            return cls(POSITION, len(ids), first=first)
        values, counts = np.unique(integers, return_counts=True)
        if len(values) < len(integers):
            raise _duplicate(int(values[counts > 1][0]))
        return cls(INTEGER, len(ids), integers=integers)

    @classmethod
    def from_container(cls, kind: str, size: int, first: int, container: Container) -> IdColumn:
        """Read the column from a segment's file."""
        if kind == INTEGER:
            integers = container.array("ids", "<i8")
            if (
                len(integers) != size
                or ((integers > MAX_INTEGER_ID) | (integers < -MAX_INTEGER_ID)).any()
            ):
                raise container.corrupt("its ids can't be those of its documents")
            return cls(kind, size, integers=integers)
        if kind == STRING:
            strings = stored_strings(container, "id")
            if len(strings) != size:
                raise container.corrupt("its ids can't be those of its documents")
            return cls(kind, size, strings=strings)
        return cls(kind, size, first=first)

    def is_sound(self) -> bool:
        """Whether no two documents have the same id."""
        if self._strings is not None:
            return self._strings.is_sound()
        return self._integers is None or len(np.unique(self._integers)) == self.size

    def arrays(self) -> dict[str, np.ndarray]:
        """What to store."""
        if self._integers is not None:
            return {"ids": self._integers}
        if self._strings is not None:
            return {f"id_{name}": array for name, array in self._strings.arrays().items()}
        return {}

    def __getitem__(self, doc: int) -> DocId:
        """The id of a document of this segment."""
        if self._strings is not None:
            return self._strings.token(doc)
        if self._integers is not None:
            return int(self._integers[doc])
        return self.first + doc

    def all(self) -> list[DocId]:
        """The ids of all documents of this segment."""
        if self._strings is not None:
            return list(self._strings.tokens())
        if self._integers is not None:
            return list(self._integers.tolist())
        return list(range(self.first, self.first + self.size))

    def prefix_starts(self, separator: str) -> np.ndarray | None:
        """Documents whose id differs from the one before up to its last separator.

        None if an id has no separator.
        """
        if self._strings is None:
            return None if self.size else np.empty(0, np.int64)
        return self._strings.prefix_starts(separator)

    def find(self, identifier: DocId) -> int:
        """The document that has this id, or -1."""
        if self._strings is not None:
            return int(self._strings.lookup([identifier])[0]) if isinstance(identifier, str) else -1
        if isinstance(identifier, bool) or not isinstance(identifier, int | np.integer):
            return -1
        if self._integers is not None:
            if self._order is None:
                self._order = np.argsort(self._integers, kind="stable")
            at = int(np.searchsorted(self._integers, identifier, sorter=self._order))
            if at < self.size and self._integers[self._order[at]] == identifier:
                return int(self._order[at])
            return -1
        doc = identifier - self.first
        return doc if 0 <= doc < self.size else -1

    def shared(self, other: IdColumn) -> np.ndarray:
        """Documents of this column whose id the other column has too."""
        if self._strings is not None and other._strings is not None:
            found: np.ndarray = self._strings.lookup_table(other._strings)
            return found[found >= 0]
        if STRING in (self.kind, other.kind):
            return np.empty(0, np.int64)
        if self.kind == other.kind == POSITION:
            # Positions are consecutive, so what two columns share is one stretch of them.
            start = max(self.first, other.first) - self.first
            stop = min(self.first + self.size, other.first + other.size) - self.first
            return np.arange(start, stop, dtype=np.int64)
        return np.nonzero(np.isin(self._as_integers(), other._as_integers()))[0]

    def _as_integers(self) -> np.ndarray:
        if self._integers is not None:
            return self._integers
        return np.arange(self.first, self.first + self.size, dtype=np.int64)

    def highest(self) -> int:
        """The highest position or integer used; -1 for strings and empty columns."""
        if self.kind == STRING or self.size == 0:
            return -1
        return int(self._as_integers().max())

    def listed(self) -> list[DocId]:
        """All ids in document order."""
        if self._strings is not None:
            return list(self._strings.tokens())
        return [int(value) for value in self._as_integers()]


class MetadataColumn:
    """Each document's metadata as JSON, decoded only when a hit asks for it."""

    __slots__ = ("_blob", "_container", "_offsets")

    def __init__(
        self, blob: np.ndarray, offsets: np.ndarray, container: Container | None = None
    ) -> None:
        """Hold encoded metadata; with a container, its checksums are checked on first use."""
        self._blob, self._offsets, self._container = blob, offsets, container

    @classmethod
    def from_encoded(cls, encoded: Sequence[bytes]) -> MetadataColumn:
        """Join what `documents.batches` encoded; a column of nothing takes no room."""
        if not any(encoded):
            return cls(np.empty(0, np.uint8), np.zeros(1, np.int64))
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(item) for item in encoded], out=offsets[1:])
        return cls(np.frombuffer(bytearray().join(encoded), np.uint8), offsets)

    @classmethod
    def from_container(cls, size: int, container: Container) -> MetadataColumn:
        """Read the column from a segment's file."""
        blob = container.unverified("metadata_blob", "|u1")
        offsets = container.unverified("metadata_offsets", "<i8")
        if len(offsets) != 1 and len(offsets) != size + 1:
            raise container.corrupt("its metadata can't be that of its documents")
        return cls(blob, offsets, container)

    def arrays(self) -> dict[str, np.ndarray]:
        """What to store."""
        return {"metadata_blob": self._blob, "metadata_offsets": self._offsets}

    def is_sound(self) -> bool:
        """Whether documents' metadata follow each other and fill the column."""
        offsets = self._offsets
        return bool(
            offsets[0] == 0 and offsets[-1] == len(self._blob) and (np.diff(offsets) >= 0).all()
        )

    def encoded(self, doc: int) -> bytes:
        """One document's metadata as stored."""
        if len(self._offsets) == 1:
            return b""
        if self._container is not None:
            self._container.verify("metadata_offsets", doc, doc + 2)
        start, stop = int(self._offsets[doc]), int(self._offsets[doc + 1])
        if self._container is not None:
            if not 0 <= start <= stop <= len(self._blob):
                raise self._container.corrupt("a document's metadata is outside its file")
            self._container.verify("metadata_blob", start, stop)
        return self._blob[start:stop].tobytes()

    def __getitem__(self, doc: int) -> Mapping[str, Any]:
        """One document's metadata."""
        encoded = self.encoded(doc)
        if not encoded:
            return {}
        try:
            decoded = json.loads(encoded.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            decoded = None
        if not isinstance(decoded, dict):
            where = "this index" if self._container is None else self._container.path
            raise CorruptIndexError(
                f"{where} is corrupt (a document's metadata is no JSON object); build it again"
            )
        return decoded


def stored_strings(container: Container, prefix: str) -> TermTable:
    """Read the table of strings whose arrays' names begin so."""
    arrays = {"blob": "|u1", "offsets": "<i8", "slots": "<u4"}
    try:
        return TermTable.from_arrays(
            *(container.array(f"{prefix}_{name}", dtype) for name, dtype in arrays.items())
        )
    except CorruptIndexError as error:
        if str(container.path) in str(error):
            raise
        raise container.corrupt(str(error).partition(";")[0]) from None


def _duplicate(identifier: DocId) -> DuplicateIdError:
    return DuplicateIdError(
        f"id {identifier!r} occurs twice among these documents; give each document its own id"
    )
