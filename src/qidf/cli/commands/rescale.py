"""qidf rescale: q-log on a bm25s index that already exists, and back."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from qidf.cli.options import parse_q
from qidf.cli.terminal import bold, printable


@click.command("rescale")
@click.argument("folder", metavar="BM25S_DIR", type=click.Path(path_type=Path))
@click.option(
    "--q",
    metavar="auto|NUMBER",
    callback=parse_q,
    help="auto predicts q from the index; 1 is plain BM25.",
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

    retriever = load(folder)
    started, before = perf_counter(), current_q(retriever)
    stats = examine(str(folder)).stats if q == "auto" else None
    now = rescale(retriever, 1.0 if q is None else q, stats=stats)
    save_scores(retriever, folder)
    htok = "" if stats is None else f" (htok {stats.htok:.4f})"
    click.echo(
        f"{bold(f'q = {now:.3f}')}{htok}, was {before:.3f}:"
        f" {len(retriever.scores['data']):,} scores in {perf_counter() - started:.1f} s"
    )
    if now != 1.0:
        click.echo(f"undo with: qidf rescale {printable(folder)} --restore", err=True)
