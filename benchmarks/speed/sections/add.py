"""Adding the last hundredth to an index on disk, against building and saving all of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import qidf
from benchmarks.speed.clock import interleaved
from benchmarks.speed.settings import Settings
from benchmarks.speed.verification import check_equal
from benchmarks.speed.workload import ANALYZER, Workload


def measure(workload: Workload, settings: Settings) -> dict[str, Any]:
    """Each repeat adds to a fresh copy of the index of the first 99%."""
    texts = workload.texts
    held = max(1, len(texts) // 100)
    first, last = texts[:-held], texts[-held:]
    base = settings.scratch / "add-base"
    qidf.Index.build(first, analyzer=ANALYZER).save(base)
    # One more than the repeats: the first warms up and is checked.
    copies = [_copy(base, number) for number in range(settings.repeats + 1)]
    opened = [qidf.Index.open(path) for path in copies]
    full = settings.scratch / "add-full"

    opened[0].add(last)
    whole = qidf.Index.build(texts, analyzer=ANALYZER)
    queries = [workload.query_tokens[place] for place in workload.some_queries(100)]
    checks = [
        check_equal(
            "added to = built anew, top-10, q = auto",
            opened[0].rank(queries).scores,
            whole.rank(queries).scores,
        )
    ]
    turn = iter(opened[1:])
    os.sync()

    def build_and_save() -> qidf.Index:
        index = qidf.Index.build(texts, analyzer=ANALYZER)
        index.save(full)
        return index

    samples = interleaved(
        {
            "qidf build and save": build_and_save,
            "qidf build": lambda: qidf.Index.build(texts, analyzer=ANALYZER),
            "qidf add 1% and commit": lambda: next(turn).add(last),
        },
        settings.repeats,
    )
    return {
        "samples": samples,
        "values": {"num_docs": len(texts), "num_added": held},
        "checks": checks,
    }


def _copy(base: Path, number: int) -> Path:
    path = base.with_name(f"add-{number}")
    shutil.copytree(base, path)
    return path
