"""qidf advise: how a corpus is searched and why, and what would help more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from qidf.cli.options import analyzer_option, json_option
from qidf.cli.terminal import bold, fields, print_json, share, warn

if TYPE_CHECKING:
    from qidf.weighting import Kind


@click.command("advise")
@click.argument("target")
@click.option(
    "--can-change-analyzer",
    is_flag=True,
    help="The analyzer isn't frozen: the index can be built again with another.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    help="Estimate htok from so many documents or terms of an engine's index.",
)
@click.option("--kind", type=click.Choice(["code", "text"]), help="What the queries are, if known.")
@analyzer_option
@json_option
def command(
    target: str,
    can_change_analyzer: bool,
    sample: int | None,
    kind: Kind | None,
    analyzer: str | None,
    as_json: bool,
) -> None:
    """Say how a search of TARGET weighs a query's tokens, and what would help more.

    TARGET is a qidf index, a bm25s folder, a BEIR folder, a JSONL (plain or gzipped) or a folder of
    files, or an engine's index as `qidf search` takes it. A repository, one with git or searched
    before, is judged as code search sees it unless --analyzer is given. No queries and no
    judgements are needed.
    """
    from qidf.cli.targets import Examined, examine, is_repository
    from qidf.weighting import advise

    if analyzer is None and sample is None and is_repository(target):
        from qidf.cli.code_output import opened

        with opened(target) as repository:
            repository.refresh()
            advice = repository.advise(can_change_analyzer=can_change_analyzer, kind=kind)
            examined = Examined(target, advice.stats, "repository", str(repository.index.analyzer))
    else:
        examined = examine(target, analyzer, details=False, sample=sample)
        advice = advise(
            examined.stats,
            can_change_analyzer=can_change_analyzer,
            analyzer=examined.analyzer,
            kind=kind,
        )
    if as_json:
        print_json({**advice.to_dict(), **examined.to_dict()})
        return
    stats, interval = examined.stats, examined.stats.htok_ci95
    between = "" if interval is None else f", 95% interval {interval[0]:.4f} to {interval[1]:.4f}"
    click.echo(f"{bold(f'{advice.action}: {advice.weighting}')}\n{advice.reason}\n")
    click.echo(
        fields(
            [
                ("documents", f"{stats.num_docs:,}"),
                ("tokens", f"{stats.num_tokens:,}"),
                ("vocabulary", f"{stats.vocab_size:,}"),
                ("htok", share(stats.htok) + between),
                ("analyzer", examined.analyzer or "the index's own"),
                *examined.cost,
            ]
        )
    )
    warn(advice.warnings)
