"""qidf status: what is indexed of a repository, how, and what isn't."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.options import json_option
from qidf.cli.terminal import print_json


@click.command("status")
@click.argument("path", type=click.Path(path_type=Path), default=".")
@json_option
def command(path: Path, as_json: bool) -> None:
    """Say what is indexed of the repository at PATH, without indexing anything.

    Shows the analyzer and q with the reasons for them, what was left out, and what changed since.
    """
    from qidf.cli.code_output import opened, status_fields

    with opened(path, agreed=True) as repository:
        status = repository.status()
        if as_json:
            print_json(status.to_dict())
        else:
            click.echo(status_fields(status))
