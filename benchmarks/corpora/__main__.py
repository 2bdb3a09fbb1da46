"""`python -m benchmarks.corpora`: pin, fetch, build, table."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from benchmarks.corpora import build as chain
from benchmarks.corpora import manifest as manifests
from benchmarks.corpora import pinned
from benchmarks.corpora.extraction import extract
from benchmarks.corpora.languages import LANGUAGES
from benchmarks.corpora.registries import debian
from benchmarks.corpora.sample import SEED
from benchmarks.corpora.selections import PAPER_SIZES, pin
from qidf.errors import QidfError

_language = click.argument("language", type=click.Choice(sorted(LANGUAGES)))
_archive = click.option("--archive", help="URL of a Debian archive, instead of apt's own.")
_cache = click.option(
    "--cache",
    type=click.Path(path_type=Path),
    default=chain.CACHE,
    help="Where downloads and extracted functions are kept.",
)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


@click.group()
def main() -> None:
    """Documented-function corpora from package registries."""


@main.command("pin")
@_language
@_archive
@_cache
def pin_command(language: str, archive: str | None, cache: Path) -> None:
    """List the packages the registries hold now and keep those that give functions."""
    roots = [archive.rstrip("/") + "/"] if archive else debian.archive_roots()
    settings = chain.Settings(cache=cache, archive=archive)
    got = chain.fetch(pin(language, roots, cache / "downloads", _say), settings)
    for reason in got.failures.values():
        _say(reason)
    found, _ = extract(language, sorted(got.paths.items()), cache / "functions")
    giving = {(function.package, function.version) for function in found}
    useful = [package for package in got.paths if (package.name, package.version) in giving]
    target = pinned.list_path(language)
    target.write_text(pinned.render(useful), encoding="utf-8")
    _say(f"{target.name}: {len(useful)} of {len(got.paths)} packages give functions")


@main.command("fetch")
@_language
@_archive
@_cache
def fetch_command(language: str, archive: str | None, cache: Path) -> None:
    """Download what is missing or damaged of the pinned list."""
    settings = chain.Settings(cache=cache, archive=archive)
    got = chain.fetch(pinned.read(pinned.list_path(language)), settings)
    for reason in got.failures.values():
        _say(reason)
    sys.exit(1 if got.failures else 0)


@main.command("build")
@_language
@click.option(
    "--docs", type=int, help="Documents; if not given, the paper's number or all there are."
)
@click.option("--queries", type=int, help="Queries; the paper's number if not given.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder to write.")
@click.option("--seed", type=int, default=SEED, show_default=True)
@click.option("--processes", type=int, default=2, show_default=True)
@click.option(
    "--part",
    type=(float, float),
    default=(0.0, 1.0),
    show_default=True,
    help="Only packages that fall into this part of all; other parts have no package of it.",
)
@click.option("--allow-missing", is_flag=True, help="Build without packages that can't be had.")
@_archive
@_cache
def build_command(
    language: str,
    docs: int | None,
    queries: int | None,
    output: Path | None,
    seed: int,
    processes: int,
    part: tuple[float, float],
    allow_missing: bool,
    archive: str | None,
    cache: Path,
) -> None:
    """Make the corpus of one language as a BEIR folder."""
    paper_docs, paper_queries = PAPER_SIZES[language]
    size = chain.Size(
        num_docs=docs if docs is not None else paper_docs,
        num_queries=queries if queries is not None else paper_queries,
        seed=seed,
        or_fewer=docs is None,
    )
    folder = output if output is not None else cache / language
    settings = chain.Settings(cache, archive, allow_missing, processes, part=part)
    chain.build(language, size, folder, settings, _say)
    click.echo(folder)


@main.command("table")
def table_command() -> None:
    """Print the README's table from the committed manifests."""
    found = [manifests.Manifest.from_path(path) for path in manifests.FOLDER.glob("*.json")]
    click.echo(manifests.table(sorted(found, key=lambda manifest: manifest.language)), nl=False)


if __name__ == "__main__":
    try:
        main()
    except QidfError as error:
        _say(f"error: {error}")
        sys.exit(1)
