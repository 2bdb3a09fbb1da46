"""Which spans of this repository answer a question? Listed, cut, indexed, and kept up to date.

What belongs here: which files count, how they are cut into chunks, what changed since the last
time, and how spans are ranked and returned. BM25 is the index's work, definitions
are the syntax layer's. The names below are imported when they are first used, since a worker that
only cuts files would be kept waiting by the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidf.repository.context import Context as Context
    from qidf.repository.context import ContextSpan as ContextSpan
    from qidf.repository.repository import Repository as Repository
    from qidf.repository.results import CodeHit as CodeHit
    from qidf.repository.results import Refresh as Refresh
    from qidf.repository.results import RepositoryStatus as RepositoryStatus
    from qidf.repository.results import SourceLine as SourceLine

_HOMES = {
    "CodeHit": "results",
    "Context": "context",
    "ContextSpan": "context",
    "Refresh": "results",
    "Repository": "repository",
    "RepositoryStatus": "results",
    "SourceLine": "results",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import a public name from its home on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
