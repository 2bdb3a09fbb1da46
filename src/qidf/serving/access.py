"""Who may ask a server: by the address it listens on, the names it answers to, and a token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field

from qidf.errors import InvalidArgumentError

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
# 16 characters of base64 are 96 bits: out of reach for guessing over a network.
MIN_TOKEN_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Access:
    """Where a server listens, which Host names it answers to, and the token it wants, if any.

    Beyond loopback a token is required. A Host that is no literal address and was not named is
    refused, since any web page can make a name of its own point here (DNS rebinding).
    """

    host: str = "127.0.0.1"
    token: str | None = field(default=None, repr=False)
    names: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.token is not None and (
            len(self.token) < MIN_TOKEN_LENGTH or not self.token.isascii() or " " in self.token
        ):
            raise InvalidArgumentError(
                f"a token needs at least {MIN_TOKEN_LENGTH} ASCII characters without spaces;"
                " 'auto' makes one"
            )
        if self.token is None and not self.is_loopback:
            raise InvalidArgumentError(
                f"listening on {self.host} lets other machines ask, which takes a token; give one,"
                " or 'auto' to have one made"
            )
        object.__setattr__(self, "names", frozenset(name.lower() for name in self.names))

    @classmethod
    def of(cls, host: str, token: str | None = None, names: tuple[str, ...] = ()) -> Access:
        """Read what a command line says; a token of "auto" is made here."""
        return cls(host, secrets.token_urlsafe(24) if token == "auto" else token, frozenset(names))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        address = _address(self.host)
        return address is not None and address.is_loopback

    def admits_host(self, header: str) -> bool:
        """Whether a request with this Host header is meant for this server."""
        name = host_name(header)
        if name is None:
            return False
        if name in LOOPBACK_NAMES or name in self.names:
            return True
        address = _address(name)
        if self.is_loopback:
            return address is not None and address.is_loopback
        # A literal address can't be rebound; a name can, unless it is the machine's own.
        return address is not None or name in (self.host.lower(), socket.gethostname().lower())

    def admits_token(self, given: str | None) -> bool:
        """Whether a request that shows this token may go on."""
        if self.token is None:
            return True
        shown = (given or "").encode("utf-8", "replace")
        return hmac.compare_digest(shown, self.token.encode())


def host_name(header: str) -> str | None:
    """The name in a Host header or an Origin's authority, in lower case; None if malformed."""
    name, port = header.strip().lower(), ""
    if name.startswith("["):
        name, closed, rest = name[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")) or _address(name) is None:
            return None
        port = rest[1:]
    elif ":" in name:
        name, _, port = name.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return None
    odd = any(character in name for character in "/\\@?# \t:")
    return None if not name or (odd and _address(name) is None) else name


def same_site(origin: str, host: str) -> bool:
    """Whether a page at this Origin was served by the Host it now asks.

    Schemes are not compared: a proxy may add TLS on the way.
    """
    scheme, separator, authority = origin.partition("://")
    return (
        scheme in ("http", "https")
        and bool(separator)
        and host_name(authority) is not None
        and authority.lower() == host.strip().lower()
    )


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
