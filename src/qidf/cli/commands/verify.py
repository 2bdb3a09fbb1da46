"""qidf verify: every byte of an index is what was written."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.terminal import megabytes


@click.command("verify")
@click.argument("index", type=click.Path(path_type=Path))
def command(index: Path) -> None:
    """Check every checksum of INDEX.

    Its documents, tokens and hapaxes are counted again too.
    """
    from qidf.errors import CorruptIndexError
    from qidf.index.directory import read_snapshot, stored_files
    from qidf.index.totals import count

    snapshot = read_snapshot(index)
    segments = [stored.segment for stored in snapshot.segments]
    for segment in segments:
        if segment.container is not None:
            segment.container.verify_all()
    if count(segments) != snapshot.totals:
        raise CorruptIndexError(
            f"{index} holds other counts than its manifest says; build the index again"
        )
    files = stored_files(index, snapshot)
    size = sum(file.stat().st_size for file in files)
    click.echo(
        f"intact: {snapshot.totals.num_docs:,} documents in {len(files)} files, {megabytes(size)}"
    )
