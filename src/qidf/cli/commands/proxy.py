"""qidf proxy: rewrite searches on their way to OpenSearch or Elasticsearch."""

from __future__ import annotations

from typing import Any

import click

from qidf.cli.options import weighting_options


@click.command("proxy")
@click.option("--upstream", required=True, metavar="URL", help="The server: http://HOST:9200.")
@click.option("--listen", default="127.0.0.1:9250", show_default=True, metavar="HOST:PORT")
@click.option(
    "--field", "fields", multiple=True, required=True, help="A text field to rewrite; repeatable."
)
@weighting_options
@click.option("--ttl", type=float, help="Seconds that counts are kept.  [default: 60]")
@click.option("--patience", type=float, help="Seconds to wait for counts.  [default: 2]")
@click.option(
    "--dfs/--no-dfs",
    default=True,
    show_default=True,
    help="Have all shards score with common counts, which makes the weights exact.",
)
@click.option("--verify/--no-verify", default=True, help="Check the server's certificate.")
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME", help="Answer to this host name too."
)
def command(
    upstream: str,
    listen: str,
    fields: tuple[str, ...],
    weighed: dict[str, Any],
    ttl: float | None,
    patience: float | None,
    dfs: bool,
    verify: bool,
    names: tuple[str, ...],
) -> None:
    """Listen where clients can search, and pass everything on to a server.

    Clients change only the port. match and multi_match clauses on the fields are put with
    boosts; whatever can't be rewritten, and every other request, passes through as it is. The
    response header x-qidf says what happened to a search. Credentials in the URL go with searches
    of clients that have none of their own, and with nothing else.
    """
    import asyncio

    from qidf.cli.options import given
    from qidf.errors import MissingExtraError

    try:
        import aiohttp  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("aiohttp", "proxy") from error
    from qidf.engines.opensearch.proxy.server import ProxyOptions, serve
    from qidf.weighting import wanted

    host, port = _listen(listen)
    options = ProxyOptions(
        upstream,
        fields,
        wanted(**weighed),
        dfs=dfs,
        verify=verify,
        names=names,
        **given(ttl=ttl, patience=patience),
    )

    async def run() -> None:
        ready = asyncio.Event()
        server = asyncio.create_task(serve(options, host, port, ready=ready))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({server, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if ready.is_set():
            click.echo(f"listening on {host}:{port}; stop with Ctrl-C", err=True)
        await server

    try:
        # Written in C: a third off what a request costs here.
        import uvloop
    except ImportError:
        asyncio.run(run())
    else:
        uvloop.run(run())


def _listen(text: str) -> tuple[str, int]:
    from qidf.errors import InvalidArgumentError

    host, _, port = text.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise InvalidArgumentError(f"{text!r} is no place to listen; write HOST:PORT.")
    return host, int(port)
