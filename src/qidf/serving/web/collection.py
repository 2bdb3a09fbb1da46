"""What is served: an index, and where the texts of its documents can be seen."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from qidf.corpora import FILES, INDEX, Corpus, detect, open_corpus
from qidf.errors import InputError
from qidf.index import Document, Explanation, Hit, Index
from qidf.index.documents import DocId
from qidf.repository import Repository
from qidf.repository.explanation import explain_whole
from qidf.repository.ranking import CODE_B, CODE_K1
from qidf.repository.state import parse_chunk_id
from qidf.serving.roots import Root
from qidf.weighting import BM25, Advice, Decision, Weighting, advise

# Texts of a JSONL are kept to show lines of them; past this the rest is searched but not shown.
KEPT_CHARACTERS = 200_000_000
REPOSITORY = "repository"
# Dragging q asks dozens of times a second; files don't change as fast.
REFRESH_SECONDS = 1.0
# Scores of a query at the last values of q, some megabytes each.
REMEMBERED = 4

T = TypeVar("T")
Track = Callable[[Corpus], Iterable[Document]]


@dataclass(frozen=True, slots=True)
class Text:
    """A document's text, and the number of its first line; None where lines have no numbers."""

    content: str
    first_line: int | None = None

    @classmethod
    def of(cls, content: str) -> Text:
        """A text of its own; a single line needs no number."""
        return cls(content, 1 if "\n" in content.rstrip("\n") else None)


class Texts(Protocol):
    """Where a hit's text is, if it can be had."""

    def text(self, doc_id: DocId, metadata: Mapping[str, Any]) -> Text | None:
        """The document's text; None where it isn't kept."""


class Source(Protocol):
    """What is searched: an index that may have another state after a refresh."""

    @property
    def index(self) -> Index:
        """The index as of the last refresh."""

    def refresh(self) -> object:
        """Take up what has changed since."""

    def search(
        self, query: str, k: int, weighting: Weighting, *, contributions: bool = False
    ) -> list[Hit]:
        """The best documents as of the last refresh, ranked as the command line ranks them."""

    def decide(self, query: str | None, weighting: Weighting) -> Decision:
        """What `search` weighs a query with, and why."""

    def advise(self, *, can_change_analyzer: bool) -> Advice:
        """What to do about the corpus."""

    def plain(self, query: str, k: int) -> list[Hit]:
        """The best documents by plain BM25, to compare with."""

    def explain(self, query: str, doc_id: DocId, weighting: Weighting) -> Explanation:
        """Why a document has its score and rank, there and by BM25."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What is served, under a name to show, with the kind of thing it was opened from."""

    name: str
    kind: str
    source: Source
    texts: Texts

    @property
    def index(self) -> Index:
        """The index to search now."""
        return self.source.index


class StoredIndex:
    """An index, in memory or on disk, where others may commit to it."""

    def __init__(self, index: Index) -> None:
        """Serve this index."""
        self.index = index

    def refresh(self) -> bool:
        """Take up the last commit."""
        return self.index.refresh()

    def search(
        self, query: str, k: int, weighting: Weighting, *, contributions: bool = False
    ) -> list[Hit]:
        """The best documents."""
        return self.index.search(query, k, contributions=contributions, weighting=weighting)

    def decide(self, query: str | None, weighting: Weighting) -> Decision:
        """What the index decides."""
        return self.index.decide(query, weighting=weighting)

    def advise(self, *, can_change_analyzer: bool) -> Advice:
        """What to do about the index."""
        index = self.index
        return advise(index.stats, analyzer=index.analyzer, can_change_analyzer=can_change_analyzer)

    def plain(self, query: str, k: int) -> list[Hit]:
        """The best documents by BM25."""
        return self.index.search(query, k, weighting=BM25)

    def explain(self, query: str, doc_id: DocId, weighting: Weighting) -> Explanation:
        """Why a document has its score."""
        return self.index.explain(query, doc_id, weighting=weighting)


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

    def text(self, doc_id: DocId, metadata: Mapping[str, Any]) -> Text | None:
        """What was kept."""
        found = self._texts.get(doc_id)
        return None if found is None else Text.of(found)


class FileTexts:
    """Texts read again from files below one folder, wherever the metadata says `path`."""

    def __init__(self, root: Root | None) -> None:
        """Read below this root only; with none, nothing is read."""
        self._root = root

    def text(self, doc_id: DocId, metadata: Mapping[str, Any]) -> Text | None:
        """The file as it is now; None if it has gone, or lies elsewhere."""
        path = metadata.get("path")
        if self._root is None or not isinstance(path, str):
            return None
        try:
            return Text.of(self._root.read_text(path))
        except InputError:
            return None


