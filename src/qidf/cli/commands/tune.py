"""qidf tune: which q suits these queries, or the repository's own docstrings."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.evaluating import byte_progress
from qidf.cli.options import json_option
from qidf.cli.terminal import print_json, warn
from qidf.cli.tuning import report

# The default analyzer is the one the others are compared with.
_ALL_ANALYZERS = ("generic", "whitespace", "identifier", "subtoken")


@click.command("tune")
@click.argument("target", metavar="DATASET|REPO")
@click.option("--self", "own", is_flag=True, help="Ask with the docstrings of the code in REPO.")
@click.option(
    "--q",
    "qs",
    type=float,
    multiple=True,
    help="A value to try, at most ten. Repeatable.  [default: 0.1, 0.3, 0.5, 0.7, 0.9, 1]",
)
@click.option(
    "--weighting",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="Whose q it is: auto, paper, or such as qlog1p(k3=1).",
)
@click.option(
    "--analyzer",
    "analyzers",
    metavar="NAME",
    multiple=True,
    help="Repeatable.  [default: generic; with --self all four]",
)
@click.option("--k", type=click.IntRange(min=1), default=10, show_default=True, help="Cutoff.")
@click.option(
    "--direction",
    type=click.Choice(["to-code", "to-docstring"]),
    default="to-code",
    show_default=True,
    help="With --self: find code by docstrings, or docstrings by code as in CodeSearchNet.",
)
@click.option("--split", default="test", show_default=True, help="Which judgements.")
@click.option("--queries", metavar="NAME", help="Ask those of queries.NAME.jsonl instead.")
@click.option("--hub-folder", type=click.Path(path_type=Path), help="Copies of hub datasets.")
@click.option("--repos", type=click.Path(path_type=Path), help="Repositories of lca:LANGUAGE.")
@click.option("--allow-unknown", is_flag=True, help="Accept judgements of unknown ids.")
@json_option
def command(
    target: str,
    own: bool,
    qs: tuple[float, ...],
    weighting: str,
    analyzers: tuple[str, ...],
    k: int,
    direction: str,
    split: str,
    queries: str | None,
    hub_folder: Path | None,
    repos: Path | None,
    allow_unknown: bool,
    as_json: bool,
) -> None:
    """Choose q on labelled queries, or say that they are too few.

    DATASET is what `qidf eval` takes. With --self it is a folder of code that needs no labels:
    every documented function is asked for by the first paragraph of its docstring, which is taken
    out of the code. The gain is measured on queries that didn't pick q, beside BM25 and what
    the weighting does by itself.
    """
    from qidf.datasets import Choices, Dataset, Task, open_dataset
    from qidf.evaluation import FALLBACK_GRID, Settings, tune
    from qidf.weighting import parse_weighting

    base = parse_weighting(weighting)
    data: Dataset | Task
    if own:
        from qidf.datasets import read_docstrings

        with byte_progress("Reading") as progress:
            data = read_docstrings(target, direction=direction, progress=progress)
    else:
        form = "queries" if queries is None else f"queries.{queries}"
        with byte_progress("Reading") as progress:
            choices = Choices(split, form, hub_folder, repos, allow_unknown, progress)
            data = open_dataset(target, choices)
    tuning = tune(
        data,
        qs or FALLBACK_GRID,
        Settings(k),
        analyzers=analyzers or (_ALL_ANALYZERS if own else ()),
        name=data.name,
        weighting=base,
    )
    if as_json:
        print_json(tuning.to_dict())
    else:
        click.echo(report(tuning))
    warn([*(data.notes if isinstance(data, Task) else ()), *tuning.notes])
