"""`python -m benchmarks.lookalikes`: stand-ins in the layout of the originals."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click

from benchmarks.corpora import build, pinned
from benchmarks.corpora.registries import debian
from benchmarks.corpora.sample import SEED
from benchmarks.lookalikes import arena, repobench
from qidf.errors import InputError, QidfError

# Packages to read, in the order of their checksums; these give some 2,000 rows a setting.
PACKAGES = 1_500
ALL = 100_000
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
    got = _fetch(chosen, archive, cache)
    paths = [got[package] for package in chosen]
    sizes = repobench.write_cells(repobench.distinct(_rows(paths, seed)), output, most)
    for cell, size in sizes.items():
        click.echo(f"{cell}: {size:,} rows")


@main.command("pin-arena")
@click.argument("language", type=click.Choice(sorted(arena.BUILT_WITH)))
@click.option("--packages", type=click.IntRange(min=1), default=ALL, show_default=True)
@click.option("--archive", help="URL of a Debian archive, instead of apt's own.")
@click.option("--cache", type=click.Path(path_type=Path), default=build.CACHE)
def pin_arena_command(language: str, packages: int, archive: str | None, cache: Path) -> None:
    """List the source packages whose patches describe fixes of their sources."""
    roots = [archive.rstrip("/") + "/"] if archive else debian.archive_roots()
    listed = debian.index(roots, f"dists/{debian.RELEASES[0]}/main/source/Sources.xz")
    sources = arena.list_sources(listed, language)[:packages]
    # Mirrors may leave parts of source packages out; what isn't there isn't pinned.
    settings = build.Settings(cache=cache, archive=archive)
    got = build.fetch([source.debian for source in sources], settings)
    fixing = [
        source
        for source in sources
        if source.debian in got.paths and arena.fixes(language, got.paths[source.debian])
    ]
    originals = build.fetch([source.original for source in fixing], settings)
    useful = [source for source in fixing if source.original in originals.paths]
    target = _patches_list(language)
    target.parent.mkdir(exist_ok=True)
    both = [package for source in useful for package in (source.original, source.debian)]
    target.write_text(pinned.render(both), encoding="utf-8")
    click.echo(
        f"{target.name}: {len(useful)} of {len(got.paths)} packages have such patches,"
        f" {len(got.failures)} couldn't be had"
    )


@main.command("arena")
@click.argument("language", type=click.Choice(sorted(arena.BUILT_WITH)))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@click.option("--archive", help="URL of a Debian archive, instead of apt's own.")
@click.option("--cache", type=click.Path(path_type=Path), default=build.CACHE)
def arena_command(language: str, output: Path, archive: str | None, cache: Path) -> None:
    """Write a stand-in for a language of Long Code Arena: DIR/hub and DIR/repos."""
    packages = pinned.read(_patches_list(language))
    paths = _fetch(packages, archive, cache)
    found: list[arena.Issue] = []
    repos = output / "repos"
    repos.mkdir(parents=True, exist_ok=True)
    for source in arena.pair(packages):
        patches = arena.fixes(language, paths[source.debian])
        found += arena.issues(language, source, paths[source.original], patches, repos)
    arena.write_table(found, output / "hub", language)
    click.echo(
        f"{language}: {len(found):,} issues in {len({i.repo_name for i in found}):,} packages"
    )


def _patches_list(language: str) -> Path:
    return Path(__file__).parent / "packages" / f"{language}-patches.tsv"


def _fetch(
    packages: list[pinned.PinnedPackage], archive: str | None, cache: Path
) -> dict[pinned.PinnedPackage, Path]:
    got = build.fetch(packages, build.Settings(cache=cache, archive=archive))
    if got.failures:
        raise InputError(next(iter(got.failures.values())))
    return got.paths


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
