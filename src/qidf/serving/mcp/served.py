"""Folders an agent may search and read, each under a name of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qidf.repository import CodeHit, Repository
from qidf.repository.matching import path_matcher
from qidf.serving.mcp.first_index import FirstIndex
from qidf.serving.roots import Root
from qidf.weighting import AUTO, Weighting


@dataclass(frozen=True, slots=True)
class ServedFolder:
    """A folder, the repository it lies in, and the part of it that is served.

    Paths shown and taken are relative to the folder; with several folders they begin with its name.
    """

    root: Root
    repository: Repository
    within: str
    prefix: str
    indexing: FirstIndex

    @classmethod
    def open(
        cls, path: str | Path, prefix: str = "", directory: Path | None = None
    ) -> ServedFolder:
        """Serve a folder; it is indexed when it is first searched, unless that is begun before."""
        root, indexing = Root(Path(path)), FirstIndex()
        repository = Repository.open(root.path, progress=indexing.report, directory=directory)
        within = root.path.relative_to(repository.root).as_posix()
        return cls(root, repository, "" if within == "." else within, prefix, indexing)

    def shown(self, path: str) -> str:
        """A repository's path as the agent sees it."""
        below = path[len(self.within) + 1 :] if self.within else path
        return f"{self.prefix}{below}"

    def lines(self, path: str) -> list[str]:
        """Lines of a file given by the path an agent sees; an error if it isn't below the root."""
        return self.root.read_text(path.removeprefix(self.prefix)).split("\n")

    def lines_of_hit(self, path: str, first: int, last: int) -> Sequence[str]:
        """Lines of a hit's file; none if it has gone since, or is no plain file any more."""
        below = path.removeprefix(self.prefix)
        return self.repository.lines(
            f"{self.within}/{below}" if self.within else below, first, last
        )

    def languages(self) -> Counter[str]:
        """Indexed files below the folder, by language."""
        start = f"{self.within}/" if self.within else ""
        return Counter(
            record.language or "other"
            for path, record in self.repository.files.items()
            if record.spans and path.startswith(start)
        )

    def hits(
        self,
        query: str,
        language: str | None,
        path: str | None,
        ratios: Mapping[str, float] | None = None,
        weighting: Weighting = AUTO,
    ) -> Iterator[CodeHit]:
        """All spans below the folder, best first, under the paths that an agent sees."""
        glob = self.glob(path)
        anchored = None if glob is None else self._anchored(glob)
        found = self.repository.hits_in_order(
            query,
            language=language,
            path=anchored,
            within=self.within or None,
            ratios=ratios,
            weighting=weighting,
        )
        return (replace(hit, path=self.shown(hit.path)) for hit in found)

    def glob(self, path: str | None) -> str | None:
        """A glob as the folder itself would have it."""
        return None if path is None else path.removeprefix(self.prefix) or None

    def why_nothing(self, query: str, path: str | None) -> str:
        """A sentence for an agent whose search found nothing: what to change."""
        where = f" in {self.prefix.rstrip('/')}" if self.prefix else ""
        if not self.languages():
            return f"Nothing is indexed{where}: there are no files of text.\n"
        if not self.repository.index.analyzer.tokens(query):
            return "The query has no words to search for; ask for names or rarer words.\n"
        matches = path_matcher([self._anchored(path)] if path else None, self.within or None)
        if matches is not None and not any(map(matches, self.repository.files)):
            return f"No file{where} has a path like {path!r}; leave it out or choose another.\n"
        return f"Nothing matches{where}; try other names or words.\n"

    def _anchored(self, path: str) -> str:
        # A glob without a slash fits names at any depth, so only others need the way to here.
        return f"{self.within}/{path}" if "/" in path and self.within else path


def open_folders(paths: Sequence[str | Path]) -> tuple[ServedFolder, ...]:
    """Serve folders, each under its own name if there are several."""
    roots = dict.fromkeys(Path(path).resolve() for path in paths)
    if len(roots) == 1:
        return (ServedFolder.open(next(iter(roots))),)
    folders: list[ServedFolder] = []
    taken: set[str] = set()
    for root in roots:
        name = root.name or "root"
        number = 2
        while name in taken:
            name = f"{root.name or 'root'}-{number}"
            number += 1
        taken.add(name)
        folders.append(ServedFolder.open(root, f"{name}/"))
    return tuple(folders)
