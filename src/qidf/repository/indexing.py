"""From changed files to chunks to index, a batch of files at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from qidf.analysis.stopwords import ENGLISH
from qidf.errors import MissingExtraError
from qidf.index import Document
from qidf.repository.chunks import ChunkedFile
from qidf.repository.cutting import Cutter
from qidf.repository.file_records import FileRecord
from qidf.repository.leads import last_name, spelled_out
from qidf.repository.reading import EMPTY, VANISHED, Source
from qidf.repository.state import chunk_id
from qidf.repository.store import Settings
from qidf.repository.workers import cut_files

Progress = Callable[[int, int], None]

# How often a definition's symbol is added to its text, and how often its last name once more.
_SYMBOL_WEIGHT = 2
_NAME_WEIGHT = 3


class ChangedFiles:
    """Documents for the chunks of changed files; iterate once, then ask what became of each file.

    A file whose content is what it was only gets a new stamp.
    """

    def __init__(
        self,
        root: Path,
        paths: Sequence[str],
        known: Mapping[str, FileRecord],
        settings: Settings,
        progress: Progress | None = None,
    ) -> None:
        """Plan to read these files; `known` are the records of all files so far."""
        self._root, self._paths, self._known = root, paths, known
        self._settings, self._progress = settings, progress
        self.records: dict[str, FileRecord] = {}
        self.vanished: list[str] = []
        self.interruption: KeyboardInterrupt | None = None

    def __iter__(self) -> Iterator[tuple[str, list[Document]]]:
        """Each file whose chunks are new, with the documents for them."""
        cutter = Cutter(self._root, self._settings.max_bytes, self._settings.parsed)
        wanted = [
            (path, None if path not in self._known else self._known[path].digest)
            for path in self._paths
        ]
        paths = iter(self._paths)
        done = 0
        with closing(cut_files(cutter, wanted, meanwhile=_load_kernels)) as cut:
            for files in cut:
                # In this order, or `zip` would take a path too many.
                for (source, chunked), path in zip(files, paths, strict=False):
                    documents = self._take(path, source, chunked)
                    if documents is not None:
                        yield path, documents
                done += len(files)
                if self._progress is not None:
                    try:
                        self._progress(done, len(self._paths))
                    except KeyboardInterrupt as interruption:
                        # Here every file is read or not, none in part, so what was read can be
                        # kept.
                        self.interruption = interruption
                        return

    def _take(
        self, path: str, source: Source, chunked: ChunkedFile | None
    ) -> list[Document] | None:
        known = self._known.get(path)
        if source.reason == VANISHED:
            self.vanished.append(path)
            return [] if known is not None and known.spans else None
        if chunked is None:
            if known is not None and not source.reason and known.digest == source.digest:
                self.records[path] = known._replace(stamp=source.stamp)
                return None
            self.records[path] = FileRecord(source.stamp, source.digest, reason=source.reason)
            return [] if known is not None and known.spans else None
        spans = tuple((chunk.start_line, chunk.end_line) for chunk in chunked.chunks)
        self.records[path] = FileRecord(
            source.stamp,
            source.digest,
            chunked.language,
            "" if spans else EMPTY,
            chunked.notice or "",
            spans,
        )
        return _documents(path, source, chunked)


def _documents(path: str, source: Source, chunked: ChunkedFile) -> list[Document]:
    documents = []
    for number, (chunk, own) in enumerate(zip(chunked.chunks, chunked.texts, strict=True)):
        metadata: dict[str, object] = {"language": chunked.language}
        if chunk.symbol:
            metadata |= {"symbol": chunk.symbol, "kind": chunk.kind}
        if chunk.inside:
            metadata["inside"] = chunk.inside
        if number == 0:
            # What a lost state is recovered from.
            metadata |= {"digest": source.digest.hex(), "chunks": len(chunked.chunks)}
        text = searchable_text(path, chunk.symbol, own)
        span = (chunk.start_line, chunk.end_line)
        documents.append(Document(text, chunk_id(path, span), metadata))
    return documents


def searchable_text(path: str, symbol: str, text: str) -> str:
    """What a chunk is found by: its path and its symbol with those around it, then its lines.

    A definition is worth more than a use, and its own name more than those around it: without
    this weight a file's other uses of a name would outrank its definition (see `ranking`; symbols
    asked for by their name, NDCG@10 over six repositories: .905 with each symbol three times, .943
    with these).
    """
    if not symbol:
        return f"{path}\n{text}"
    name = last_name(symbol)
    if len(name) < 2 or name.lower() in ENGLISH:
        # No word by itself, so that it would be found by nothing.
        name = spelled_out(name)
        symbol = f"{symbol} {name}"
    return f"{path}\n{f'{symbol} ' * _SYMBOL_WEIGHT}{f'{name} ' * _NAME_WEIGHT}\n{text}"


def can_parse() -> bool:
    """Whether tree-sitter is installed; without it files are cut into windows."""
    try:
        from qidf.syntax import LANGUAGES, outline

        outline(b"", LANGUAGES["python"])
    except MissingExtraError:
        return False
    return True


def _load_kernels() -> None:
    """Load what the index is built with, which takes longer than a worker's start."""
    import gc

    from qidf.analysis import parse_analyzer
    from qidf.index.build import build_segment
    from qidf.repository.analyzers import IDENTIFIER

    # Loading makes a great many objects and no garbage; looking for some takes a tenth of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        build_segment([Document("queries", "id")], parse_analyzer(IDENTIFIER), 0)
    finally:
        if collecting:
            gc.enable()
