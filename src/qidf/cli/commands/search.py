"""qidf search: the best spans of a repository, or the best documents of an index."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qidf.cli.options import json_option, scoring_options
from qidf.cli.reading import query_text
from qidf.cli.terminal import bold, clip, dim, print_json, printable, warn, width
from qidf.errors import InputError

if TYPE_CHECKING:
    from qidf.index import Hit, Index


@click.command("search")
@click.argument("arguments", nargs=-1, metavar="QUERY [PATH] | INDEX QUERY")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many.")
@scoring_options
@click.option("--lang", multiple=True, metavar="NAME", help="Only this language; repeatable.")
@click.option(
    "--path", "globs", multiple=True, metavar="GLOB", help="Only such paths, or !GLOB: no such."
)
@click.option("--literal", metavar="TEXT", help="Only spans with this text, letter for letter.")
@click.option("-l", "--files", "files_only", is_flag=True, help="Paths of files alone, best first.")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Pack a prompt.")
@click.option(
    "--context", type=click.IntRange(min=0), metavar="N", help="Whole spans, N more lines."
)
@click.option("--file", "query_file", type=click.Path(path_type=Path), help="Read QUERY from it.")
@click.option("--explain", is_flag=True, help="Show what each query token adds to each score.")
@json_option
def command(
    arguments: tuple[str, ...],
    k: int,
    scoring: dict[str, Any],
    lang: tuple[str, ...],
    globs: tuple[str, ...],
    literal: str | None,
    files_only: bool,
    budget: int | None,
    context: int | None,
    query_file: Path | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Search the code around you, the code at PATH, or INDEX.

    A QUERY is words, a sentence, an issue's text, a stack trace or a whole function; - reads it
    from stdin. The repository is indexed on first use and brought up to date by every search. All
    of it is searched, wherever in it you are; a PATH stays in a folder or a file. --budget 8000
    prints the best spans that fit in so many tokens. For spans k1 and b have defaults of their own.

    INDEX is a qidf index, a bm25s folder, or an engine's: opensearch://HOST:9200/INDEX?field=...,
    elasticsearch://..., tantivy:PATH, sqlite:FILE?table=..., duckdb:FILE?table=..., xapian:PATH.
    """
    index, text, path = _resolve(arguments, query_file)
    if index is None:
        if not text.strip():
            raise InputError("the query is empty; give names, words or a text")
        if budget is not None and context is not None:
            raise click.UsageError("--budget packs whole spans as they are; leave --context out")
        if files_only and (budget is not None or context is not None):
            raise click.UsageError("-l names files alone; leave --budget and --context out")
        _search_repository(
            text,
            path,
            k,
            scoring,
            lang,
            globs,
            literal,
            files_only,
            budget,
            context,
            as_json=as_json,
        )
        return
    if (
        lang
        or globs
        or literal is not None
        or files_only
        or budget is not None
        or context is not None
    ):
        raise click.UsageError(
            "--lang, --path, --literal, -l, --budget and --context are for repositories; "
            "give QUERY and then a folder"
        )
    _search_index(index, text, k, scoring, explain=explain, as_json=as_json)


def _resolve(
    arguments: tuple[str, ...], query_file: Path | None
) -> tuple[str | None, str, str | None]:
    """An index or None, the query, and the path to stay in, if any."""
    words = list(arguments)
    if query_file is not None:
        text = query_file.read_bytes().decode("utf-8", errors="replace")
        if len(words) > 1:
            raise click.UsageError("with --file give at most a path or an index")
        if words and _is_index(words[0]):
            return words[0], text, None
        return None, text, words[0] if words else None
    if not words or len(words) > 2:
        raise click.UsageError(
            "give a QUERY, in quotes if it has several words, optionally with a PATH behind or an"
            " INDEX before it"
        )
    if len(words) == 1:
        return None, query_text(words[0]), None
    first, second = words
    if _is_index(first):
        return first, query_text(second), None
    if second and os.path.exists(second):
        return None, query_text(first), second
    from qidf.errors import IndexNotFoundError

    raise IndexNotFoundError(
        f"there is no index at {first}; make one with: qidf index PATH -o {first}, or to search a"
        " repository put several words in quotes and its folder behind them (there is nothing at"
        f" {second!r})"
    )


def _is_index(word: str) -> bool:
    """Whether a word is an engine's address or the path of an index."""
    from qidf.cli.engine_output import is_engine

    if is_engine(word):
        return True
    if not os.path.isdir(word):
        return False
    from qidf.corpora import INDEX, detect

    return detect(word) == INDEX


