"""qidf mcp: code search for agents."""

from __future__ import annotations

from pathlib import Path

import click

from qidf.cli.terminal import bold, dim

# One after that of qidf serve, so that both can run.
PORT = 7434


@click.command("mcp")
@click.argument("roots", nargs=-1, type=click.Path(path_type=Path), metavar="[ROOT]...")
@click.option("--http", is_flag=True, help="Streamable HTTP rather than stdin and stdout.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; others want a token.",
)
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="0 takes a free one.",
)
@click.option(
    "--token",
    envvar="QIDF_TOKEN",
    show_envvar=True,
    help="What a client must show; auto makes one.",
)
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME", help="Answer to this host name too."
)
def command(
    roots: tuple[Path, ...],
    http: bool,
    host: str,
    port: int,
    token: str | None,
    names: tuple[str, ...],
) -> None:
    """Serve the code below each ROOT to agents (Model Context Protocol).

    The current folder is the ROOT if none is named. Tools: search, read_span, status; nothing
    outside the ROOTs is ever read.
    """
    from qidf.errors import InputError
    from qidf.repository.roots import find_root, holds_home
    from qidf.serving.mcp import Desk, http_application, run_stdio

    if not roots and holds_home(find_root(".")):
        # Where many programs start their servers.
        raise InputError(
            f"{Path.cwd()} is or holds your home folder; name the folder to serve: qidf mcp PATH"
        )
    desk = Desk.open(roots or (Path(),))
    if not http:
        run_stdio(desk)
        return
    from qidf.admission import Access
    from qidf.serving.listening import bind, serve
    from qidf.serving.mcp.server import HTTP_PATH

    access = Access.of(host, token, names)
    listening = bind(access.host, port)

    def ready(address: str) -> None:
        click.echo(f"{bold(address)}  {dim('Ctrl-C stops it')}", err=True)
        if access.token is not None:
            click.echo(f"Authorization: Bearer {access.token}", err=True)

    application = http_application(desk, access)
    with desk.indexing():
        serve(application, access, listening, path=HTTP_PATH, on_ready=ready)
