"""qidf eval: weightings against BM25 on queries with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidf.cli.evaluating import RunFiles, byte_progress, table
from qidf.cli.group import Failure
from qidf.cli.options import analyzer_option, json_option, parse_q
from qidf.cli.reading import tracked
from qidf.cli.terminal import dim, print_json, printable, warn

if TYPE_CHECKING:
    from qidf.evaluation import Collection, System, Ties

# Doubles added up in another order differ by less, and one rank wrong by far more.
_AGREEMENT = 1e-9


def _parse_qs(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> list[float | str]:
    parsed = [parse_q(context, parameter, value) for value in values]
    return [value for value in parsed if value is not None]


@click.command("eval")
@click.argument("dataset")
@click.option(
    "--q",
    "qs",
    metavar="auto|NUMBER",
    multiple=True,
    callback=_parse_qs,
    help="Set the weighting's q; auto leaves it open, 1 is plain BM25. Repeatable.",
)
@click.option(
    "--weighting",
    "weightings",
    metavar="NAME",
    multiple=True,
    help="Such as qlog1p(q=0.5, k3=1). Repeatable.  [default: bm25, paper, auto; with --q auto]",
)
@click.option("--k", type=click.IntRange(min=1), default=10, show_default=True, help="Cutoff.")
@analyzer_option
@click.option(
    "--baseline",
    "baselines",
    metavar="NAME",
    multiple=True,
    help="dph, gamma (idf^gamma, six of them), gamma=2, rsj, a weighting or run:FILE. Repeatable.",
)
@click.option(
    "--engine",
    metavar="ADDRESS",
    help="Ask an engine's index of DATASET, such as sqlite:FILE?table=TABLE&id=COLUMN.",
)
@click.option(
    "--ties",
    type=click.Choice(["trec", "id", "index", "hash"]),
    default="trec",
    show_default=True,
    help="Equal scores by id descending, id ascending, order of the files, or a digest of the id.",
)
@click.option("--keep-identical", is_flag=True, help="Let a query find the document of its own id.")
@click.option("--split", default="test", show_default=True, help="Which judgements.")
@click.option("--queries", metavar="NAME", help="Ask those of queries.NAME.jsonl instead.")
@click.option("--topics", type=click.Path(path_type=Path), help="TREC topics over DATASET's files.")
@click.option("--qrels", type=click.Path(path_type=Path), help="TREC judgements, with --topics.")
@click.option("--hub-folder", type=click.Path(path_type=Path), help="Copies of hub datasets.")
@click.option("--repos", type=click.Path(path_type=Path), help="Repositories of lca:LANGUAGE.")
@click.option("--allow-unknown", is_flag=True, help="Accept judgements of unknown ids.")
@click.option("--run", "run_path", type=click.Path(path_type=Path), help="Write TREC run files.")
@click.option("--check", is_flag=True, help="Recompute all with ir_measures (needs qidf[eval]).")
@json_option
def command(
    dataset: str,
    qs: list[float | str],
    weightings: tuple[str, ...],
    k: int,
    analyzer: str | None,
    baselines: tuple[str, ...],
    engine: str | None,
    ties: Ties,
    keep_identical: bool,
    split: str,
    queries: str | None,
    topics: Path | None,
    qrels: Path | None,
    hub_folder: Path | None,
    repos: Path | None,
    allow_unknown: bool,
    run_path: Path | None,
    check: bool,
    as_json: bool,
) -> None:
    """Measure weightings against BM25 on DATASET.

    DATASET is a BEIR folder (corpus.jsonl, queries.jsonl, qrels/test.tsv, plain or gzipped), or
    one from the Hugging Face hub: beir:nfcorpus, coir:go, repobench-r:python/cff/easy, lca:python
    and their like. With --topics and --qrels it is documents as `qidf index` takes them. With
    --engine nothing is indexed: the queries go to an index that holds DATASET's documents already.
    Differences are to BM25, with 95% intervals of a paired bootstrap over queries.
    """
    from qidf.cli.engine_evaluation import evaluate_address
    from qidf.datasets import Choices, Dataset, Task, open_dataset, read_trec
    from qidf.evaluation import (
        QlogSystem,
        Settings,
        TrecCheck,
        WeightingSystem,
        evaluate,
        parse_baseline,
    )
    from qidf.weighting import AUTO, BM25, PAPER, parse_weighting

    if (topics is None) != (qrels is None):
        raise click.UsageError("give --topics and --qrels together")
    if engine is not None and (baselines or analyzer is not None):
        raise click.UsageError("--baseline and --analyzer need an index of their own, not --engine")
    if qs and len(weightings) > 1:
        raise click.UsageError("--q sets a part of one --weighting; give one of them")
    named = [parse_weighting(name) for name in weightings]
    weighed: list[QlogSystem | WeightingSystem]
    if qs:
        weighed = [QlogSystem(q, named[0] if named else AUTO) for q in qs]
    else:
        weighed = [WeightingSystem(each) for each in named or (BM25, PAPER, AUTO)]
    systems: list[System] = [*weighed]
    systems += [system for name in baselines for system in parse_baseline(name)]
    settings = Settings(k, analyzer or "generic", ties, keep_identical)
    data: Dataset | Task
    if topics is not None and qrels is not None:
        data = read_trec(dataset, topics, qrels, allow_unknown=allow_unknown, track=tracked)
    else:
        form = "queries" if queries is None else f"queries.{queries}"
        with byte_progress("Reading") as progress:
            data = open_dataset(
                dataset, Choices(split, form, hub_folder, repos, allow_unknown, progress)
            )
    if engine is not None:
        if isinstance(data, Task):
            raise click.UsageError(f"{dataset} is many datasets, and --engine holds one index")
        settings = Settings(k, "the engine's own", ties, keep_identical)
        evaluate_address(
            engine, data, weighed, settings, run_path=run_path, check=check, as_json=as_json
        )
        return
    files = None if run_path is None else RunFiles(run_path, systems, settings)
    second = TrecCheck(systems, settings) if check else None

    def also(collection: Collection) -> None:
        for each in (files, second):
            if each is not None:
                each.add(collection)

    evaluation = evaluate(data, systems, settings, name=data.name, on_collection=also)
    difference = None if second is None else second.largest_difference(evaluation)
    if as_json:
        found = {} if difference is None else {"ir_measures_difference": difference}
        print_json({**evaluation.to_dict(), **found})
    else:
        click.echo(table(evaluation))
    warn([*(data.notes if isinstance(data, Task) else ()), *evaluation.notes])
    for path in () if files is None else files.paths.values():
        click.echo(f"run: {printable(path)}", err=True)
    if difference is not None:
        if difference > _AGREEMENT:
            raise Failure(f"ir_measures differs by up to {difference:.2g}; please report this")
        click.echo(dim(f"ir_measures agrees, to {difference:.1g}"), err=True)
