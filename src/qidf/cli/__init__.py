"""What a person types: thin commands that call the package and render what it returns.

Each command is one file in `commands`, named after it and imported only when it runs; inside, the
package itself is imported by the function that needs it, so that `qidf search` starts fast. To add
a command, write its file and list it in `group.COMMANDS`.
"""

from __future__ import annotations

import click

from qidf import __version__
from qidf.cli.group import CommandGroup
from qidf.cli.terminal import prepare

__all__ = ["main"]


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="qidf")
@click.pass_context
def main(context: click.Context) -> None:
    """BM25 that finds the one right file: q-logarithm idf, chosen from the corpus."""
    prepare(context)
