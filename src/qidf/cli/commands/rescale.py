"""qidf rescale: another idf on a bm25s index that already exists, and back."""

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
@click.option("--weighting", metavar="NAME", help="Whose idf: auto, or paper.  [default: auto]")
@click.option("--restore", is_flag=True, help="Bring the original scores back, bit for bit.")
def command(folder: Path, q: float | str | None, weighting: str | None, restore: bool) -> None:
    """Give a bm25s index another idf, in place.

    Unmodified bm25s loads the result; the original scores stay beside it until --restore. What
    repeats of a token count is the query's side, and bm25s takes no weights: send each token of
    code once, as qidf.engines.bm25s_index.query_tokens does.

    Whatever interrupts it, the folder holds the scores from before or those from after, and can be
    restored.
    """
    if (q is not None or weighting is not None) == restore:
        raise click.UsageError("give either --q or --restore")
    from qidf.cli.targets import examine
    from qidf.engines.bm25s_index import current_q, load, rescale
    from qidf.engines.bm25s_index.folder import save_scores
    from qidf.weighting import BM25, Weighting, decide, wanted

    retriever = load(folder)
    started, before = perf_counter(), current_q(retriever)
    asked = BM25 if restore else wanted(weighting or "auto", q=q)
    asked = Weighting(asked.formula, asked.q, None)
    stats = examine(str(folder)).stats if asked.is_open else None
    # The index serves every query; those it is rescaled for are code.
    decision = decide(asked, stats, kind="code")
    now = rescale(retriever, weighting=decision.weighting)
    save_scores(retriever, folder)
    htok = "" if stats is None else f" (htok {stats.htok:.4f})"
    click.echo(
        f"{bold(f'q = {now:.3f}')}{htok}, was {before:.3f}:"
        f" {len(retriever.scores['data']):,} scores in {perf_counter() - started:.1f} s"
    )
    if stats is not None and now == 1.0:
        click.echo(dim(decision.reason), err=True)
    if now != 1.0:
        click.echo(dim("repeats are the query's side: send each token of code once"), err=True)
        click.echo(f"undo with: qidf rescale {printable(folder)} --restore", err=True)
