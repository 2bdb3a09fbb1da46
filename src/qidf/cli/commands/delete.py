"""qidf delete: documents out of an index."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("delete")
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def command(index: Path, ids: tuple[str, ...]) -> None:
    """Delete documents by id.

    They go out as one commit; if one id is unknown, nothing is deleted.
    """
    from qidf.cli.ids import as_stored
    from qidf.index import Index

    opened = Index.open(index)
    deleted = opened.delete([as_stored(opened, typed) for typed in ids])
    click.echo(f"deleted {deleted:,} documents: {len(opened):,} left, {opened.decide().weighting}")
