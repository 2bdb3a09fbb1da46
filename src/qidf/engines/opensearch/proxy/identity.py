"""Where the server is, and who asks it: a client, or the proxy for one without credentials."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from yarl import URL

from qidf.errors import InputError, InvalidArgumentError

# What the proxy's own questions carry of a client's request. Whatever they are answered with is
# remembered under these, so that nobody is told what another may see.
IDENTITY = (
    "authorization",
    "cookie",
    "es-client-authentication",
    "es-secondary-authorization",
    "security_tenant",
    "securitytenant",
)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: headers for questions, and a key for what is remembered of the answers."""

    headers: Mapping[str, str]
    key: bytes

    @classmethod
    def of(cls, headers: Mapping[str, str], lent: str | None) -> Identity:
        """Read a request's headers; `lent` are the credentials of a client that has none."""
        found = {name: headers[name] for name in IDENTITY if name in headers}
        if lent is not None:
            found["authorization"] = lent
        # A digest, so that no credentials are kept beyond their request.
        return cls(found, hashlib.blake2b(json.dumps(found).encode(), digest_size=16).digest())


@dataclass(frozen=True, slots=True)
class Address:
    """A server's address without the credentials in it, and these."""

    base: URL
    credentials: str | None

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read http://user:password@HOST:9200, with a path where the server has one."""
        try:
            url = URL(text)
        except ValueError:
            url = URL()
        if url.scheme not in ("http", "https") or not url.host:
            raise InvalidArgumentError(
                f"{text!r} is no server to pass requests on to; write http://HOST:9200 or"
                " https://HOST:9200."
            )
        found = None
        if url.user is not None:
            user = f"{url.user}:{url.password or ''}".encode()
            found = f"Basic {base64.b64encode(user).decode()}"
        return cls(url.with_user(None).with_query(None).with_fragment(None), found)

    def at(self, target: str) -> URL:
        """The address of a request's target, byte for byte, on this server and on no other.

        Only a target that is a path is one; `http://other/` or `other:80` would name a server.
        """
        if not target.startswith("/") or "#" in target:
            raise InputError("the target of a request must be a path that begins with /.")
        path, _, query = target.partition("?")
        base = self.base
        url = URL.build(
            scheme=base.scheme,
            host=base.raw_host or "",
            port=base.explicit_port,
            path=base.raw_path.rstrip("/") + path,
            query_string=query,
            encoded=True,
        )
        # An empty query is no query to the library, and the server sees no difference either.
        if url.origin() != base.origin() or url.raw_path_qs.rstrip("?") != (
            base.raw_path.rstrip("/") + target
        ).rstrip("?"):
            raise InputError("the target of a request can't be passed on as it is.")
        return url
