"""`python -m benchmarks.dph`: let Terrier and Xapian judge qidf's DPH, and write it down."""

from __future__ import annotations

import json
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from benchmarks.dph import engines, report, sample
from benchmarks.dph.agreement import Ranking, compare
from benchmarks.speed.machine import ROOT, commit, machine, versions
from qidf.datasets import read_beir
from qidf.errors import QidfError

CORPUS = ROOT / "benchmarks" / ".cache" / "corpora" / "go-182440"
# The paper's size, and four times that.
SIZES = (5_000, 20_000)
# Deep enough for a tau that means something, shallow enough for 886 queries in a minute.
DEPTH = 100


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


@click.command()
@click.option("--corpus", type=click.Path(path_type=Path), default=CORPUS, help="A BEIR folder.")
@click.option(
    "--docs", "sizes", type=click.IntRange(min=1), multiple=True, default=SIZES, show_default=True
)
@click.option("--depth", type=click.IntRange(min=10), default=DEPTH, show_default=True)
@click.option("--terrier-python", default=sys.executable, help="Interpreter with python-terrier.")
@click.option("--xapian-python", default="python3", help="Interpreter with Xapian's bindings.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "benchmarks" / "runs",
    help="Folder for the run's JSON and Markdown.",
)
def main(
    corpus: Path,
    sizes: tuple[int, ...],
    depth: int,
    terrier_python: str,
    xapian_python: str,
    output: Path,
) -> None:
    """Compare qidf's DPH with Terrier's and Xapian's on the same tokens."""
    pythons = {engines.TERRIER: terrier_python, engines.XAPIAN: xapian_python}
    dataset = read_beir(corpus)
    run: dict[str, Any] = {
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "versions": versions(),
        "corpus": {"name": corpus.name, "num_docs": len(dataset.documents)},
        "depth": depth,
        "rows": [],
    }
    for size in sizes:
        taken = sample.take(dataset, size)
        for judge, python in pythons.items():
            _say(f"{judge.name}, {size} documents, {len(taken.queries)} queries ...")
            run["rows"] += _rows(judge, python, taken, depth)
    output.mkdir(parents=True, exist_ok=True)
    started = run["started"][:16].replace("T", "-").replace(":", "")
    path = output / f"dph-{started}-{(run['commit']['id'] or 'unknown')[:7]}.json"
    path.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(report.page(run), encoding="utf-8")
    click.echo(report.page(run))
    if any("error" in row for row in run["rows"]):
        sys.exit(1)


def _rows(
    judge: engines.Judge, python: str, taken: sample.Sample, depth: int
) -> list[dict[str, Any]]:
    """One row for qidf as it is, and one with the judge's own rule where it has one."""
    size = {"num_docs": len(taken.documents), "num_queries": len(taken.queries)}
    with tempfile.TemporaryDirectory(prefix="qidf-dph-") as scratch:
        try:
            answer = engines.ask(judge, python, taken, depth, Path(scratch))
        except engines.EngineError as error:
            _say(str(error))
            return [{**size, "judge": judge.name, "error": str(error)}]
    collection = engines.collection_of(taken)
    ours: dict[str, list[Ranking]] = {answer["engine"]: engines.rank(collection, depth)}
    if judge.clamps:
        ours[f"{answer['engine']}, clamped"] = engines.rank_clamped(collection, depth)
    scales = engines.scales(judge, taken)
    return [
        {
            **size,
            "judge": name,
            "agreement": compare(rows, answer["rankings"], taken.golds, scales, depth).as_json(),
        }
        for name, rows in ours.items()
    ]


if __name__ == "__main__":
    try:
        main()
    except QidfError as error:
        _say(f"error: {error}")
        sys.exit(1)
