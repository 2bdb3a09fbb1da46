"""qidf serve: a page to compare BM25 and q-log on, in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidf.cli.code_output import opened
from qidf.cli.consent import ask_about_home
from qidf.cli.options import analyzer_option
from qidf.cli.reading import report_skipped, tracked
from qidf.cli.terminal import bold, dim, printable

if TYPE_CHECKING:
    from qidf.corpora import Corpus
    from qidf.index import Document

# What the letters of qidf are on a telephone.
PORT = 7433


@click.command("serve")
@click.argument("target", type=click.Path(path_type=Path), required=False)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; others want a token.",
)
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="0 takes a free one.",
)
@click.option(
    "--token",
    envvar="QIDF_TOKEN",
    show_envvar=True,
    help="What a visitor must show; auto makes one.",
)
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME", help="Answer to this host name too."
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="Show lines of files below this folder only.  [default: TARGET, or the current folder]",
)
@analyzer_option
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def command(
    target: Path | None,
    host: str,
    port: int,
    token: str | None,
    names: tuple[str, ...],
    root: Path | None,
    analyzer: str | None,
    open_page: bool,
) -> None:
    """Compare BM25 and q-log on TARGET in a local web page.

    TARGET is a qidf index, a JSONL, a BEIR or bm25s folder, the work tree of a git repository, or
    any folder of files; by default, the repository around you. With --analyzer a repository is
    indexed as a folder of files. The JSON API beside the page describes itself at /openapi.json.
    """
    from qidf.admission import Access
    from qidf.serving.web import (
        bind,
        create_application,
        of_repository,
        open_collection,
        serve,
    )

    access = Access.of(host, token, names)
    # Before the documents are read, which may take a while only to find the port in use.
    listening = bind(access.host, port)
    found = _repository(target) if analyzer is None and root is None else None
    if found is None:
        if target is None:
            ask_about_home(Path.cwd().resolve())
        collection = open_collection(target or Path(), analyzer=analyzer, root=root, track=_read)
    else:
        with opened(found) as repository:
            collection = of_repository(repository)

    def ready(address: str) -> None:
        click.echo(f"{bold(address)}  {dim('Ctrl-C stops it')}", err=True)
        if open_page:
            click.launch(address)

    stats = collection.index.stats
    click.echo(
        f"{printable(collection.name)}: {stats.num_docs:,} documents, htok {stats.htok:.4f},"
        f" {collection.index.decide().weighting}",
        err=True,
    )
    serve(create_application(collection, access), access, listening, on_ready=ready)


def _repository(target: Path | None) -> Path | None:
    """The work tree to serve: the one around us, or the target if it is one."""
    from qidf.repository.roots import GIT, find_root

    if target is None:
        root = find_root(".")
        return root if (root / GIT).exists() else None
    return target if target.is_dir() and (target / GIT).exists() else None


def _read(corpus: Corpus) -> Iterator[Document]:
    """Documents with a bar, and what was left out afterwards."""
    yield from tracked(corpus, "Indexing")
    report_skipped(corpus)
