"""Files in BEIR's form."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCUMENTS = [
    {"_id": "d1", "title": "Upgrade", "text": "handleWebSocketUpgrade checks auth"},
    {"_id": "d2", "title": "", "text": "auth middleware checks the token"},
    {"_id": "d3", "text": "log middleware writes a line"},
]
QUERIES = [
    {"_id": "q1", "text": "handleWebSocketUpgrade"},
    {"_id": "q2", "title": "no part of it", "text": "middleware that writes"},
    {"_id": "q3", "text": "never judged"},
]
JUDGEMENTS = [("q1", "d1", 1), ("q2", "d3", 2), ("q2", "d2", 0)]


@dataclass(frozen=True)
class BeirFolder:
    """Where the three files go."""

    path: Path

    def write_all(self) -> None:
        self.write_records("corpus.jsonl", DOCUMENTS)
        self.write_records("queries.jsonl", QUERIES)
        self.write_judgements(JUDGEMENTS)

    def write_records(self, name: str, records: Iterable[Mapping[str, Any]]) -> None:
        self.write_lines(name, [json.dumps(record) for record in records])

    def write_lines(self, name: str, lines: Iterable[str]) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = "".join(line + "\n" for line in lines).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)

    def write_judgements(self, rows: Sequence[tuple[str, str, int]], split: str = "test") -> None:
        lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in rows)]
        self.write_lines(f"qrels/{split}.tsv", lines)
