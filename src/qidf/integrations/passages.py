"""Texts that come back from a search: an index keeps none, so they are kept beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from qidf.errors import InvalidArgumentError
from qidf.index import Index
from qidf.weighting import AUTO, Weighting

if TYPE_CHECKING:
    from qidf.index.filters import Filter
    from qidf.repository import Repository

Q = float | str


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that was found: its id, if it has one, its metadata, its score and rank."""

    text: str
    id: str | None
    metadata: Mapping[str, Any]
    score: float
    rank: int


class Passages(Protocol):
    """Anything that finds passages."""

    def search(self, query: str, k: int, weighting: Weighting = AUTO) -> list[Passage]:
        """The k best for a query."""


class TextPassages:
    """Texts held in memory with an index of them; added to and searched exactly."""

    def __init__(
        self,
        texts: Iterable[str],
        metadatas: Iterable[Mapping[str, Any]] | None = None,
        ids: Iterable[str | None] | None = None,
        *,
        analyzer: str = "generic",
    ) -> None:
        """Index texts; metadata comes back as it went in and is no part of what is searched."""
        self._texts: list[str] = []
        self._metadatas: list[Mapping[str, Any]] = []
        self._ids: list[str | None] = []
        self.index = Index.build([], analyzer=analyzer)
        self.add(texts, metadatas, ids)

    def add(
        self,
        texts: Iterable[str],
        metadatas: Iterable[Mapping[str, Any]] | None = None,
        ids: Iterable[str | None] | None = None,
    ) -> None:
        """Add texts; scores are then those of an index made of all at once."""
        new = list(texts)
        given = [{} for _ in new] if metadatas is None else list(metadatas)
        names = [None for _ in new] if ids is None else list(ids)
        if not len(new) == len(given) == len(names):
            raise InvalidArgumentError(
                f"there are {len(new)} texts, {len(given)} metadatas and {len(names)} ids;"
                " give as many of each"
            )
        self.index.add(new)
        self._texts += new
        self._metadatas += given
        self._ids += names

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self._texts)

    def search(
        self,
        query: str,
        k: int,
        weighting: Weighting = AUTO,
        filter: Filter | None = None,
    ) -> list[Passage]:
        """The k best texts; `filter` is one of qidf's, over positions."""
        ranking = self.index.rank([query], k, filter=filter, weighting=weighting)
        found = zip(ranking.positions[0].tolist(), ranking.scores[0].tolist(), strict=True)
        return [
            Passage(self._texts[at], self._ids[at], self._metadatas[at], score, rank)
            for rank, (at, score) in enumerate(found, 1)
            if at >= 0
        ]


class RepositoryPassages:
    """Spans of a repository's code, as they are on disk now."""

    def __init__(self, repository: Repository | str | Path) -> None:
        """Search a repository, or the one at a path."""
        from qidf.repository import Repository as Opened

        self.repository = repository if isinstance(repository, Opened) else Opened.open(repository)

    def search(self, query: str, k: int, weighting: Weighting = AUTO) -> list[Passage]:
        """The k best spans; their ids are path:start-end."""
        return [
            Passage(
                hit.text,
                hit.location,
                {
                    "path": hit.path,
                    "start_line": hit.start_line,
                    "end_line": hit.end_line,
                    "symbol": hit.symbol or None,
                    "language": hit.language or None,
                },
                hit.score,
                hit.rank,
            )
            for hit in self.repository.search(query, k, weighting=weighting)
        ]


def checked_k(k: int) -> int:
    """A number of hits, at least one."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InvalidArgumentError(f"k must be a whole number of at least 1, not {k!r}")
    return k


def token_lists(tokens: Sequence[Sequence[str]]) -> list[str]:
    """Texts whose words, between spaces, are these tokens: what a tokenizer of others made."""
    return [" ".join(map(spelled, document)) for document in tokens]


def spelled(token: str) -> str:
    """A token without whitespace; one that has some, or is empty, is spelled in hexadecimal."""
    if token and not any(map(str.isspace, token)) and not token.startswith(_HEX):
        return token
    return _HEX + token.encode("utf-8", "surrogatepass").hex()


# Of a private area of Unicode, so that no token of anyone's begins with it.
_HEX = "\U000f0068"
