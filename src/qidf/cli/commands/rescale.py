"""qidf rescale: q-log on a bm25s index that already exists, and back."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from qidf.cli.options import parse_q
from qidf.cli.terminal import bold, dim, printable


@click.command("rescale")
@click.argument("folder", metavar="BM25S_DIR", type=click.Path(path_type=Path))
@click.option(
    "--q",
    metavar="auto|NUMBER",
    callback=parse_q,
    help="auto is the q that code is searched with; 1 is plain BM25.",
)
@click.option("--restore", is_flag=True, help="Bring the original scores back, bit for bit.")
def command(folder: Path, q: float | str | None, restore: bool) -> None:
    """Give a bm25s index the q-log idf, in place.

    Unmodified bm25s loads the result; the original scores stay beside it until --restore. Whatever
    interrupts it, the folder holds the scores from before or those from after, and can be restored.
    """
    if (q is None) != restore:
        raise click.UsageError("give either --q or --restore")
    from qidf.cli.targets import examine
    from qidf.engines.bm25s_index import current_q, load, rescale
    from qidf.engines.bm25s_index.folder import save_scores
    from qidf.weighting import AUTO, decide

    retriever = load(folder)
    started, before = perf_counter(), current_q(retriever)
    stats = examine(str(folder)).stats if q == "auto" else None
    # The index serves every query; those it is rescaled for are code.
    decision = None if stats is None else decide(AUTO, stats, kind="code")
    chosen = q if decision is None else decision.weighting.q
    now = rescale(retriever, 1.0 if chosen is None else chosen)
    save_scores(retriever, folder)
    htok = "" if stats is None else f" (htok {stats.htok:.4f})"
    click.echo(
        f"{bold(f'q = {now:.3f}')}{htok}, was {before:.3f}:"
        f" {len(retriever.scores['data']):,} scores in {perf_counter() - started:.1f} s"
    )
    if decision is not None and now == 1.0:
        click.echo(dim(decision.reason), err=True)
    if now != 1.0:
        click.echo(f"undo with: qidf rescale {printable(folder)} --restore", err=True)
