"""qidf completion: the shell script that completes commands, options and paths."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a shell completion script.

    For bash, put this into ~/.bashrc: eval "$(qidf completion bash)"
    """
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    if complete is None:  # pragma: no cover - click knows all three
        raise click.UsageError(f"no completion for {shell}")
    root = context.find_root().command
    click.echo(complete(root, {}, "qidf", "_QIDF_COMPLETE").source())
