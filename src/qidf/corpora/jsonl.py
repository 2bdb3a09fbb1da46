"""JSON Lines, plain or gzipped: one document a line."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

from qidf.corpora.corpus import Corpus
from qidf.errors import InputError, InvalidArgumentError
from qidf.index import Document

_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


class JsonLines(Corpus):
    """Objects with a `text`, and optionally an `_id` or `id`, a `title`, and anything else.

    Whether the file is gzipped is told by its first bytes, whatever it is called. Blank lines hold
    no document; any other line that can't be read is an error that names the file and the line.
    """

    def __init__(self, path: str | Path) -> None:
        """Read this file; it is opened when the documents are asked for."""
        super().__init__()
        self.path = Path(path)

    def __iter__(self) -> Iterator[Document]:
        """Read from the first line."""
        for position, (number, line) in enumerate(self._lines()):
            try:
                value = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise self._broken(number, f"is not valid JSON in UTF-8 ({error})") from error
            yield self._document(value, number, position)

    def _document(self, value: Any, number: int, position: int) -> Document:
        if not isinstance(value, dict):
            raise self._broken(number, f"is {_kind(value)}, not an object with a 'text'")
        if not isinstance(value.get("text"), str):
            raise self._broken(number, "has no 'text' string")
        try:
            return Document.from_record(value, position)
        except InvalidArgumentError as error:
            raise InputError(f"{self.path}, line {number}: {error}") from error

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines that aren't blank."""
        number = 0
        with open(self.path, "rb") as raw:
            self.restart(total=os.fstat(raw.fileno()).st_size)
            seekable = raw.seekable()
            gzipped = raw.peek(2).startswith(_GZIP_MAGIC)
            stream = BufferedReader(cast(Any, gzip.GzipFile(fileobj=raw))) if gzipped else raw
            try:
                for number, line in enumerate(stream, 1):
                    if seekable:
                        self.done = raw.tell()
                    content = line.removeprefix(_BOM) if number == 1 else line
                    if content.strip():
                        yield number, content
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise InputError(
                    f"{self.path} breaks off or is damaged after line {number} ({error}); get or"
                    " make the gzip file again"
                ) from error

    def _broken(self, number: int, what: str) -> InputError:
        return InputError(f"{self.path}, line {number}: the line {what}; mend it or leave it out")


class Bm25sCorpus(JsonLines):
    """The corpus that bm25s saves beside an index: objects, or lists whose strings are the text."""

    def _document(self, value: Any, number: int, position: int) -> Document:
        if isinstance(value, list):
            value = {"text": " ".join(item for item in value if isinstance(item, str))}
        return super()._document(value, number, position)


def _kind(value: object) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
