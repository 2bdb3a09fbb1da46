"""What reaches the terminal: colours, safe characters, widths, tables and JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import Any

import click

# Where there is no terminal to ask; long enough for a line of code, short of a minified file.
DEFAULT_WIDTH = 120


def prepare(context: click.Context) -> None:
    """Settle colours, and print characters the terminal lacks as question marks."""
    # https://no-color.org: any value but the empty one.
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        context.color = False
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def abandon_unwritable() -> None:
    """Let go of a standard output that can't be written.

    Otherwise the interpreter may try once more when it ends, print a message of its own and
    replace the exit code.
    """
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def print_json(value: Any) -> None:
    """Print JSON for a script; ASCII only, so that no name of a file can break it."""
    click.echo(json.dumps(value, indent=2))


def printable(text: object) -> str:
    """Text on one line without control characters, which could steer the terminal.

    Whatever comes from a file, a path, an argument or a server goes through this.
    """
    return "".join(character if character.isprintable() else " " for character in str(text))


def printable_lines(text: str) -> str:
    """Text whose lines and tabs are kept, and nothing else that could steer the terminal."""
    return "".join(
        character if character.isprintable() or character in "\n\t" else " " for character in text
    )


def width() -> int:
    """Columns of the terminal; some, in containers for one, say that they have none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
    except (OSError, ValueError, AttributeError):
        return DEFAULT_WIDTH


def clip(text: str, columns: int) -> str:
    """Text cut to a number of columns, with an ellipsis where something is missing."""
    return text if len(text) <= columns else text[: max(columns - 1, 0)] + "…"


def dim(text: str) -> str:
    """Text that matters less."""
    return click.style(text, dim=True)


def bold(text: str) -> str:
    """Text that matters most."""
    return click.style(text, bold=True)


def fields(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values in two columns."""
    named = list(rows)
    longest = max(len(name) for name, _ in named)
    return "\n".join(f"{dim(name.ljust(longest))}  {printable(value)}" for name, value in named)


def warn(sentences: Sequence[str]) -> None:
    """Print warnings on stderr."""
    for sentence in sentences:
        click.echo(f"{click.style('note:', fg='yellow')} {printable(sentence)}", err=True)


def megabytes(size: int) -> str:
    """A size a person can compare."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"


def share(value: float) -> str:
    """A share as a number and in percent."""
    return f"{value:.4f} ({value:.2%})"
