"""What an index answers, held to what follows from its files by the definition.

An index that somebody has altered, checksums and all, is refused, or it is another index: one whose
every answer follows from what it stores. So that nothing but the files decides, they are read here
without the package, and scores come from the plain reference.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import reference
from containers import read_arrays
from search_paths import POSTINGS, ROWS, searching
from trials import Wrong

from qidf.errors import QidfError
from qidf.index import Document, Index
from qidf.index.directory import read_snapshot, verify

QUERIES = [
    ["alpha"], ["alpha", "beta"], ["beta", "beta", "gamma", "word1"], ["word3", "word5", "rare7"],
    ["rare1", "rare2", "rare3", "alpha", "word0"], ["unheard"], ["ünïcode", "alpha"],
]  # fmt: skip
K = 5


def documents() -> list[Document]:
    """Enough that long lists, short lists and pruning all occur."""
    return [
        Document(
            " ".join(
                ["alpha"] * (1 + number % 3) + ["beta"] * (number % 2) + [f"word{number % 7}"]
                + [f"rare{number}"] * (number % 4 == 1) + ["ünïcode"] * (number % 11 == 0)
                + ["gamma"] * (number % 5)
            ),
            f"dôc{number}",
            {"path": f"src/{number}.py"} if number % 3 else {},
        )
        for number in range(48)
    ]  # fmt: skip


def stored(folder: Path) -> Index:
    """An index with one of everything: segments, deletions, metadata."""
    everything = documents()
    Index.build(everything[:40]).save(folder)
    index = Index.open(folder)
    index.delete([f"dôc{number}" for number in (3, 17, 38)])
    index.add(everything[40:])
    assert len(list(folder.glob("segment-*"))) == 2
    return index


class Files:
    """An index's files as they say, read with nothing but json and numpy."""

    def __init__(self, folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        self.documents: list[Counter[str]] = []
        self.lengths: list[int] = []
        self.live: list[bool] = []
        self.doc_freqs: Counter[str] = Counter()
        self.num_docs = manifest["totals"]["num_docs"]
        self.num_tokens = manifest["totals"]["num_tokens"]
        self.has_terms_twice = False
        for entry in manifest["segments"]:
            self._read(folder, entry)

    def _read(self, folder: Path, entry: dict[str, str]) -> None:
        arrays = read_arrays(folder / entry["file"])
        size, starts = len(arrays["lengths"]), arrays["starts"].tolist()
        blob, bounds = arrays["term_blob"].tobytes(), arrays["term_offsets"].tolist()
        terms = [
            blob[first:last].decode("utf-8", "surrogatepass") for first, last in pairwise(bounds)
        ]
        self.has_terms_twice |= len(set(terms)) < len(terms)
        counts: list[Counter[str]] = [Counter() for _ in range(size)]
        docs, tfs = arrays["docs"].tolist(), arrays["tfs"].tolist()
        for number, term in enumerate(terms):
            for at in range(starts[number], starts[number + 1]):
                counts[docs[at]][term] = tfs[at]
        live = [True] * size
        freqs = np.diff(arrays["starts"]).tolist()
        if entry["deletions"]:
            gone = read_arrays(folder / entry["deletions"])
            live = (np.unpackbits(gone["deleted"], count=size) == 0).tolist()
            freqs = gone["doc_freqs"].tolist()
        for term, doc_freq in zip(terms, freqs, strict=True):
            self.doc_freqs[term] += doc_freq
        self.documents += counts
        self.lengths += arrays["lengths"].tolist()
        self.live += live

    def scores(self, query: list[str], q: float) -> list[np.float32]:
        """Every stored document's score, operation by operation (tests/index/reference.py)."""
        weigh = reference.weight_at(q)
        average = self.num_tokens / self.num_docs if self.num_tokens else 1.0
        weights = {
            term: float(np.float32(weigh(self.doc_freqs[term], self.num_docs)))
            for term in set(query)
            if self.doc_freqs[term]
        }
        found = []
        for counts, length in zip(self.documents, self.lengths, strict=True):
            total = np.float32(0)
            for term in query:
                tf = counts[term]
                if tf and term in weights:
                    norm = 1.5 * ((1 - 0.75) + 0.75 * length / average)
                    total += np.float32(weights[term] * (tf / (norm + tf)))
            found.append(total)
        return found


def _rankings(index: Index, path: str) -> list[tuple[bytes, bytes]]:
    with searching(path):
        return [
            (ranking.positions.tobytes(), ranking.scores.tobytes())
            for q in (1.0, 0.5, "auto")
            for ranking in [index.rank(QUERIES, K, q)]
        ]


def judge(folder: Path) -> str:
    """Ask everything of an index; say what it turned out to be, or raise Wrong."""
    index = Index.open(folder)
    found = _rankings(index, POSTINGS)
    if _rankings(Index.open(folder), ROWS) != found:
        raise Wrong("searching by postings and by rows disagree")
    for query in QUERIES:
        for hit in index.search(" ".join(query), K, contributions=True):
            index.explain(" ".join(query), hit.id)
    index.search("alpha", filter={"path": "src/1.py"})
    _ = "dôc1" in index, len(index), index.decide()
    try:
        verify(folder, read_snapshot(folder))
        genuine = True
    except QidfError:
        genuine = False
    try:
        files = Files(folder)
    except UnicodeDecodeError as error:
        if genuine:
            raise Wrong("terms that aren't text were taken") from error
        return "terms aren't text; verify refuses it"
    if genuine or not files.has_terms_twice:
        _check_scores(index, files, found, genuine)
    if not genuine:
        return "answers follow from its postings; verify refuses it"
    _check_as_built(index, files)
    _change(folder)
    return "another index, sound in every respect"


def _check_scores(
    index: Index, files: Files, plain: list[tuple[bytes, bytes]], genuine: bool
) -> None:
    """Scores and ranks are those the definition gives for what is stored."""
    for q in (1.0, 0.5):
        for row, query in enumerate(QUERIES):
            found = index.scores(query, q)
            expected = files.scores(query, q)
            if not genuine and any(
                (index.doc_freqs([term]) == 0)[0] != (files.doc_freqs[term] == 0) for term in query
            ):
                # A term that slots hide can't be found; verify says so.
                continue
            # Counts of deletions that verify refuses may leave documents of terms it has none of.
            live = [at for at, alive in enumerate(files.live) if alive]
            if [found[at] for at in live] != [expected[at] for at in live]:
                raise Wrong(f"scores of {query} at {q}")
            ranked = reference.best(expected, K, lambda at: files.live[at])
            positions = np.frombuffer(plain[0 if q == 1.0 else 1][0], np.int64).reshape(-1, K)[row]
            if [at for at, _ in ranked] != [at for at in positions.tolist() if at >= 0]:
                raise Wrong(f"ranks of {query} at {q}")


def _check_as_built(index: Index, files: Files) -> None:
    """The same documents, indexed anew, give the same statistics and scores."""
    live = [counts for counts, alive in zip(files.documents, files.live, strict=True) if alive]
    tokens = [list(counts.elements()) for counts in live]
    if len(index) != len(live) or index.stats.num_tokens != sum(map(len, tokens)):
        raise Wrong("counts aren't those of the documents")
    if abs(index.stats.htok - reference.htok(tokens)) > 1e-12:
        raise Wrong("htok isn't that of the documents")
    positions = [at for at, alive in enumerate(files.live) if alive]
    for query in QUERIES:
        expected = reference.scores(tokens, query, reference.weight_at(1.0)) if tokens else []
        if index.scores(query, 1.0)[positions].tolist() != [float(each) for each in expected]:
            raise Wrong(f"scores of {query} aren't those of the documents")


def _change(folder: Path) -> None:
    """Such an index can be changed like any other."""
    index = Index.open(folder)
    index.add([Document("alpha new", index_id(index))])
    index.compact()
    verify(folder, read_snapshot(folder))


def index_id(index: Index) -> str | None:
    """An id that fits the index and isn't in it; none where ids are numbers."""
    segments = index._ranker.segments
    return "never used" if segments and segments[0].ids.kind == "string" else None
