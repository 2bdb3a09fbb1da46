"""python -m benchmarks.code_search [--repository NAME ...] [--tool NAME ...] [--choosing]."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.code_search.asking import (
    KINDS,
    RUNS,
    SEED,
    quality,
    question_sets,
    run_name,
)
from benchmarks.code_search.halves import Half
from benchmarks.code_search.questions import Question
from benchmarks.code_search.report import write
from benchmarks.code_search.repositories import CACHE
from benchmarks.code_search.tools import TOOLS, Qidf, Tool


def main() -> None:
    """Measure every tool on every repository and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", action="append", help="only this one; repeatable")
    parser.add_argument("--kind", choices=KINDS, help="only such questions")
    parser.add_argument("--tool", action="append", help="only this one; repeatable")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument(
        "--choosing",
        action="store_true",
        help="ask the half that settings may be chosen on; kept in the cache, not among the runs",
    )
    chosen = parser.parse_args()
    half = Half.CHOOSING if chosen.choosing else Half.MEASURING
    folder = CACHE / "choosing" if chosen.choosing else RUNS
    folder.mkdir(parents=True, exist_ok=True)
    results: list[dict[str, Any]] = []
    name = run_name("code-search")
    settings = {"questions": chosen.questions, "seed": SEED}
    sets = question_sets(half, chosen.questions, chosen.repository, chosen.kind)
    for kind, repository, root, questions in sets:
        num_files = sum(1 for path in root.rglob("*") if path.is_file())
        for tool in TOOLS:
            if chosen.tool and tool.name not in chosen.tool:
                continue
            values = measure(tool(), root, questions)
            row = {"repository": repository, "kind": kind, "files": num_files, "tool": tool.name}
            row |= {"questions": len(questions), **values}
            results.append({**row, "note": tool.note})
            told = {k: v for k, v in row.items() if k not in ("each", "seconds")}
            print(json.dumps(told), flush=True)
        # After each repository, so that an interrupted run keeps what it has.
        write(results, settings, half, folder / name)
    print(folder / f"{name}.md")


def measure(tool: Tool, root: Path, questions: Sequence[Question]) -> dict[str, Any]:
    """Index, then ask everything; the first few questions warm up and are asked again."""
    before = time.process_time()
    index_seconds = tool.index(root)
    index_cpu = None if index_seconds is None else tool.cpu_seconds() - tool.cpu_base(before)
    for question in questions[:10]:
        tool.ask(question.text)
    answers, seconds, cpu = [], [], []
    for question in questions:
        started, used = perf_counter(), tool.cpu_seconds()
        answers.append(tool.ask(question.text))
        seconds.append(perf_counter() - started)
        cpu.append(tool.cpu_seconds() - used)
    values: dict[str, Any] = {"index_seconds": index_seconds, "index_cpu": index_cpu}
    values |= {"warm_p50": _median(seconds), "warm_cpu_p50": _median(cpu)}
    values |= {"cold_p50": cold(tool, root, questions)}
    if isinstance(tool, Qidf):
        values |= changed_file(tool, root, questions)
    tool.close()
    load = os.getloadavg()[0]
    return {**values, **quality(root, answers, questions), "load": load, "seconds": seconds}


def changed_file(tool: Qidf, root: Path, questions: Sequence[Question]) -> dict[str, float]:
    """How long one changed file takes to be in the index, and how long looking for it takes."""
    scans, refreshes = [], []
    for question in questions[:9]:
        path = root / question.path
        original = path.read_bytes()
        path.write_bytes(original + b"\n")
        started = perf_counter()
        tool.repository.refresh()
        refreshes.append(perf_counter() - started)
        path.write_bytes(original)
        tool.repository.refresh()
        started = perf_counter()
        tool.repository.refresh()
        scans.append(perf_counter() - started)
    return {"one_file_p50": _median(refreshes), "scan_p50": _median(scans)}


def cold(tool: Tool, root: Path, questions: Sequence[Question]) -> float:
    """A search from a new process, on the index that is there."""
    seconds = []
    for question in questions[:7]:
        command = tool.cold(question.text)
        started = perf_counter()
        done = subprocess.run(
            command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        seconds.append(perf_counter() - started)
        if done.returncode or not done.stdout:
            raise SystemExit(f"{tool.name} gave no answer in a new process: {done.stderr!r}")
    return _median(seconds)


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    main()
