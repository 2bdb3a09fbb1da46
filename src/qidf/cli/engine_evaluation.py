"""qidf eval --engine: the same table for an index that someone else's engine holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidf.cli.evaluating import byte_progress, table
from qidf.cli.group import Failure
from qidf.cli.terminal import dim, print_json, printable, warn

if TYPE_CHECKING:
    from qidf.datasets import Dataset
    from qidf.evaluation import QlogSystem, Settings, WeightingSystem

# Doubles added up in another order differ by less, and one rank wrong by far more.
AGREEMENT = 1e-9


def evaluate_address(
    address: str,
    dataset: Dataset,
    systems: Sequence[QlogSystem | WeightingSystem],
    settings: Settings,
    *,
    run_path: Path | None,
    check: bool,
    as_json: bool,
) -> None:
    """Measure an engine, print the table, write its runs."""
    import numpy as np

    from qidf.cli.engine_output import shown_address
    from qidf.engines import connect
    from qidf.evaluation import ir_measures_values, write_run
    from qidf.evaluation.engine_runs import evaluate_engine

    with connect(address) as engine, byte_progress("Asking") as progress:
        found = evaluate_engine(dataset, engine, systems, settings, asked=progress)
        engine_name = engine.name
    evaluation = found.evaluation
    if as_json:
        print_json(
            {**evaluation.to_dict(), "engine": engine_name, "target": shown_address(address)}
        )
    else:
        click.echo(table(evaluation))
        click.echo(dim(f"by {printable(engine_name)}; differences are to its own BM25"), err=True)
    warn(evaluation.notes)
    if run_path is not None:
        for run in found.runs.values():
            path = run_path.with_name(f"{run_path.stem}.{run.tag}{run_path.suffix}")
            write_run(run, path)
            click.echo(f"run: {printable(path)}", err=True)
    if check:
        worst = 0.0
        for row in evaluation.rows:
            run = found.runs[row.name]
            theirs = ir_measures_values(
                run, dataset.judgements, settings.measures, trec_ties=settings.ties == "trec"
            )
            for name, column in theirs.items():
                apart = np.abs(row.values[name] - column)
                worst = max(worst, float(np.nanmax(apart, initial=0.0)))
        if worst > AGREEMENT:
            raise Failure(f"ir_measures differs by up to {worst:.2g}; please report this")
        click.echo(dim(f"ir_measures agrees, to {worst:.1g}"), err=True)
