"""What commands show of an engine that holds someone's index: hits, explanations, notes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from qidf.cli.terminal import bold, clip, dim, print_json, printable, warn, width

if TYPE_CHECKING:
    from qidf.engines import Engine, EngineExplanation, EngineResult
    from qidf.index import Hit

_WORD = re.compile(r"\w+")
_INDENT = " " * 16


def is_engine(target: str) -> bool:
    """Whether a command's argument names an engine; a qidf index has commands of its own."""
    if ":" in target:
        from qidf.engines.targets import is_address

        if is_address(target):
            return True
    return os.path.isfile(os.path.join(target, "params.index.json"))


def shown_address(target: str) -> str:
    """An address as it may be printed: without a password."""
    from qidf.engines.targets import is_address, parse_target

    return str(parse_target(target)) if is_address(target) else target


def search_engine(
    target: str,
    text: str,
    k: int,
    scoring: Mapping[str, Any],
    *,
    explain: bool,
    as_json: bool,
) -> None:
    """Search an engine and print what it finds."""
    from qidf.engines import connect

    parts, options = _split(scoring)
    with connect(target, **options) as engine:
        result = engine.search(text, k, **parts)
        added = [_added(engine, text, hit, parts) for hit in result] if explain else None
        if as_json:
            print_json(_record(target, engine, text, k, result, added))
            return
        words = set(_WORD.findall(text.lower()))
        for at, hit in enumerate(result):
            click.echo(f"{hit.rank:>3}  {hit.score:>9.3f}  {bold(printable(hit.id))}")
            line = _preview(hit, words)
            if line:
                click.echo(_INDENT + clip(printable(line), width() - len(_INDENT)))
            if added is not None:
                most = sorted(added[at].items(), key=lambda term: -term[1])
                click.echo(
                    _INDENT + dim(", ".join(f"{printable(name)} {x:.3f}" for name, x in most))
                )
        found = f"{len(result)} found" if len(result) else "no document matches"
        name = printable(engine.name)
        click.echo(dim(f"{found} by {name}, {result.decision.weighting}"), err=True)
        warn([str(note) for note in result.notes])


def explain_engine(
    target: str,
    text: str,
    doc_id: str,
    scoring: Mapping[str, Any],
    *,
    as_json: bool,
) -> None:
    """Explain one document's score and print it."""
    from qidf.engines import connect

    parts, options = _split(scoring)
    with connect(target, **options) as engine:
        found = _explained(engine, text, doc_id, parts)
        if as_json:
            known = {"target": shown_address(target), "engine": engine.name}
            print_json({**known, **found.to_dict()})
        else:
            click.echo("\n".join(map(printable, str(found).split("\n"))))


def _split(scoring: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What says the weighting, and what an engine is connected with."""
    options = {name: value for name, value in scoring.items() if name in ("k1", "b")}
    return {name: value for name, value in scoring.items() if name not in options}, options


def _explained(
    engine: Engine, text: str, doc_id: str, parts: Mapping[str, Any]
) -> EngineExplanation:
    """Explain an id that was typed, which may be a number in the index."""
    from qidf.errors import UnknownIdError

    try:
        return engine.explain(text, doc_id, **parts)
    except UnknownIdError:
        if not re.fullmatch(r"-?\d+", doc_id):
            raise
    return engine.explain(text, int(doc_id), **parts)


def _added(engine: Engine, text: str, hit: Hit, parts: Mapping[str, Any]) -> dict[str, float]:
    terms = engine.explain(text, hit.id, **parts).terms
    return {term.token: term.contribution for term in terms if term.contribution}


def _record(
    target: str,
    engine: Engine,
    text: str,
    k: int,
    result: EngineResult,
    added: list[dict[str, float]] | None,
) -> dict[str, Any]:
    hits = [
        {
            "rank": hit.rank,
            "id": hit.id,
            "score": hit.score,
            # A database's columns can be of any type.
            "metadata": json.loads(json.dumps(dict(hit.metadata), default=str)),
            **({} if added is None else {"contributions": added[at]}),
        }
        for at, hit in enumerate(result)
    ]
    return {
        "target": shown_address(target),
        "engine": engine.name,
        "query": text,
        **result.decision.to_dict(),
        "k": k,
        "hits": hits,
        "notes": [str(note) for note in result.notes],
    }


def _preview(hit: Hit, words: set[str]) -> str:
    """The hit's title, or the line of its stored texts with most of the query's words."""
    title = hit.metadata.get("title")
    if isinstance(title, str) and title:
        return title
    best, most = "", 0
    for value in hit.metadata.values():
        for line in value.splitlines() if isinstance(value, str) else ():
            shared = len(words & set(_WORD.findall(line.lower())))
            if shared > most:
                best, most = line.strip(), shared
    return best
