"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

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


def q_option(function: F) -> F:
    """--q."""
    return click.option(
        "--q",
        metavar="auto|NUMBER",
        callback=parse_q,
        default="auto",
        show_default=True,
        help="auto predicts q from the corpus; 1 is plain BM25.",
    )(function)


def scoring_options(function: F) -> F:
    """--q, --k1 and --b, all of them query-time."""
    # The defaults belong to the index, and asking it for them here would load numpy for --help.
    for name, default in (("--b", "0.75"), ("--k1", "1.5")):
        function = click.option(name, type=float, help=f"[default: {default}]")(function)
    return q_option(function)


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
