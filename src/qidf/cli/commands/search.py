"""qidf search: the best documents for a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qidf.cli.options import given, json_option, scoring_options
from qidf.cli.reading import query_text
from qidf.cli.terminal import bold, clip, dim, print_json, printable, warn, width

if TYPE_CHECKING:
    from qidf.index import Hit, Index


@click.command("search")
@click.argument("index")
@click.argument("text")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many.")
@scoring_options
@click.option("--explain", is_flag=True, help="Show what each query token adds to each score.")
@json_option
def command(
    index: str,
    text: str,
    k: int,
    q: float | str,
    k1: float | None,
    b: float | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Search INDEX for TEXT (- reads it from stdin).

    INDEX is a qidf index, a bm25s folder, or an engine's: opensearch://HOST:9200/INDEX?field=...,
    elasticsearch://..., tantivy:PATH, sqlite:FILE?table=..., duckdb:FILE?table=..., xapian:PATH.
    """
    from qidf.cli.engine_output import is_engine, search_engine
    from qidf.index import Index

    text = query_text(text)
    if is_engine(index):
        search_engine(index, text, k, q, given(k1=k1, b=b), explain=explain, as_json=as_json)
        return
    opened = Index.open(index)
    number = opened.resolve_q(q)
    # The line to show is the one that says most of what made the document score.
    contributions = explain or not as_json
    hits = opened.search(text, k, number, contributions=contributions, **given(k1=k1, b=b))
    if as_json:
        print_json({"query": text, "q": number, "k": k, "hits": [_row(hit) for hit in hits]})
        return
    for hit in hits:
        _print_hit(hit, opened, explain)
    found = f"{len(hits)} of {len(opened):,} documents" if hits else "no document matches"
    click.echo(dim(f"{found}, q = {number:.3f}{' (auto)' if q == 'auto' else ''}"), err=True)
    if not hits and opened.search(text, 1, 1.0):
        warn(
            [
                "Below q = 1 words in half of the documents or more count for nothing, and the"
                " query has no other that is found; search with --q 1."
            ]
        )


def _row(hit: Hit) -> dict[str, Any]:
    row = {"rank": hit.rank, "id": hit.id, "score": hit.score, "metadata": dict(hit.metadata)}
    return row if hit.contributions is None else {**row, "contributions": dict(hit.contributions)}


def _print_hit(hit: Hit, index: Index, explain: bool) -> None:
    from qidf.cli.preview import preview

    click.echo(f"{hit.rank:>3}  {hit.score:>9.3f}  {bold(printable(hit.id))}")
    indent = " " * 16
    line = preview(hit, index.analyzer)
    if line:
        click.echo(indent + clip(printable(line), width() - len(indent)))
    if explain and hit.contributions is not None:
        added = sorted(hit.contributions.items(), key=lambda item: -item[1])
        click.echo(indent + dim(", ".join(f"{printable(name)} {x:.3f}" for name, x in added)))
