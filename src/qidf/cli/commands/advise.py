"""qidf advise: whether a corpus needs the fix, and which q."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.options import analyzer_option, json_option
from qidf.cli.terminal import bold, fields, print_json, share, warn


@click.command("advise")
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--can-change-analyzer",
    is_flag=True,
    help="The analyzer isn't frozen: the index can be built again with another.",
)
@analyzer_option
@json_option
def command(target: Path, can_change_analyzer: bool, analyzer: str | None, as_json: bool) -> None:
    """Say whether TARGET needs q-log, and which q.

    TARGET is a qidf index, a bm25s folder, a BEIR folder, a JSONL (plain or gzipped) or a folder of
    files. No queries and no judgements are needed.
    """
    from qidf.cli.targets import examine
    from qidf.statistics import advise

    examined = examine(target, analyzer, details=False)
    advice = advise(
        examined.stats, can_change_analyzer=can_change_analyzer, analyzer=examined.analyzer
    )
    if as_json:
        found = {"target": str(target), "kind": examined.kind, "analyzer": examined.analyzer}
        print_json({**advice.to_dict(), **found})
        return
    stats = examined.stats
    click.echo(f"{bold(f'{advice.action}, q = {advice.q:.3f}')}\n{advice.reason}\n")
    click.echo(
        fields(
            [
                ("documents", f"{stats.num_docs:,}"),
                ("tokens", f"{stats.num_tokens:,}"),
                ("vocabulary", f"{stats.vocab_size:,}"),
                ("htok", share(stats.htok)),
                ("analyzer", examined.analyzer or "the index's own"),
            ]
        )
    )
    warn(advice.warnings)
