"""Every error qidf raises on purpose, one small tree.

QidfError
├── InvalidArgumentError    a value the caller passed can't be used (also a ValueError)
├── InputError              a file or folder to read is missing, empty or malformed
├── StoredIndexError        something about an index on disk
│   ├── IndexNotFoundError  there is no index at that path
│   ├── CorruptIndexError   a file of the index is missing, truncated or altered
│   ├── IndexFormatError    written by a version this one can't read
│   └── IndexLockedError    another process, or thread, is writing to it
├── DocumentError           about documents going in
│   ├── DuplicateIdError    an id occurs twice
│   └── UnknownIdError      an id is not in the index (also a KeyError)
├── EngineError             about an engine that holds an index
│   ├── EngineUnavailableError  it doesn't answer: unreachable, or too slow
│   └── EngineRejectedError     it answers that it won't: credentials, index, field, query
├── UnsupportedError        the thing asked for can't be done exactly, so it isn't done
└── MissingExtraError       an optional package is not installed (also an ImportError)

Each message says what is wrong and what to do next, in one sentence.
"""

from __future__ import annotations


class QidfError(Exception):
    """Base of every error raised on purpose."""


class InvalidArgumentError(QidfError, ValueError):
    """A value the caller passed can't be used."""


class InputError(QidfError):
    """A file or folder to read is missing, empty or malformed."""


class StoredIndexError(QidfError):
    """Something about an index on disk."""


class IndexNotFoundError(StoredIndexError):
    """There is no index at that path."""


class CorruptIndexError(StoredIndexError):
    """A file of the index is missing, truncated or altered."""


class IndexFormatError(StoredIndexError):
    """The index was written by a version this one can't read."""


class IndexLockedError(StoredIndexError):
    """Another process, or another thread of this one, is writing to the index."""


class DocumentError(QidfError):
    """About documents going in."""


class DuplicateIdError(DocumentError):
    """An id occurs twice."""


class UnknownIdError(DocumentError, KeyError):
    """An id is not in the index."""

    def __str__(self) -> str:
        """Undo KeyError's repr of the message."""
        return str(self.args[0]) if self.args else ""


class EngineError(QidfError):
    """About an engine that holds an index."""


class EngineUnavailableError(EngineError):
    """The engine doesn't answer: unreachable, or too slow."""


class EngineRejectedError(EngineError):
    """The engine answers that it won't: credentials, index, field or query."""


class UnsupportedError(QidfError):
    """The thing asked for can't be done exactly, so it isn't done."""


class MissingExtraError(QidfError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        """Name the package that is missing and the extra that brings it."""
        super().__init__(f"{package} is not installed; run: pip install 'qidf[{extra}]'")
