"""What is served: an index, and where the texts of its documents can be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from qidf.corpora import FILES, INDEX, Corpus, detect, open_corpus
from qidf.errors import InputError
from qidf.index import Document, Index
from qidf.index.documents import DocId
from qidf.serving.roots import Root

# Texts of a JSONL are kept to show lines of them; past this the rest is searched but not shown.
KEPT_CHARACTERS = 200_000_000

Track = Callable[[Corpus], Iterable[Document]]


class Texts(Protocol):
    """Where a hit's text is, if it can be had."""

    def text(self, doc_id: DocId, metadata: Mapping[str, Any]) -> str | None:
        """The document's text; None where it isn't kept."""


@dataclass(frozen=True, slots=True)
class Collection:
    """An index with a name to show, what it was opened from, and its texts."""

    name: str
    kind: str
    index: Index
    texts: Texts


class KeptTexts:
    """Texts held in memory while the index was built."""

    def __init__(self, limit: int = KEPT_CHARACTERS) -> None:
        """Keep as many characters as this."""
        self._texts: dict[DocId, str] = {}
        self._left = limit

    def keep(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Pass documents on, remembering their texts."""
        for position, document in enumerate(documents):
            if len(document.text) <= self._left:
                self._left -= len(document.text)
                # A document without an id gets its position for one.
                self._texts[position if document.id is None else document.id] = document.text
            yield document

    def text(self, doc_id: DocId, metadata: Mapping[str, Any]) -> str | None:
        """What was kept."""
        return self._texts.get(doc_id)


class FileTexts:
    """Texts read again from files below one folder, wherever the metadata says `path`."""

    def __init__(self, root: Root | None) -> None:
        """Read below this root only; with none, nothing is read."""
        self._root = root

    def text(self, doc_id: DocId, metadata: Mapping[str, Any]) -> str | None:
        """The file as it is now; None if it has gone, or lies elsewhere."""
        path = metadata.get("path")
        if self._root is None or not isinstance(path, str):
            return None
        try:
            return self._root.read_text(path)
        except InputError:
            return None


def open_collection(
    target: str | Path,
    *,
    analyzer: str | None = None,
    root: str | Path | None = None,
    track: Track = iter,
) -> Collection:
    """Open an index, or index documents in memory.

    Lines of files are shown only from below `root`: by default the folder itself, and for a stored
    index the current folder.
    """
    target = Path(target)
    kind = detect(target)
    name = target.resolve().name or str(target)
    if kind == INDEX:
        index = Index.open(target)
        if analyzer is not None and analyzer != str(index.analyzer):
            raise InputError(
                f"{target} was indexed with the analyzer {index.analyzer}, and an index keeps no"
                " texts to analyze again; give the documents instead"
            )
        return Collection(name, kind, index, FileTexts(Root(Path(root or "."))))
    files = FileTexts(Root(Path(root or target))) if kind == FILES else None
    corpus = open_corpus(target)
    kept = KeptTexts()
    documents = kept.keep(track(corpus)) if files is None else track(corpus)
    index = Index.build(documents, analyzer=analyzer or "generic")
    if not len(index):
        raise InputError(f"there are no documents in {target}; give a folder or JSONL with some")
    return Collection(name, kind, index, files or kept)
