"""Ids and texts out of JSON Lines, plain or gzipped, many lines at a time.

`qidf.corpora.JsonLines` reads documents one by one, with whatever else they hold. A test collection
needs two columns of all of them, and parsing a block of lines in one call takes half the time.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from qidf.datasets.dataset import Texts
from qidf.errors import DuplicateIdError, InputError

# Bytes done of bytes in all.
Progress = Callable[[int, int], None]

# Large enough that a block costs nothing, small enough that its parsed objects stay in cache.
BLOCK_BYTES = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Columns:
    """Ids and texts read so far, from one file or several; titles count if it is `titled`."""

    what: str
    titled: bool = False
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def add(self, identifier: object, title: object, text: object, file: object, at: int) -> None:
        """Add one after checking it; `file` and `at` say where it stands, in case it is wrong."""
        if type(text) is not str:
            raise InputError(f"{file}, line {at}: there is no 'text' string; add one")
        if type(identifier) is not str:
            identifier = _as_id(identifier, file, at)
        if identifier in self.seen:
            raise DuplicateIdError(
                f"{file}, line {at}: the {self.what} id {identifier!r} has occurred before; give"
                f" each {self.what} its own id"
            )
        self.seen.add(identifier)
        self.ids.append(identifier)
        self.texts.append(_joined(title, text) if self.titled else text)

    def extend(self, records: list[dict[str, Any]]) -> bool:
        """Add many at once, if nothing about any of them needs a second look; say whether."""
        ids = [record.get("_id") for record in records]
        texts = [record.get("text") for record in records]
        if {str} != {*map(type, ids), *map(type, texts)}:
            return False
        size = len(self.seen)
        self.seen.update(cast(list[str], ids))
        if len(self.seen) < size + len(ids):
            self.seen = set(self.ids)
            return False
        self.ids += cast(list[str], ids)
        self.texts += cast(list[str], texts)
        if self.titled:
            titles = [record.get("title") for record in records]
            self.texts[-len(texts) :] = [
                _joined(title, text) if title else text
                for title, text in zip(titles, cast(list[str], texts), strict=True)
            ]
        return True

    def done(self) -> Texts:
        """The columns, complete."""
        return Texts(self.ids, self.texts)


def read_jsonl(
    path: Path, what: str, *, titled: bool = False, progress: Progress | None = None
) -> Texts:
    """Read objects with an `_id` (or `id`) and a `text`, `titled` ones with a `title` in front.

    Blank lines hold nothing; any other line that can't be read is an error that names the file and
    the line.
    """
    columns = Columns(what, titled)
    number = 0
    for lines in _blocks(path, progress):
        records = _parsed(lines)
        if records is not None and columns.extend(records):
            number += len(lines)
            continue
        if records is None:
            records = [
                _parsed_line(line, path, number + at) if line.strip() else None
                for at, line in enumerate(lines, 1)
            ]
        for record in records:
            number += 1
            if record is not None:
                identifier = record.get("_id")
                if identifier is None:
                    identifier = record.get("id")
                columns.add(identifier, record.get("title"), record.get("text"), path, number)
    return columns.done()


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file, unpacking it if it begins as gzip does, whatever it is called."""
    try:
        raw = open(path, "rb")  # noqa: SIM115 - whoever called closes it
        if not raw.peek(2).startswith(_GZIP_MAGIC):
            return raw
        raw.close()
        return cast(IO[bytes], gzip.open(path, "rb"))
    except FileNotFoundError:
        raise InputError(f"there is no file {path}; check the path") from None
    except OSError as error:
        raise InputError(
            f"{path} can't be read ({error.strerror}); check its path and permissions"
        ) from error


def read_bytes(path: Path) -> bytes:
    """Read a whole file, unpacked."""
    with open_bytes(path) as file, _gzip_errors(path):
        return file.read()


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Read lines that aren't blank, with their numbers."""
    with open_bytes(path) as file, _gzip_errors(path):
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line


@contextmanager
def _gzip_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{path} breaks off or is damaged ({error}); get or make the gzip file again"
        ) from error


def _blocks(path: Path, progress: Progress | None) -> Iterator[list[bytes]]:
    """Complete lines, about BLOCK_BYTES of them at a time."""
    total = os.path.getsize(path) if path.exists() else 0
    with open_bytes(path) as file, _gzip_errors(path):
        # A gzip file's own position is that of the text; how far it has come shows below it.
        raw: IO[bytes] = getattr(file, "fileobj", file)
        rest = b""
        first = True
        while True:
            block = file.read(BLOCK_BYTES)
            if first:
                block, first = block.removeprefix(_BOM), False
            if progress is not None:
                progress(raw.tell(), total)
            if not block:
                break
            rest += block
            if (end := rest.rfind(b"\n")) >= 0:
                yield rest[:end].split(b"\n")
                rest = rest[end + 1 :]
        if rest:
            yield [rest]


def _parsed(lines: list[bytes]) -> list[Any] | None:
    """What the lines hold, parsed in one call; None where they have to be looked at one by one."""
    # Halves of an object on two lines would make a whole here; braces at both ends rule that out.
    if not all(line[:1] == b"{" and line[-1:] == b"}" for line in lines):
        return None
    try:
        records: list[Any] = json.loads(b"[" + b",".join(lines) + b"]")
    except (ValueError, RecursionError):
        return None
    return records if len(records) == len(lines) else None


def _parsed_line(line: bytes, path: Path, number: int) -> Mapping[str, Any]:
    place = f"{path}, line {number}"
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{place}: the line is not valid JSON in UTF-8 ({error}); mend it or leave it out"
        ) from error
    if not isinstance(record, dict):
        raise InputError(f"{place}: the line is not an object with an '_id' and a 'text'; mend it")
    return record


def _joined(title: object, text: str) -> str:
    """Title and text as BEIR joins them: by a space, the title first; an empty one adds nothing."""
    return f"{title} {text}" if isinstance(title, str) and title else text


def _as_id(value: object, file: object, at: int) -> str:
    """An id as a string; an integer is as good as its digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"{file}, line {at}: there is no '_id' string; add one")
