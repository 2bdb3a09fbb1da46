"""`python -m benchmarks.speed`: measure everything in one run and write it down."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import traceback
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from benchmarks.speed.machine import ROOT, commit, load, machine, versions
from benchmarks.speed.settings import Settings, limit_threads

CORPUS = ROOT / "benchmarks" / ".cache" / "corpora" / "go-182440"
SCHEMA = 1


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


@click.command()
@click.option("--corpus", type=click.Path(path_type=Path), default=CORPUS, help="A BEIR folder.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "benchmarks" / "runs",
    help="Folder for the run's JSON and Markdown.",
)
@click.option("--only", default="", help="Sections, with commas between; all if not given.")
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--quick", is_flag=True, help="A smoke test; its numbers mean nothing.")
@click.option(
    "--bm25s-backend",
    type=click.Choice(["numba", "numpy"]),
    default="numba",
    show_default=True,
    help="numpy needs no compiler and is for smoke tests.",
)
def main(
    corpus: Path, output: Path, only: str, repeats: int, quick: bool, bm25s_backend: str
) -> None:
    """Measure qidf against bm25s and tantivy."""
    limit_threads()
    from benchmarks.speed import report, sections

    wanted = [name.strip() for name in only.split(",") if name.strip()] or list(sections.SECTIONS)
    unknown = sorted(set(wanted) - set(sections.SECTIONS))
    if unknown:
        raise click.UsageError(
            f"no section {', '.join(unknown)}; there are {', '.join(sections.SECTIONS)}"
        )
    if not corpus.exists():
        _build_corpus(corpus)
    run = _run(corpus, wanted, repeats, quick, bm25s_backend)
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{_name(run)}.json"
    path.write_text(_dump(run), encoding="utf-8")
    path.with_suffix(".md").write_text(report.page(run), encoding="utf-8")
    _say(f"{path} and .md")
    click.echo("\n".join(report.goal_table(run)))
    if any("error" in measured for measured in run["sections"].values()):
        sys.exit(1)


def _run(
    corpus: Path, wanted: list[str], repeats: int, quick: bool, bm25s_backend: str
) -> dict[str, Any]:
    from benchmarks.speed import sections
    from benchmarks.speed.verification import WrongResultError
    from benchmarks.speed.workload import Workload

    workload = Workload.from_folder(corpus)
    run: dict[str, Any] = {
        "schema": SCHEMA,
        "quick": quick,
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "versions": versions(),
        "load_before": load(),
        "corpus": {
            "name": workload.name,
            "num_docs": len(workload.texts),
            "num_queries": len(workload.queries),
            "sha256": workload.sha256,
        },
        "sections": {},
    }
    with tempfile.TemporaryDirectory(prefix="qidf-speed-") as scratch:
        settings = (
            Settings.for_smoke_test(Path(scratch), bm25s_backend, len(workload.texts))
            if quick
            else Settings(Path(scratch), repeats=repeats, bm25s_backend=bm25s_backend)
        )
        for name in sections.SECTIONS:
            if name not in wanted:
                continue
            start = time.perf_counter()
            _say(f"{name} ...")
            try:
                measured = sections.load(name)(workload, settings)
            except WrongResultError:
                raise
            except Exception as error:
                # Minutes of other sections stand; this one is down as an error, never as a time.
                _say(traceback.format_exc())
                measured = {"error": f"{type(error).__name__}: {error}"}
            run["sections"][name] = {**measured, "seconds": time.perf_counter() - start}
            _say(f"{name}: {run['sections'][name]['seconds']:.0f} s")
    run["load_after"] = load()
    run["finished"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return run


def _dump(run: dict[str, Any]) -> str:
    import json

    return json.dumps(run, indent=1, ensure_ascii=False) + "\n"


def _name(run: dict[str, Any]) -> str:
    started = run["started"][:16].replace("T", "-").replace(":", "")
    return f"speed-{started}-{(run['commit']['id'] or 'unknown')[:7]}"


def _build_corpus(folder: Path) -> None:
    """Make the Go corpus; another one has to be there already."""
    if folder.name != CORPUS.name:
        raise click.UsageError(f"{folder} isn't there; build it with python -m benchmarks.corpora")
    _say("building the corpus from its pinned packages")
    command = [sys.executable, "-m", "benchmarks.corpora", "build", "go"]
    subprocess.run(
        [*command, "--docs", "182440", "--queries", "8122", "-o", str(folder)], cwd=ROOT, check=True
    )


if __name__ == "__main__":
    main()
