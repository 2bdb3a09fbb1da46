"""Listening: one process, one port, until interrupted."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from qidf.admission import Access, Patience
from qidf.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import uvicorn

# Connections that wait to be accepted, as when many agents start at once.
BACKLOG = 1024
# Requests still answered when the server is told to stop get this long.
GRACE_SECONDS = 2


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise InputError(f"{host} is no address to listen on ({error.strerror})") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise InputError(
            f"{host} port {port} can't be used ({error.strerror}); choose another port, or 0 for a"
            " free one"
        ) from error
    return listening


def serve(
    application: Any,
    access: Access,
    listening: socket.socket,
    *,
    path: str = "/",
    on_ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve an application on a bound socket until interrupted; `on_ready` gets the address."""
    with listening:
        server = make_server(application)
        on_ready(address_of(access, listening.getsockname()[1], path))
        server.run(sockets=[listening])


def make_server(application: Any, patience: Patience | None = None) -> uvicorn.Server:
    """A server for an application that drops whoever is slow to send or to read."""
    try:
        import uvicorn

        from qidf.serving.protocol import protocol_with
    except ImportError as error:
        raise MissingExtraError("uvicorn", "serve") from error
    watched = Patience() if patience is None else patience
    return uvicorn.Server(
        uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,
            server_header=False,
            # Behind no proxy; a header can't pretend otherwise.
            proxy_headers=False,
            ws="none",
            http=protocol_with(watched),
            # Left to patience, which makes room for others sooner.
            timeout_keep_alive=int(2 * watched.idle_seconds) + 1,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )


def address_of(access: Access, port: int, path: str = "/") -> str:
    """Where to point a browser; a machine reached from others is named by its host name."""
    host = access.host
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    if ":" in host:
        host = f"[{host}]"
    token = "" if access.token is None else f"?token={access.token}"
    return f"http://{host}:{port}{path}{token}"
