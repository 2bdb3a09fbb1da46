"""qidf add: more documents for an index that exists."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.options import given, max_bytes_option
from qidf.cli.reading import report_skipped, tracked


@click.command("add")
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace documents that have the same id.")
@max_bytes_option
def command(index: Path, path: Path, replace: bool, max_bytes: int | None) -> None:
    """Add the documents at PATH to INDEX.

    They go in as one commit, through the analyzer that INDEX was made with.
    """
    from qidf.corpora import open_corpus
    from qidf.index import Index

    opened = Index.open(index)
    corpus = open_corpus(path, **given(max_bytes=max_bytes))
    added = opened.add(tracked(corpus, "Adding"), replace=replace)
    click.echo(f"added {added:,} documents: {len(opened):,} in all, {opened.decide().weighting}")
    report_skipped(corpus)
