"""qidf stats: what can be counted in a corpus."""

from __future__ import annotations

import click

from qidf.cli.options import analyzer_option, json_option
from qidf.cli.terminal import fields, print_json, share


@click.command("stats")
@click.argument("target")
@click.option("--zipf", is_flag=True, help="Fit the Zipf exponent too (needs qidf[zipf]).")
@analyzer_option
@json_option
def command(target: str, zipf: bool, analyzer: str | None, as_json: bool) -> None:
    """Print corpus statistics of TARGET.

    TARGET is an index, an engine's as `qidf search` takes it, or anything that can be indexed.
    """
    from dataclasses import asdict

    from qidf.cli.targets import examine
    from qidf.statistics import predict_q

    examined = examine(target, analyzer, zipf=zipf)
    stats = examined.stats
    q = predict_q(stats)
    if as_json:
        print_json({**asdict(stats), "q": q, **examined.to_dict()})
        return
    rows = [
        ("documents", f"{stats.num_docs:,}"),
        ("tokens", f"{stats.num_tokens:,}"),
        ("vocabulary", f"{stats.vocab_size:,}"),
        ("htok", share(stats.htok)),
        ("type-token ratio", _shown(stats.type_token_ratio)),
        ("median df", _shown(stats.median_df)),
        ("share of df <= 5", _shown(stats.share_df_le_5)),
    ]
    if zipf:
        rows.append(("Zipf alpha", _shown(stats.zipf_alpha)))
    rows += [
        ("predicted q", f"{q:.3f}"),
        ("analyzer", examined.analyzer or "the index's own"),
    ]
    click.echo(fields(rows))


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"
