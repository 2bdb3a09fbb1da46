"""Package descriptions as a test collection of prose, long or short questions.

    python -m benchmarks.descriptions Translation-en.xz -o DIR

Debian's archive keeps the descriptions of its packages in one file a release
(`dists/RELEASE/main/i18n/Translation-en.xz`): a line that says what a package is, and paragraphs
that say it at length. In `DIR/asking-at-length` the paragraphs ask for the line, in
`DIR/asking-in-a-line` the line asks for the paragraphs. The first is prose in documents as short as
doc comments, with as many words that occur only once: what a q that is predicted from them does to
questions that are not code shows there.
"""

from __future__ import annotations

import hashlib
import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from benchmarks.corpora.beir import write_texts
from qidf.errors import InputError

_PACKAGE = re.compile(r"^Package: (.*)$", re.MULTILINE)
_DESCRIPTION = re.compile(r"^Description-en: (.*)\n((?: .*\n?)*)", re.MULTILINE)
_LEAST_LINE, _LEAST_PARAGRAPHS = 15, 200
# Packages built from one source begin their descriptions alike.
_ALIKE = 150


class Description(NamedTuple):
    """What a package says of itself."""

    package: str
    line: str
    paragraphs: str


def read(text: str) -> Iterator[Description]:
    """The descriptions of a Translation file, each line and each beginning once."""
    seen: set[str] = set()
    for block in text.split("\n\n"):
        package, found = _PACKAGE.search(block), _DESCRIPTION.search(block + "\n")
        if package is None or found is None:
            continue
        lines = found[2].splitlines()
        paragraphs = "\n".join("" if line == " ." else line[1:] for line in lines).strip()
        keys = {found[1].lower(), paragraphs[:_ALIKE]}
        if len(found[1]) < _LEAST_LINE or len(paragraphs) < _LEAST_PARAGRAPHS or keys & seen:
            continue
        seen |= keys
        yield Description(package[1], found[1], paragraphs)


def by_digest(descriptions: list[Description]) -> list[Description]:
    """In an order that knows nothing of names or texts."""
    return sorted(descriptions, key=lambda each: hashlib.sha256(each.package.encode()).digest())


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@click.option("--queries", type=int, default=1500, show_default=True)
def main(file: Path, output: Path, queries: int) -> None:
    """Write two BEIR folders from a file of descriptions."""
    found = by_digest(list(read(lzma.decompress(file.read_bytes()).decode("utf-8"))))
    if not found:
        raise InputError(f"{file} holds no description in English; give Translation-en.xz")
    asked = found[:queries]
    right = {f"q{each.package}": f"d{each.package}" for each in asked}
    for name, asking, answering in (
        ("asking-at-length", "paragraphs", "line"),
        ("asking-in-a-line", "line", "paragraphs"),
    ):
        write_texts(
            output / name,
            {f"d{each.package}": getattr(each, answering) for each in found},
            {f"q{each.package}": getattr(each, asking) for each in asked},
            right,
        )
        click.echo(output / name)


if __name__ == "__main__":
    main()
