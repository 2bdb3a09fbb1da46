"""python -m benchmarks.code_search [--repository NAME ...] [--tool NAME ...] [--choosing]."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.code_search.halves import Half
from benchmarks.code_search.held_back import Question, make_questions
from benchmarks.code_search.repositories import CACHE, REPOSITORIES, prepare
from benchmarks.code_search.tools import TOOLS, Qidf, Span, Tool

RUNS = Path(__file__).parent.parent / "runs"
BUDGETS = (2_000, 8_000)
SEED = 7


def main() -> None:
    """Measure every tool on every repository and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", action="append", help="only this one; repeatable")
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
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    name = f"code-search-{datetime.now(timezone.utc):%Y-%m-%d-%H%M}-{commit}"
    for repository in REPOSITORIES:
        if chosen.repository and repository.name not in chosen.repository:
            continue
        copy = CACHE / "held_back" / half.value / repository.name
        questions = make_questions(prepare(repository), copy, chosen.questions, SEED, half)
        num_files = sum(1 for path in copy.rglob("*") if path.is_file())
        for kind in TOOLS:
            if chosen.tool and kind.name not in chosen.tool:
                continue
            values = measure(kind(), copy, questions)
            row = {"repository": repository.name, "files": num_files, "tool": kind.name, **values}
            results.append({**row, "note": kind.note, "questions": len(questions)})
            print(json.dumps({k: v for k, v in row.items() if k != "seconds"}), flush=True)
        # After each repository, so that an interrupted run keeps what it has.
        write(results, chosen.questions, half, folder / name)
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
    if isinstance(tool, Qidf):
        values |= changed_file(tool, root, questions) | {"cold_p50": cold(tool, root, questions)}
    tool.close()
    lines = _Lines(root)
    ranks = [_rank(answer, question) for answer, question in zip(answers, questions, strict=True)]
    files = [
        _file_rank(answer, question) for answer, question in zip(answers, questions, strict=True)
    ]
    values |= {"file_ndcg10": _ndcg(files), "span_ndcg10": _ndcg(ranks)}
    for budget in BUDGETS:
        found = [
            _within(answer, question, budget, lines)
            for answer, question in zip(answers, questions, strict=True)
        ]
        values[f"recall_{budget}"] = sum(found) / len(found)
    return {**values, "load": os.getloadavg()[0], "seconds": seconds}


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


def cold(tool: Qidf, root: Path, questions: Sequence[Question]) -> float:
    """A search from a new process, on the index that is there."""
    code = (
        "import sys; from qidf.repository import Repository;"
        "print(len(Repository.open(sys.argv[1], directory=sys.argv[2]).search(sys.argv[3])))"
    )
    seconds = []
    for question in questions[:7]:
        command = [sys.executable, "-c", code, str(root), str(tool.folder / "index"), question.text]
        started = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(perf_counter() - started)
    return _median(seconds)


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)


def _rank(answer: Sequence[Span], question: Question) -> int | None:
    """The rank of the span that holds the function's first line, from 1."""
    for rank, (path, start, end) in enumerate(answer, 1):
        if path == question.path and start <= question.line <= end:
            return rank
    return None


def _file_rank(answer: Sequence[Span], question: Question) -> int | None:
    files = list(dict.fromkeys(path for path, _, _ in answer))
    return files.index(question.path) + 1 if question.path in files else None


def _ndcg(ranks: Sequence[int | None]) -> float:
    """NDCG@10 with one right answer a question."""
    gains = [1 / math.log2(rank + 1) if rank and rank <= 10 else 0.0 for rank in ranks]
    return sum(gains) / len(gains)


class _Lines:
    """Tokens of every line of a file, counted once."""

    def __init__(self, root: Path) -> None:
        from qidf.token_counts import token_counter

        self._root, self._known = root, {}
        self._count = token_counter().count_batch

    def tokens(self, path: str) -> list[int]:
        if path not in self._known:
            text = (self._root / path).read_bytes().decode("utf-8", "replace")
            self._known[path] = self._count([f"{line}\n" for line in text.split("\n")]).tolist()
        return self._known[path]


def _within(answer: Sequence[Span], question: Question, budget: int, lines: _Lines) -> bool:
    """Whether the function is in the first so many tokens of the answer, cut at a line's end."""
    used = 0
    for path, start, end in answer:
        for number, tokens in enumerate(lines.tokens(path)[start - 1 : end], start):
            used += tokens
            if used > budget:
                return False
            if path == question.path and number == question.line:
                return True
    return False


def write(results: list[dict[str, Any]], questions: int, half: Half, place: Path) -> None:
    """Raw values as JSON, and a table to read."""
    machine = {"python": platform.python_version(), "cpus": os.cpu_count()}
    raw = {"run": place.name, "questions": questions, "seed": SEED, "half": half.value}
    raw |= {"machine": machine, "results": results}
    place.with_name(f"{place.name}.json").write_text(json.dumps(raw, indent=1) + "\n")
    place.with_name(f"{place.name}.md").write_text("\n".join(table(results, place.name)) + "\n")


def table(results: Sequence[dict[str, Any]], name: str) -> list[str]:
    """The results for a person."""
    lines = [
        f"# {name}",
        "",
        "Questions are doc comments that were taken out of the code, without the function's name.",
        "NDCG@10 of the file and of the span that holds the function (whole-file tools: the file);",
        "recall: the function is within the first 2,000 or 8,000 cl100k_base tokens of the answer.",
        "Load is the machine's, with 2 cores: well above 1, times are those of a busy machine.",
        "",
        "| repository | tool | file NDCG@10 | span NDCG@10 | recall 2K | recall 8K |"
        " index s (CPU) | warm p50 ms (CPU) | cold p50 ms | one file ms | scan ms | load |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in results:
        times = [
            "" if row.get(key) is None else f"{row[key] * 1000:,.0f}"
            for key in ("warm_p50", "cold_p50", "one_file_p50", "scan_p50")
        ]
        times[0] += f" ({row['warm_cpu_p50'] * 1000:,.0f})"
        index = ""
        if row["index_seconds"] is not None:
            index = f"{row['index_seconds']:.1f} ({row['index_cpu']:.1f})"
        quality = [f"{row[key]:.3f}" for key in ("file_ndcg10", "span_ndcg10")]
        recall = [f"{row[f'recall_{budget}']:.3f}" for budget in BUDGETS]
        cells = [f"{row['repository']} ({row['files']:,} files)", row["tool"], *quality, *recall]
        lines.append("| " + " | ".join([*cells, index, *times, f"{row['load']:.1f}"]) + " |")
    notes = {row["tool"]: row["note"] for row in results}
    return [*lines, "", *(f"- **{tool}**: {note}." for tool, note in notes.items())]


if __name__ == "__main__":
    main()
