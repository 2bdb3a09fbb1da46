"""qidf explain: why a document has its score and rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qidf.cli.options import given, json_option, scoring_options
from qidf.cli.reading import query_text
from qidf.cli.terminal import print_json, printable

if TYPE_CHECKING:
    from qidf.index import Explanation


@click.command("explain")
@click.argument("index")
@click.argument("text")
@click.argument("doc_id")
@scoring_options
@json_option
def command(
    index: str,
    text: str,
    doc_id: str,
    q: float | str,
    k1: float | None,
    b: float | None,
    as_json: bool,
) -> None:
    """Explain DOC_ID's score and rank for TEXT.

    INDEX is what `qidf search` takes. One line for each token, with what it would be in plain
    BM25; a TEXT of - is read from stdin.
    """
    from qidf.cli.engine_output import explain_engine, is_engine
    from qidf.cli.ids import as_stored
    from qidf.index import Index

    if is_engine(index):
        explain_engine(index, query_text(text), doc_id, q, given(k1=k1, b=b), as_json=as_json)
        return
    opened = Index.open(index)
    found = opened.explain(query_text(text), as_stored(opened, doc_id), q, **given(k1=k1, b=b))
    if as_json:
        print_json(_record(found))
    else:
        click.echo("\n".join(map(printable, str(found).split("\n"))))


def _record(found: Explanation) -> dict[str, Any]:
    from dataclasses import asdict

    terms = [{**asdict(term), "ratio": term.ratio} for term in found.terms]
    return {**asdict(found), "terms": terms}
