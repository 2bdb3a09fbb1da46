"""qidf verify: every byte of an index is what was written."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.terminal import megabytes


@click.command("verify")
@click.argument("index", type=click.Path(path_type=Path))
def command(index: Path) -> None:
    """Check every checksum and every count of INDEX.

    Whatever opening it takes on trust is counted again: tokens, hapaxes, terms, ids.
    """
    from qidf.index.directory import read_snapshot, stored_files, verify

    snapshot = read_snapshot(index)
    verify(index, snapshot)
    files = stored_files(index, snapshot)
    size = sum(file.stat().st_size for file in files)
    click.echo(
        f"intact: {snapshot.totals.num_docs:,} documents in {len(files)} files, {megabytes(size)}"
    )
