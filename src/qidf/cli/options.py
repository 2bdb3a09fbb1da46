"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

F = TypeVar("F", bound=Callable[..., Any])


def parse_q(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> float | str | None:
    """Read `auto` or any finite number."""
    if value is None or value == "auto":
        return value
    try:
        number = float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither 'auto' nor a number") from None
    if not math.isfinite(number):
        raise click.BadParameter(f"{value!r} is not finite")
    return number


def parse_k3(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> float | str | None:
    """Read `auto` or a number of at least 0, which may be infinite."""
    if value is None or value == "auto":
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not number >= 0:
        raise click.BadParameter(f"{value!r} is neither 'auto' nor a number of at least 0")
    return number


def weighting_options(function: F) -> F:
    """--weighting, --q, --k3 and --formula, handed on together as `weighed`."""

    @wraps(function)
    def collected(
        *arguments: Any,
        weighting: str | None,
        q: float | str | None,
        k3: float | str | None,
        formula: str | None,
        **others: Any,
    ) -> Any:
        weighed = given(weighting=weighting, q=q, k3=k3, formula=formula)
        return function(*arguments, weighed=weighed, **others)

    command: Any = collected
    for option in (
        click.option(
            "--formula",
            metavar="NAME",
            help="qlog1p, the paper's qlog, or an idf without q such as gamma(gamma=2).",
        ),
        click.option(
            "--k3",
            metavar="auto|NUMBER",
            callback=parse_k3,
            help="How soon repeats of a token saturate; auto is 1 for code, inf counts them all.",
        ),
        click.option(
            "--q",
            metavar="auto|NUMBER",
            callback=parse_q,
            help="auto predicts q from the corpus; 1 alone is plain BM25.",
        ),
        click.option(
            "--weighting",
            metavar="NAME",
            help="What query tokens weigh: auto, bm25, paper.  [default: auto]",
        ),
    ):
        command = option(command)
    return cast("F", command)


def scoring_options(function: F) -> F:
    """--weighting and its parts, --k1 and --b, all of them query-time, together as `scoring`."""

    @wraps(function)
    def collected(
        *arguments: Any,
        weighed: dict[str, Any],
        k1: float | None,
        b: float | None,
        **others: Any,
    ) -> Any:
        return function(*arguments, scoring={**weighed, **given(k1=k1, b=b)}, **others)

    command: Any = collected
    # The defaults belong to the index, and asking it for them here would load numpy for --help.
    for name, default in (("--b", "0.75"), ("--k1", "1.5")):
        command = click.option(name, type=float, help=f"[default: {default}]")(command)
    return cast("F", weighting_options(command))


def given(**options: Any) -> dict[str, Any]:
    """Only the options that were given, so that the others keep the package's defaults."""
    return {name: value for name, value in options.items() if value is not None}


def json_option(function: F) -> F:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")(function)


def analyzer_option(function: F) -> F:
    """--analyzer."""
    return click.option(
        "--analyzer",
        metavar="NAME",
        help="generic, whitespace, identifier or subtoken.  [default: generic]",
    )(function)


def max_bytes_option(function: F) -> F:
    """--max-bytes."""
    return click.option(
        "--max-bytes",
        type=click.IntRange(min=1),
        help="Skip larger files of a folder.  [default: 1000000]",
    )(function)
