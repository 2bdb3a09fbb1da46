"""qidf similarity: another idf as a setting of an index on OpenSearch or Elasticsearch."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from qidf.cli.options import json_option, weighting_options
from qidf.cli.terminal import print_json, printable

PRODUCTS = ("opensearch", "elasticsearch")


@click.command("similarity")
@click.argument("target")
@weighting_options
@click.option("--k1", type=float, help="[default: the index's, or 1.2]")
@click.option("--b", type=float, help="[default: the index's, or 0.75]")
@click.option("--apply", "action", flag_value="apply", help="Close the index, set it, open it.")
@click.option("--revert", "action", flag_value="revert", help="Give the index BM25 back.")
@click.option("--yes", is_flag=True, help="Don't ask before closing the index.")
@json_option
def command(
    target: str,
    weighed: dict[str, Any],
    k1: float | None,
    b: float | None,
    action: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Print the settings that make an index score with another idf by itself, or apply them.

    TARGET is opensearch or elasticsearch, or the address of an index on one, such as
    opensearch://localhost:9200/code?field=content. Without --apply or --revert nothing is changed.
    A setting sees no query, so --k3 has no say: repeats count in full.
    """
    from qidf.engines.opensearch.similarity import ScriptedSimilarity, steps
    from qidf.errors import InvalidArgumentError
    from qidf.weighting import decide, wanted

    asked = wanted(**weighed)
    if target in PRODUCTS:
        if action is not None:
            raise InvalidArgumentError(
                f"--{action} changes an index, so give its address: {target}://HOST:9200/INDEX"
            )
        if not isinstance(asked.q, float):
            raise InvalidArgumentError(
                f"q = auto is read off an index, so give its address, {target}://HOST:9200/INDEX,"
                " or a number with --q"
            )
        similarity = ScriptedSimilarity(asked, 1.2 if k1 is None else k1, 0.75 if b is None else b)
        _show("http://HOST:9200", similarity, steps("INDEX", similarity), as_json)
        return
    engine = _connect(target)
    with engine:
        if action == "revert":
            _revert(engine, yes)
            return
        stats = engine.corpus_stats() if asked.q == "auto" else None
        first = engine.schema.fields[engine.fields[0]]
        similarity = ScriptedSimilarity(
            # The setting serves every query; those it is made for are code.
            decide(asked, stats, kind="code").weighting,
            first.k1 if k1 is None else k1,
            first.b if b is None else b,
        )
        if action == "apply":
            _apply(engine, similarity, yes)
        else:
            _show(engine.server, similarity, steps(engine.index, similarity), as_json)


def _connect(target: str) -> Any:
    from qidf.engines import connect
    from qidf.errors import InvalidArgumentError

    if target.partition(":")[0] not in PRODUCTS:
        raise InvalidArgumentError(
            f"{target!r} is neither opensearch nor elasticsearch nor the address of an index on"
            " one, such as opensearch://HOST:9200/INDEX"
        )
    return connect(target)


def _show(server: str, similarity: Any, requests: list[Any], as_json: bool) -> None:
    if as_json:
        print_json(similarity.settings())
        return
    click.echo(json.dumps(similarity.settings(), indent=2))
    click.echo("\nTo apply it, close the index, set it and open the index again:\n")
    for method, path, body in requests:
        data = "" if body is None else f" -H 'content-type: application/json' -d {_quoted(body)}"
        click.echo(printable(f"curl -X {method} {server}{path}{data}"))


def _quoted(body: Any) -> str:
    return shlex.quote(json.dumps(body))


def _apply(engine: Any, similarity: Any, yes: bool) -> None:
    names = printable(", ".join(engine.schema.indices))
    if not yes:
        click.confirm(
            f"Close {names} on {printable(engine.server)}, so that searches fail for a moment, and"
            f" score it with q = {similarity.q:.3g} from then on?",
            abort=True,
        )
    engine.apply_similarity(similarity)
    click.echo(f"{names} now scores with q = {similarity.q:.3g}; --revert undoes it.")


def _revert(engine: Any, yes: bool) -> None:
    name = printable(engine.index)
    if not yes:
        click.confirm(
            f"Close {name} on {printable(engine.server)}, so that searches fail for a moment, and"
            " score it with BM25 again?",
            abort=True,
        )
    engine.revert_similarity()
    click.echo(f"{name} scores with BM25 again.")
