"""The README's figures on code search are those of the run it names."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = {
    "qidf": "qidf",
    "semble (lexical half)": "semble (lexical)",
    "bm25s, whole files": "bm25s",
    "SQLite FTS5, whole files": "SQLite FTS5",
    "ripgrep, whole files": "ripgrep",
}


def test_the_readme_tells_what_the_run_measured() -> None:
    readme = (ROOT / "README.md").read_text()
    (path,) = set(re.findall(r"benchmarks/runs/code-search-[\w-]+\.md", readme))
    results = json.loads((ROOT / path).with_suffix(".json").read_text())["results"]
    for shown, tool in TOOLS.items():
        (row,) = re.findall(rf"^\| {re.escape(shown)} \|(.*)\|$", readme, re.MULTILINE)
        cells = [cell.replace("*", "").strip() for cell in row.split("|")]
        expected = []
        for measure in ("recall_2000", "recall_8000", "file_ndcg10"):
            means = [
                statistics.mean(
                    value
                    for found in results
                    if (found["tool"], found["kind"]) == (tool, kind)
                    for value in found["each"][measure]
                )
                for kind in ("doc comments", "changes")
            ]
            expected.append(" / ".join(f"{mean:.3f}".removeprefix("0") for mean in means))
        assert cells == expected
