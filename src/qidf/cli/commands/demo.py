"""qidf demo: the whole story on a corpus every machine has."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from qidf.cli.options import weighting_options
from qidf.cli.reading import tracked
from qidf.cli.terminal import bold, clip, dim, printable, width

if TYPE_CHECKING:
    from qidf.cli.comparison import Comparison
    from qidf.index import Document, Hit, Index
    from qidf.weighting import Decision

# A function everyone knows, in every Python since 3.0: its docstring shares one rare word with its
# code, and its code shares common words with half of the library.
FILE, SYMBOL = "urllib/parse.py", "unquote_plus"
SHOWN = 5


@click.command("demo")
@click.argument("text", required=False)
@weighting_options
def command(text: str | None, weighed: dict[str, Any]) -> None:
    """Compare BM25 and the weighting on this Python's own standard library.

    Indexes the docstrings of its functions, then asks for one of them with the function's code (or
    with TEXT), side by side, and finally with the code of every function.
    """
    from qidf.cli.comparison import compare, compare_all
    from qidf.corpora import StandardLibrary
    from qidf.index import Index
    from qidf.weighting import wanted

    library = StandardLibrary()
    documents = list(tracked(library, "Reading the standard library"))
    if sys.stderr.isatty():
        click.echo(dim("Indexing"), err=True)
    index = Index.build(documents)
    asked = wanted(**weighed)
    example = _example(documents) if text is None else None
    query = text if example is None else str(example.metadata["code"])
    _introduce(index, index.decide(query, weighting=asked))
    _show_query(query or "", example)
    comparison = compare(index, query or "", asked)
    if not comparison.weighed:
        click.echo("No docstring has a word of it.")
        return
    answer = comparison.weighed[0].id if example is None else example.id
    _show_rankings(comparison, None if example is None else example.id)
    click.echo(f"\nWhy, for {bold(printable(answer))}:")
    explanation = index.explain(query or "", str(answer), weighting=asked)
    for line in str(explanation).split("\n")[1:]:
        click.echo(f"  {printable(line)}".rstrip())
    if example is not None:
        codes = [str(document.metadata["code"]) for document in documents]
        click.echo(f"\n{compare_all(index, codes, asked)}")


def _introduce(index: Index, decision: Decision) -> None:
    version = ".".join(map(str, sys.version_info[:2]))
    stats = index.stats
    click.echo(
        f"{bold(f'{stats.num_docs:,} docstrings')} of Python {version}'s standard library,"
        f" {stats.num_tokens:,} tokens\n"
        f"{stats.htok:.2%} of them occur only once (htok): {bold(str(decision.weighting))}\n"
        f"{dim(decision.reason)}"
    )


def _example(documents: list[Document]) -> Document:
    """The chosen function; any other where a Python lacks it."""
    return next(
        (
            document
            for document in documents
            if str(document.id).startswith(FILE) and document.metadata["symbol"] == SYMBOL
        ),
        documents[0],
    )


def _show_query(query: str, example: Document | None) -> None:
    if example is None:
        click.echo(f"\nQuery: {printable(query)}\n")
        return
    symbol = bold(printable(example.metadata["symbol"]))
    click.echo(f"\nQuery: the code of {symbol}, docstring removed")
    for line in query.split("\n"):
        click.echo(dim(f"    {clip(printable(line), width() - 4)}"))
    click.echo(f"Right answer: its docstring, “{clip(printable(example.text), width() - 32)}”\n")


def _show_rankings(comparison: Comparison, answer: object) -> None:
    """Two columns of symbols, the right one marked, moves beside the second."""
    rankings = (comparison.bm25[:SHOWN], comparison.weighed[:SHOWN])
    titles = ("BM25", str(comparison.weighting))
    columns = [[title, *map(_cell, hits)] for title, hits in zip(titles, rankings, strict=True)]
    widths = [max(map(len, column)) + 3 for column in columns]
    click.echo("  " + bold(titles[0].ljust(widths[0]) + titles[1]))
    for row in range(SHOWN):
        line = "  "
        for hits, column_width in zip(rankings, widths, strict=True):
            cell = (_cell(hits[row]) if row < len(hits) else "").ljust(column_width)
            right = row < len(hits) and hits[row].id == answer
            line += click.style(cell, fg="green", bold=True) if right else cell
        move = comparison.move(rankings[1][row]) if row < len(rankings[1]) else ""
        click.echo(line + dim(move))


def _cell(hit: Hit) -> str:
    return f"{hit.rank}. {printable(hit.metadata['symbol'])}"
