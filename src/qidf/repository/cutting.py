"""One file after another, read and cut: what is done for each, by whichever process does it.

A worker process needs nothing but this, so nothing here loads numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qidf.records import dataclass
from qidf.repository.chunks import Chunk, ChunkedFile, chunk_file
from qidf.repository.reading import Source, Stamp, read_source

# A file and, if it was indexed before, the digest of what it held then.
Wanted = tuple[str, bytes | None]
Cut = tuple[Source, ChunkedFile | None]
# The same in tuples of plain values, which pass between processes at a fraction of the cost.
Packed = tuple[tuple[int, int, int, int], bytes, str, Any]


@dataclass(frozen=True, slots=True)
class Cutter:
    """Reads and cuts the files of a repository; a file that holds what it did isn't cut."""

    root: Path
    max_bytes: int
    parse: bool

    def cut(self, files: Sequence[Wanted]) -> list[Cut]:
        """Files as read, each with its chunks if it has any new ones."""
        return [self._cut(path, digest) for path, digest in files]

    def _cut(self, path: str, digest: bytes | None) -> Cut:
        source = read_source(self.root, path, self.max_bytes)
        if source.reason or source.digest == digest:
            return source, None
        return source, chunk_file(path, source.text, parse=self.parse)


def pack(cut: Cut) -> Packed:
    """What `unpack` reads; a file's text is left out, since its chunks hold it."""
    source, chunked = cut
    stamp = source.stamp
    packed = None
    if chunked is not None:
        packed = (
            chunked.language,
            [
                (each.start_line, each.end_line, each.symbol, each.kind, each.inside)
                for each in chunked.chunks
            ],
            chunked.texts,
            chunked.notice,
        )
    times = (stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode)
    return times, source.digest, source.reason, packed


def unpack(packed: Packed) -> Cut:
    """A file as another process has read and cut it."""
    times, digest, reason, found = packed
    source = Source(Stamp(*times), digest, reason=reason)
    if found is None:
        return source, None
    language, chunks, texts, notice = found
    return source, ChunkedFile(language, tuple(Chunk(*each) for each in chunks), texts, notice)
