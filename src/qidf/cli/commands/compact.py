"""qidf compact: one segment, no deleted documents."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.terminal import megabytes


@click.command("compact")
@click.argument("index", type=click.Path(path_type=Path))
def command(index: Path) -> None:
    """Merge INDEX into one segment.

    What was deleted is dropped from disk; results stay the same.
    """
    from qidf.index import Index

    opened = Index.open(index)
    before = _size(index)
    opened.compact()
    click.echo(
        f"{len(opened):,} documents, {megabytes(before)} before, {megabytes(_size(index))} now"
    )


def _size(index: Path) -> int:
    return sum(file.stat().st_size for file in index.iterdir())
