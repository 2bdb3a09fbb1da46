"""What a search of a repository gives back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from qidf.records import dataclass
from qidf.repository.ranking import Parts


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of a file."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class CodeHit:
    """A span of a file that matched; lines count from 1 and the last is included.

    `role` is what its file is for: code, test, prose or data. `matched` says what each query token
    found in the span added to the span's own part of the score, most first; `parts` adds what the
    span's file and its better neighbour contribute. `lines` are the span's, with as many lines of
    context around them as were asked for. `copies` are locations of further spans with the same
    text, as in several builds of one file.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    score: float
    rank: int
    role: str
    matched: Mapping[str, float]
    parts: Parts
    lines: tuple[SourceLine, ...] = ()
    copies: tuple[str, ...] = ()

    @property
    def location(self) -> str:
        """The span as path:start-end."""
        return f"{self.path}:{self.start_line}-{self.end_line}"

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(line.text for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """The hit in JSON's types; these names are stable."""
        return {
            "rank": self.rank,
            "path": self.path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "symbol": self.symbol or None,
            "kind": self.kind or None,
            "language": self.language or None,
            "role": self.role,
            "score": self.score,
            "parts": self.parts.to_dict(),
            "matched": dict(self.matched),
            "first_line": self.lines[0].number if self.lines else self.start_line,
            "text": self.text,
            "copies": list(self.copies),
        }


@dataclass(frozen=True, slots=True)
class Refresh:
    """What a refresh did."""

    indexed: int = 0
    removed: int = 0
    unchanged: int = 0
    seconds: float = 0.0

    def __bool__(self) -> bool:
        """Whether the index changed."""
        return bool(self.indexed or self.removed)


@dataclass(frozen=True, slots=True)
class RepositoryStatus:
    """What is indexed, how, and what isn't."""

    root: Path
    directory: Path | None
    num_files: int
    num_chunks: int
    languages: Counter[str]
    analyzer: str
    analyzer_reason: str
    q: float
    q_reason: str
    weighting: str
    code_weighting: str
    htok: float
    size_bytes: int
    refreshed_ns: int
    max_bytes: int
    parsed: bool
    pending: int
    removed: int
    skipped: Counter[str] = field(default_factory=Counter)
    notices: Counter[str] = field(default_factory=Counter)

    def to_dict(self) -> dict[str, Any]:
        """The status in JSON's types; these names are stable."""
        return {
            "root": str(self.root),
            "directory": None if self.directory is None else str(self.directory),
            "num_files": self.num_files,
            "num_chunks": self.num_chunks,
            "languages": dict(self.languages.most_common()),
            "analyzer": self.analyzer,
            "analyzer_reason": self.analyzer_reason,
            "q": self.q,
            "q_reason": self.q_reason,
            "weighting": self.weighting,
            "code_weighting": self.code_weighting,
            "htok": self.htok,
            "size_bytes": self.size_bytes,
            "refreshed": self.refreshed_ns / 1e9 if self.refreshed_ns else None,
            "max_bytes": self.max_bytes,
            "parsed": self.parsed,
            "pending": self.pending,
            "removed": self.removed,
            "skipped": dict(self.skipped.most_common()),
            "notices": dict(self.notices.most_common()),
        }
