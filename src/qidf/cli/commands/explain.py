"""qidf explain: why a span or a document has its score and rank."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qidf.cli.options import json_option, scoring_options
from qidf.cli.reading import query_text
from qidf.cli.terminal import print_json, printable

if TYPE_CHECKING:
    from qidf.index import Explanation


@click.command("explain")
@click.argument("arguments", nargs=-1, metavar="QUERY PATH:LINE | INDEX QUERY ID")
@scoring_options
@json_option
def command(
    arguments: tuple[str, ...],
    scoring: dict[str, Any],
    as_json: bool,
) -> None:
    """Explain the score and rank of a span or a document for QUERY.

    PATH:LINE is a line of a repository; INDEX is what `qidf search` takes. One line for each token,
    with what it would be in plain BM25; a QUERY of - is read from stdin.
    """
    if len(arguments) == 2:
        found = _explain_span(arguments[0], arguments[1], scoring)
    elif len(arguments) == 3:
        index, text, doc_id = arguments
        explained = _explain_document(index, text, doc_id, scoring, as_json=as_json)
        if explained is None:
            return
        found = explained
    else:
        raise click.UsageError("give QUERY and PATH:LINE, or INDEX, QUERY and ID")
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo("\n".join(map(printable, str(found).split("\n"))))


def _explain_span(text: str, location: str, scoring: dict[str, Any]) -> Explanation:
    from qidf.cli.code_output import opened

    path = location.rpartition(":")[0] or location
    with opened(_home_of(path)) as repository:
        return repository.explain(query_text(text), location, **scoring)


def _home_of(path: str) -> str | Path:
    """The repository of a path: the current one if it is around it, or another that is known.

    Elsewhere a folder would be indexed that nobody has named.
    """
    from qidf.errors import InputError
    from qidf.repository.roots import GIT, cache_directory, find_root

    # The path as it is written: a link in the repository is a file of the repository.
    written = os.path.normpath(os.path.join(os.path.realpath("."), path))
    if written.startswith(f"{find_root('.')}{os.sep}") or not os.path.lexists(path):
        return "."
    folder = Path(os.path.realpath(os.path.dirname(written)))
    for known in (find_root(folder), *folder.parents):
        if (known / GIT).exists() or cache_directory(known).exists():
            return known
    raise InputError(
        f"{path} is in no repository that is known here; go to the folder it belongs to"
    )


def _explain_document(
    index: str, text: str, doc_id: str, scoring: dict[str, Any], *, as_json: bool
) -> Explanation | None:
    """Explain a document of an index; None if an engine has said all there is to say."""
    from qidf.cli.engine_output import explain_engine, is_engine
    from qidf.cli.ids import as_stored
    from qidf.index import Index

    if is_engine(index):
        explain_engine(index, query_text(text), doc_id, scoring, as_json=as_json)
        return None
    opened = Index.open(index)
    return opened.explain(query_text(text), as_stored(opened, doc_id), **scoring)
