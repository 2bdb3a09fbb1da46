"""`python -m benchmarks.eval_speed`: time `qidf eval` and the loop over bm25s; write it down."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from benchmarks.eval_speed import report
from benchmarks.eval_speed.measure import check, commands, first_use, plain_copy, run
from benchmarks.speed.machine import ROOT, commit, load, machine, versions
from benchmarks.speed.settings import ONE_THREAD

CORPUS = ROOT / "benchmarks" / ".cache" / "corpora" / "go-182440"


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


@click.command()
@click.option("--corpus", type=click.Path(path_type=Path), default=CORPUS, help="A BEIR folder.")
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "benchmarks" / "runs",
    help="Folder for the run's JSON and Markdown.",
)
def main(corpus: Path, repeats: int, output: Path) -> None:
    """Time `qidf eval` with eight values of q against the same loop over bm25s."""
    with tempfile.TemporaryDirectory(prefix="qidf-eval-speed-") as scratch:
        measured = _measure(corpus, plain_copy(corpus, Path(scratch) / corpus.name), repeats)
    output.mkdir(parents=True, exist_ok=True)
    started = measured["started"][:16].replace("T", "-").replace(":", "")
    name = f"eval-speed-{started}-{(measured['commit']['id'] or 'unknown')[:7]}"
    path = output / f"{name}.json"
    path.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(report.page(measured), encoding="utf-8")
    click.echo(report.page(measured))


def _measure(corpus: Path, folder: Path, repeats: int) -> dict[str, Any]:
    contenders = commands(folder)
    found: dict[str, Any] = {
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "versions": versions(),
        "load_before": load(),
        "costs": {name: [] for name in contenders},
        "rows": {},
        "seconds": {name: [] for name in contenders if name != report.OURS},
        "largest_difference": {},
    }
    _say("first use, nothing compiled ...")
    found["first_use"] = asdict(first_use(contenders[report.OURS]))
    # Compiled code goes to its usual place before anything is timed.
    ours, _ = run(contenders[report.OURS], ONE_THREAD)
    found["rows"][report.OURS] = ours["rows"]
    found["corpus"] = {
        "name": corpus.name,
        "num_docs": ours["num_docs"],
        "num_queries": ours["num_queries"],
    }
    names = list(contenders)
    for repeat in range(repeats):
        shift = repeat % len(names)
        for name in names[shift:] + names[:shift]:
            printed, cost = run(contenders[name], ONE_THREAD)
            _say(f"{name}: {cost.wall:.1f} s, CPU {cost.cpu:.1f} s, {cost.peak_rss_kb >> 10} MiB")
            found["costs"][name].append(asdict(cost))
            if name != report.OURS:
                found["largest_difference"][name] = check(ours, printed)
                found["rows"][name] = printed["rows"]
                found["seconds"][name].append(printed["seconds"])
    found["load_after"] = load()
    return found


if __name__ == "__main__":
    main()
