"""What goes into an index: documents, however the caller spells them."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import field
from itertools import islice
from typing import Any

from qidf.errors import InvalidArgumentError
from qidf.records import dataclass

DocId = str | int


@dataclass(frozen=True, slots=True)
class Document:
    """A text to search, the caller's id for it, and anything that should come back with a hit."""

    text: str
    id: DocId | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_record(cls, record: Mapping[str, Any], position: int = 0) -> Document:
        """Read a mapping: `_id` or `id`, `text`, and the rest as metadata.

        A `title` is metadata and is searched too, joined in front of the text by a space, as BEIR
        does it.
        """
        rest = dict(record)
        identifier = rest.pop("_id", None)
        if identifier is None:
            identifier = rest.pop("id", None)
        text = rest.pop("text", None)
        if not isinstance(text, str):
            raise InvalidArgumentError(
                f"document {position} has no 'text' string; give each record a text field"
            )
        if identifier is not None and (
            isinstance(identifier, bool) or not isinstance(identifier, str | int)
        ):
            raise InvalidArgumentError(
                f"document {position} has an id of type {type(identifier).__name__}; "
                "use a string or an integer"
            )
        title = rest.get("title")
        if isinstance(title, str) and title:
            text = f"{title} {text}"
        return cls(text, identifier, rest)


DocumentLike = str | Document | Mapping[str, Any]


@dataclass(slots=True)
class DocumentBatch:
    """Columns of consecutive documents, bounded in size so that a corpus never sits in memory."""

    texts: list[str]
    ids: list[DocId | None]
    metadata: list[bytes]


# Characters a batch: large enough that what a batch costs vanishes, small enough that texts stay
# out of the peak memory, and that whoever makes documents in other processes waits only moments.
BATCH_CHARACTERS = 1 << 18
# Strings of a list that are looked at together, so that each comes into the core's cache once.
_PIECE = 128
# json.dumps would make an encoder for every document.
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def batches(documents: Iterable[DocumentLike]) -> Iterator[DocumentBatch]:
    """Group documents into batches, checking each one's form."""
    if isinstance(documents, str | Mapping | Document) or not isinstance(documents, Iterable):
        raise InvalidArgumentError(
            f"documents can't be a {type(documents).__name__}; put documents in a list"
        )
    strings = 0
    if isinstance(documents, list):
        strings = yield from _string_batches(documents)
    batch, size = DocumentBatch([], [], []), 0
    for position, item in enumerate(islice(documents, strings, None), strings):
        if isinstance(item, str):
            document = Document(item)
        elif isinstance(item, Document):
            document = item
        elif isinstance(item, Mapping):
            document = Document.from_record(item, position)
        else:
            raise InvalidArgumentError(
                f"document {position} is a {type(item).__name__}; "
                "use a string, a mapping with a 'text', or a qidf.Document"
            )
        if not isinstance(document.text, str):
            raise InvalidArgumentError(
                f"document {position} has a text of type {type(document.text).__name__}; "
                "use a string"
            )
        batch.texts.append(document.text)
        batch.ids.append(document.id)
        batch.metadata.append(_encode(document.metadata, position))
        size += len(document.text)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = DocumentBatch([], [], []), 0
    if batch.texts:
        yield batch


def _string_batches(documents: list[Any]) -> Generator[DocumentBatch, None, int]:
    """Batches of the plain strings that a list begins with; returns how many they are."""
    texts: list[str] = []
    size = done = 0
    while piece := documents[done : done + _PIECE]:
        if set(map(type, piece)) != {str}:
            break
        texts += piece
        done += len(piece)
        size += sum(map(len, piece))
        if size >= BATCH_CHARACTERS:
            yield _plain(texts)
            texts, size = [], 0
    if texts:
        yield _plain(texts)
    return done


def _plain(texts: list[str]) -> DocumentBatch:
    return DocumentBatch(texts, [None] * len(texts), [b""] * len(texts))


def _encode(metadata: Mapping[str, Any], position: int) -> bytes:
    """Metadata as stored: JSON, or nothing at all when there is none."""
    if not metadata:
        return b""
    try:
        return _JSON.encode(dict(metadata)).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"document {position} has metadata that JSON can't hold ({error}); "
            "use strings, numbers, booleans, lists and mappings"
        ) from error
