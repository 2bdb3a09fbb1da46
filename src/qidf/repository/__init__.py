"""Which spans of this repository answer a question? Listed, cut, indexed, and kept up to date.

What belongs here: which files count, how they are cut into chunks, what changed since the last
time, and how spans are returned. Ranking is the index's work, definitions
are the syntax layer's.
"""

from __future__ import annotations

from qidf.repository.context import Context, ContextSpan
from qidf.repository.repository import Repository
from qidf.repository.results import CodeHit, Refresh, RepositoryStatus, SourceLine

__all__ = [
    "CodeHit",
    "Context",
    "ContextSpan",
    "Refresh",
    "Repository",
    "RepositoryStatus",
    "SourceLine",
]
