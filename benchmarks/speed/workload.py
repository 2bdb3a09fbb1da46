"""The documents and queries a run works on."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qidf.analysis import parse_analyzer

ANALYZER = "generic"


@dataclass(frozen=True, slots=True)
class Workload:
    """Texts of documents and queries, and the queries' tokens, which both sides get."""

    name: str
    texts: list[str]
    queries: list[str]
    query_tokens: list[list[str]]
    sha256: dict[str, str]

    @classmethod
    def from_folder(cls, folder: Path) -> Workload:
        """Read a BEIR folder, plain or gzipped."""
        corpus, queries = _file(folder, "corpus"), _file(folder, "queries")
        texts = [row["text"] for row in _rows(corpus)]
        query_texts = [row["text"] for row in _rows(queries)]
        analyzer = parse_analyzer(ANALYZER)
        return cls(
            folder.name,
            texts,
            query_texts,
            [list(analyzer.tokens(text)) for text in query_texts],
            {
                path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                for path in (corpus, queries)
            },
        )

    def some_queries(self, count: int) -> list[int]:
        """Numbers of queries spread evenly over all, for work that calls once per query."""
        count = min(count, len(self.queries))
        return [place * len(self.queries) // count for place in range(count)]


def _file(folder: Path, stem: str) -> Path:
    for name in (f"{stem}.jsonl.gz", f"{stem}.jsonl"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"{folder} has no {stem}.jsonl.gz; build the corpus or name another")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