def _search_repository(
    text: str,
    path: str | None,
    k: int,
    scoring: dict[str, Any],
    languages: tuple[str, ...],
    globs: tuple[str, ...],
    literal: str | None,
    files_only: bool,
    budget: int | None,
    context: int | None,
    *,
    as_json: bool,
) -> None:
    from qidf.cli import code_output

    with code_output.opened(path or ".") as repository:
        done = repository.refresh()
        decision = repository.decide(text, **_parts(scoring))
        narrowing: dict[str, Any] = {
            "language": languages or None,
            "path": code_output.from_here(repository, globs) or None,
            # Without a path all of the repository is meant, wherever in it one is.
            "within": None if path is None else code_output.narrowed(repository, path),
            "literal": literal,
        }
        told = {"query": text, "root": str(repository.root), **decision.to_dict()}
        told["searched_in_part"], told["too_large"] = repository.cut_short
        if files_only:
            files: dict[str, None] = {}
            for hit in repository.hits_in_order(text, **narrowing, **scoring):
                files[hit.path] = None
                if len(files) == k:
                    break
            if as_json:
                print_json({**told, "k": k, "files": list(files), "notices": repository.notices})
            for file in files if not as_json else ():
                click.echo(printable(code_output.shown_path(repository, file)))
            return
        if budget is not None:
            # -k is how many to show; a budget has room for as many as fit.
            packed = repository.context(text, budget, **narrowing, **scoring)
            if as_json:
                print_json({**told, **packed.to_dict(), "notices": repository.notices})
            else:
                code_output.print_context(packed)
            return
        hits = repository.search(
            text, k, context=context or 0, refresh=False, **narrowing, **scoring
        )
        if as_json:
            rows = [hit.to_dict() for hit in hits]
            counts = {"num_files": len(repository.files), "num_chunks": len(repository)}
            print_json({**told, "k": k, **counts, "notices": repository.notices, "hits": rows})
            return
        for hit in hits:
            code_output.print_hit(hit, repository, text, whole=context is not None)
        found = f"{len(hits)} of" if hits else "nothing matches among"
        chosen = code_output.summary(repository, done)
        click.echo(dim(f"{found} {chosen}, {decision.weighting}"), err=True)
        if not hits:
            code_output.explain_nothing(repository, text, **narrowing)


def _search_index(
    index: str,
    text: str,
    k: int,
    scoring: dict[str, Any],
    *,
    explain: bool,
    as_json: bool,
) -> None:
    from qidf.cli.engine_output import is_engine, search_engine
    from qidf.index import Index

    if is_engine(index):
        search_engine(index, text, k, scoring, explain=explain, as_json=as_json)
        return
    opened = Index.open(index)
    decision = opened.decide(text, **_parts(scoring))
    # The line to show is the one that says most of what made the document score.
    contributions = explain or not as_json
    hits = opened.search(text, k, contributions=contributions, **scoring)
    if as_json:
        rows = [_row(hit) for hit in hits]
        print_json({"query": text, **decision.to_dict(), "k": k, "hits": rows})
        return
    for hit in hits:
        _print_hit(hit, opened, explain)
    found = f"{len(hits)} of {len(opened):,} documents" if hits else "no document matches"
    click.echo(dim(f"{found}, {decision.weighting}"), err=True)
    if not hits and opened.search(text, 1, weighting="bm25"):
        warn(
            [
                "With this idf words in half of the documents or more count for nothing, and the"
                " query has no other that is found; search with --weighting auto."
            ]
        )


def _parts(scoring: dict[str, Any]) -> dict[str, Any]:
    """What of the options says the weighting."""
    return {name: value for name, value in scoring.items() if name not in ("k1", "b")}


def _row(hit: Hit) -> dict[str, Any]:
    row = {"rank": hit.rank, "id": hit.id, "score": hit.score, "metadata": dict(hit.metadata)}
    return row if hit.contributions is None else {**row, "contributions": dict(hit.contributions)}


def _print_hit(hit: Hit, index: Index, explain: bool) -> None:
    from qidf.cli.preview import preview

    click.echo(f"{hit.rank:>3}  {hit.score:>9.3f}  {bold(printable(hit.id))}")
    indent = " " * 16
    line = preview(hit, index.analyzer)
    if line:
        click.echo(indent + clip(printable(line), width() - len(indent)))
    if explain and hit.contributions is not None:
        added = sorted(hit.contributions.items(), key=lambda item: -item[1])
        click.echo(indent + dim(", ".join(f"{printable(name)} {x:.3f}" for name, x in added)))
