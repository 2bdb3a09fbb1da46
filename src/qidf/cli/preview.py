"""One line of a hit that says why it was found."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidf.analysis import Analyzer
    from qidf.index import Hit

# A file that has grown past this since it was indexed isn't read for a line to show.
MAX_BYTES = 2_000_000


def preview(hit: Hit, analyzer: Analyzer) -> str:
    """The hit's title, or the line of its file that holds most of what made it score."""
    title = hit.metadata.get("title")
    if isinstance(title, str) and title:
        return title
    path = hit.metadata.get("path")
    # A relative path would be read from wherever the user happens to be.
    if not isinstance(path, str) or not os.path.isabs(path):
        return ""
    return _best_line(_lines(path), hit, analyzer)


def _best_line(lines: list[str], hit: Hit, analyzer: Analyzer) -> str:
    added = hit.contributions or {}
    best, most = "", 0.0
    for number, line in enumerate(lines, 1):
        worth = sum(added.get(token, 0.0) for token in set(analyzer.tokens(line)))
        if worth > most:
            best, most = f"{number}: {line.strip()}", worth
    return best


def _lines(path: str) -> list[str]:
    """The file's lines; none if it is gone or has become something else."""
    from qidf.corpora.confinement import read_if_regular

    data = read_if_regular(path, MAX_BYTES)
    return [] if data is None else data.decode("utf-8", "replace").splitlines()
