"""What went into a corpus: counts at every step, seed and checksums."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "manifests"

# Columns of the README's table: the step's name in the manifest and what it says to a reader.
COLUMNS = (
    ("functions", "functions"),
    ("documented", "documented"),
    ("not_test", "not a test"),
    ("not_standard", "not standard"),
    ("doc_tokens", "3+ tokens"),
    ("code_lines", "3+ lines"),
    ("same_place", "one version"),
    ("exact_doc", "distinct docs"),
    ("exact_code", "distinct code"),
    ("near_code", "no near duplicate"),
)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The record beside a corpus; it holds no time and no place, so a rebuild equals it."""

    language: str
    num_docs: int
    num_queries: int
    seed: int
    num_packages: int
    package_bytes: int
    package_list_sha256: str
    missing: list[str]
    rules: str
    file_steps: dict[str, int]
    function_steps: dict[str, int]
    files_sha256: dict[str, str]

    @classmethod
    def from_path(cls, path: Path) -> Manifest:
        """Read a manifest back."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def write(self, path: Path) -> None:
        """Write as JSON, one field a line."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def table(manifests: Iterable[Manifest]) -> str:
    """Markdown: what is left of each language after each step."""
    heads = ["language", "packages", "MB", *(head for _, head in COLUMNS), "documents", "queries"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for manifest in manifests:
        cells = [
            manifest.language,
            f"{manifest.num_packages:,}",
            f"{manifest.package_bytes / 1e6:,.0f}",
            *(f"{manifest.function_steps[step]:,}" for step, _ in COLUMNS),
            f"{manifest.num_docs:,}",
            f"{manifest.num_queries:,}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
