"""The group of commands: found by name, imported late, failing with one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from qidf.cli import terminal
from qidf.errors import QidfError

# In the order people meet them.
COMMANDS = (
    "demo",
    "index",
    "search",
    "explain",
    "status",
    "clean",
    "advise",
    "stats",
    "add",
    "delete",
    "compact",
    "verify",
    "rescale",
    "audit",
    "similarity",
    "proxy",
    "eval",
    "tune",
    "study",
    "serve",
    "mcp",
    "completion",
)
INTERRUPTED = 130


class Failure(click.ClickException):
    """An error the user can act on: one sentence on stderr, exit code 1, no traceback."""

    def show(self, file: Any = None) -> None:
        """Print the sentence."""
        message = terminal.printable(self.message)
        click.echo(f"{click.style('qidf:', fg='red', bold=True)} {message}", err=True)


@contextmanager
def _safely_told() -> Iterator[None]:
    """Let no error of click's steer the terminal by what it repeats."""
    try:
        yield
    except click.ClickException as error:
        # Declared final, and yet the one place for all of click's errors.
        for name in {"message", "ui_filename"} & error.__dict__.keys():
            error.__dict__[name] = terminal.printable_lines(error.__dict__[name])
        raise


class CommandGroup(click.Group):
    """Imports a command's file when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the one that is asked for."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"qidf.cli.commands.{cmd_name}").command
        return command

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the arguments; what click says about them repeats them."""
        with _safely_told():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what isn't foreseen here is a bug and keeps its traceback."""
        try:
            with _safely_told():
                return super().invoke(ctx)
        except QidfError as error:
            raise Failure(str(error)) from error
        except BrokenPipeError:
            # The reader has seen enough; click ends quietly.
            raise
        except OSError as error:
            terminal.abandon_unwritable()
            where = f": {error.filename}" if error.filename is not None else ""
            raise Failure(f"{error.strerror or error}{where}") from error
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(INTERRUPTED)
