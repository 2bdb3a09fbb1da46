"""One `qidf search` from the shell, against a Python that only imports numpy."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import qidf
from benchmarks.speed.settings import Settings
from benchmarks.speed.workload import ANALYZER, Workload

# What a person types: a name and a few words.
SHORT_QUERY = "parse url query string"


def measure(workload: Workload, settings: Settings) -> dict[str, Any]:
    """Alternate starts; the first of each only fills the page cache and is dropped."""
    path = settings.scratch / "cold.qidf"
    qidf.Index.build(workload.texts, analyzer=ANALYZER).save(path)
    median = sorted(workload.queries, key=len)[len(workload.queries) // 2]
    command = _qidf()
    commands = {
        "import numpy": [sys.executable, "-c", "import numpy"],
        "qidf search, short query": [*command, "search", str(path), "--", SHORT_QUERY],
        "qidf search, a function": [*command, "search", str(path), "--", median],
        "python alone": [sys.executable, "-c", ""],
    }
    samples: dict[str, dict[str, list[float]]] = {name: {"wall": []} for name in commands}
    for repeat in range(settings.cold_starts + 1):
        for name, arguments in commands.items():
            start = time.perf_counter()
            subprocess.run(arguments, check=True, capture_output=True)
            seconds = time.perf_counter() - start
            if repeat:
                samples[name]["wall"].append(seconds)
    return {"samples": samples, "values": {"function_characters": len(median)}}


def _qidf() -> list[str]:
    """The installed command; `python -m qidf` where there is none beside this Python."""
    script = Path(sys.executable).with_name("qidf")
    return [str(script)] if script.exists() else [sys.executable, "-m", "qidf"]
