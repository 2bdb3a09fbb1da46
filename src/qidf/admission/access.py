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


# What a browser says of a request that another site's page made (Fetch Metadata); a page on another
# port of this machine is of the same site and still another's.
FOREIGN_SITES = frozenset({"cross-site", "same-site"})


@dataclass(frozen=True, slots=True)
class Names:
    """Where a server listens, and which Host names it answers to beside its own.

    A Host that is no literal address and was not named is refused, since any web page can make a
    name of its own point here (DNS rebinding).
    """

    host: str = "127.0.0.1"
    names: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", frozenset(name.lower() for name in self.names))

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

    def objection(self, host: str, origin: str | None, site: str | None = None) -> str | None:
        """Why a request isn't for this server, by its Host, Origin and Sec-Fetch-Site headers."""
        if not self.admits_host(host):
            return "this server does not answer to that Host; allow it by name when starting it"
        foreign = site is not None and site.strip().lower() in FOREIGN_SITES
        if foreign or (origin is not None and not same_site(origin, host)):
            return "pages of another origin may not ask this server"
        return None


@dataclass(frozen=True, slots=True)
class Access(Names):
    """Names, and the token a server wants, if any; beyond loopback one is required."""

    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        Names.__post_init__(self)
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

    @classmethod
    def of(cls, host: str, token: str | None = None, names: tuple[str, ...] = ()) -> Access:
        """Read what a command line says; a token of "auto" is made here."""
        return cls(host, frozenset(names), secrets.token_urlsafe(24) if token == "auto" else token)

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