class CodeTexts:
    """Spans of a repository's files as they are now; their ids are path:start-end."""

    def __init__(self, root: Root) -> None:
        """Read below the repository's root only."""
        self._root = root

    def text(self, doc_id: DocId, metadata: Mapping[str, Any]) -> Text | None:
        """The span's lines; None if the file has gone or become shorter."""
        path, start, end = parse_chunk_id(str(doc_id))
        try:
            lines = self._root.read_text(path).split("\n")[start - 1 : end]
        except InputError:
            return None
        return Text("\n".join(lines), start) if lines else None


class Remembered(Generic[T]):
    """The last few results of a function, as long as they are about the same index."""

    def __init__(self, function: Callable[..., T], index: Callable[[], Index]) -> None:
        """Remember what this function gives."""
        self._function, self._index = function, index
        self._kept: OrderedDict[Hashable, tuple[Index, T]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, *given: Hashable, **named: Hashable) -> T:
        """Ask the function, or give what it gave."""
        index, key = self._index(), (given, tuple(sorted(named.items())))
        with self._lock:
            known = self._kept.get(key)
        if known is not None and known[0] is index:
            return known[1]
        found = self._function(*given, **named)
        with self._lock:
            self._kept[key] = (index, found)
            self._kept.move_to_end(key)
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        return found


class RefreshedRepository:
    """A repository that is looked through for changes, though not at every step of a slider."""

    def __init__(self, repository: Repository) -> None:
        """Serve its index of spans."""
        self._repository = repository
        # A ranking, and why a hit is there, from the same scores; none are lost while q is dragged.
        self._span_scores = Remembered(repository.span_scores, lambda: repository.index)
        self._looked = -REFRESH_SECONDS

    @property
    def index(self) -> Index:
        """The index of spans."""
        return self._repository.index

    def refresh(self) -> None:
        """Take up what changed on disk."""
        now = time.monotonic()
        if now - self._looked >= REFRESH_SECONDS:
            self._repository.refresh()
            self._looked = time.monotonic()

    def search(
        self, query: str, k: int, weighting: Weighting, *, contributions: bool = False
    ) -> list[Hit]:
        """The best spans, by their own words, their file's and their neighbour's."""
        scored = self._span_scores(query, weighting=weighting)
        ranked = scored.best(k)
        hits = self.index.hits(ranked.positions, ranked.scores)
        if not contributions:
            return hits
        return [
            replace(hit, contributions=_added(scored.added(each), repeat))
            for hit, each, repeat in zip(
                hits, ranked.positions.tolist(), ranked.repeats.tolist(), strict=True
            )
        ]

    def explain(self, query: str, doc_id: DocId, weighting: Weighting) -> Explanation:
        """Why a span has its score; each token with all that it adds to it."""
        scored = self._span_scores(query, weighting=weighting)
        plain = self.index.token_scores(query, weighting=BM25, k1=CODE_K1, b=CODE_B)
        return explain_whole(self.index, doc_id, scored, plain)

    def decide(self, query: str | None, weighting: Weighting) -> Decision:
        """What the repository decides."""
        return self._repository.decide(query, weighting=weighting)

    def advise(self, *, can_change_analyzer: bool) -> Advice:
        """What to do about the repository."""
        return self._repository.advise(can_change_analyzer=can_change_analyzer)

    def plain(self, query: str, k: int) -> list[Hit]:
        """The best spans by BM25 over their own words alone."""
        return self.index.search(query, k, weighting=BM25, k1=CODE_K1, b=CODE_B)


def _added(added: Mapping[str, float], repeat: float) -> dict[str, float]:
    return {token: value * repeat for token, value in added.items() if value}


def of_repository(repository: Repository) -> Collection:
    """Serve the spans of a repository, indexed now if they weren't yet."""
    source = RefreshedRepository(repository)
    source.refresh()
    return Collection(
        repository.root.name or str(repository.root),
        REPOSITORY,
        source,
        CodeTexts(Root(repository.root)),
    )


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
        return Collection(name, kind, StoredIndex(index), FileTexts(Root(Path(root or "."))))
    files = FileTexts(Root(Path(root or target))) if kind == FILES else None
    corpus = open_corpus(target)
    kept = KeptTexts()
    documents = kept.keep(track(corpus)) if files is None else track(corpus)
    index = Index.build(documents, analyzer=analyzer or "generic")
    if not len(index):
        raise InputError(f"there are no documents in {target}; give a folder or JSONL with some")
    return Collection(name, kind, StoredIndex(index), files or kept)
