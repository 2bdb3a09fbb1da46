"""qidf study: the paper's experiments, on any datasets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidf.cli.studying import StudyProgress
from qidf.cli.terminal import dim, fields, printable, warn

if TYPE_CHECKING:
    from qidf.evaluation import Ties

ALL = "all"


@click.command("study")
@click.argument("name", required=False)
@click.option(
    "--dataset",
    "datasets",
    metavar="[NAME=]PLACE",
    multiple=True,
    help="A BEIR folder or a name as `qidf eval` takes it. Repeatable.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the report.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Of the bootstrap.")
@click.option("--resamples", type=click.IntRange(min=1), help="Of the bootstrap.  [default: 10000]")
@click.option(
    "--ties",
    type=click.Choice(["trec", "id", "index", "hash"]),
    default="trec",
    show_default=True,
    help="What orders equal scores, as in `qidf eval`.",
)
@click.option("--hub-folder", type=click.Path(path_type=Path), help="Copies of hub datasets.")
@click.option("--repos", type=click.Path(path_type=Path), help="Repositories of lca:LANGUAGE.")
@click.option("--no-cache", is_flag=True, help="Compute all anew and keep nothing.")
def command(
    name: str | None,
    datasets: tuple[str, ...],
    output: Path | None,
    seed: int | None,
    resamples: int | None,
    ties: Ties,
    hub_folder: Path | None,
    repos: Path | None,
    no_cache: bool,
) -> None:
    """Repeat an experiment of the paper, with its figures beside yours.

    NAME is a study, or `all` for every one and a page over them; without it they are listed. What
    a dataset is called decides which of the paper's rows stands beside it: go, java, ruby, python,
    php, javascript, nfcorpus, scifact, arguana. Results are remembered by the content of the data,
    the settings and the code.
    """
    from qidf.cli.options import given
    from qidf.datasets import Choices
    from qidf.errors import InputError
    from qidf.evaluation import Settings
    from qidf.studies import (
        STUDIES,
        Source,
        Store,
        Workbench,
        default_folder,
        find_study,
        run_study,
        write_report,
        write_study,
    )

    if name is None:
        click.echo(fields((each.name, f"{each.title} ({each.paper})") for each in STUDIES.values()))
        return
    chosen = list(STUDIES.values()) if name == ALL else [find_study(name)]
    if not datasets:
        raise click.UsageError("name at least one dataset: --dataset FOLDER")
    if output is None:
        raise click.UsageError("say where the report goes: -o FOLDER")
    choices = Choices(hub_folder=hub_folder, repos=repos)
    with StudyProgress() as progress:
        bench = Workbench(
            [Source.parse(text, choices) for text in datasets],
            Settings(ties=ties, **given(seed=seed, resamples=resamples)),
            store=Store(None if no_cache else default_folder()),
            progress=progress.show,
        )
        results, left_out = [], []
        for study in chosen:
            lacking = study.lacks(bench) if name == ALL else None
            if lacking is not None:
                left_out.append((study, lacking))
                continue
            progress.begin(study.name)
            findings = run_study(study, bench)
            page = write_study(output, study, findings, bench)
            progress.end(printable(page))
            results.append((study, findings))
    if name == ALL:
        warn([f"{study.name} is left out: {why}" for study, why in left_out])
        if not results:
            raise InputError("no study can be made with these datasets; name others (--dataset)")
        page = write_report(output, results, bench, left_out)
        click.echo(dim(f"report: {printable(page)}"), err=True)
