"""What a user can point at: `sqlite:notes.db?table=notes`, `opensearch://host:9200/index`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from urllib.parse import parse_qsl, unquote, urlsplit

from qidf.engines.registry import ENGINES, Registration, registration
from qidf.errors import InvalidArgumentError
from qidf.records import dataclass

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+_-]+):")


@dataclass(frozen=True, slots=True)
class Target:
    """A parsed address: which engine, where, and with which options."""

    scheme: str
    location: str
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __str__(self) -> str:
        """The address without what is secret in it."""
        shown = re.sub(r"//[^/@]*@", "//", self.location)
        options = "&".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.scheme}:{shown}" + (f"?{options}" if options else "")

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Server:
    """Where a networked engine listens, and which index is meant."""

    host: str
    port: int
    index: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)


def is_address(text: str) -> bool:
    """Whether a string names an engine rather than a path, or a query such as `sqlite: locked`."""
    match = _SCHEME.match(text)
    if match is None or text[match.end() :][:1].isspace():
        return False
    if any(match[1].lower() in row.schemes for row in ENGINES):
        return True
    # Something like redis://... was surely meant as an address, and deserves its own error.
    return text.startswith("//", match.end()) and not any(map(str.isspace, text))


def parse_target(text: str) -> Target:
    """Read an address; one that is malformed, or has an unknown option, is refused."""
    match = _SCHEME.match(text)
    if match is None:
        raise InvalidArgumentError(
            f"{text!r} names no engine; write SCHEME:..., with one of {_schemes()}."
        )
    scheme = match[1].lower()
    row = registration(scheme)
    if row is None:
        raise InvalidArgumentError(
            f"{match[1]!r} in {_masked(text)!r} is no engine qidf knows; use one of {_schemes()}."
        )
    rest, question, query = text[match.end() :].partition("?")
    if not rest.strip("/"):
        raise InvalidArgumentError(f"{text!r} doesn't say where the index is; write {row.form}.")
    options = _options(text, query, row) if question else {}
    if row.networked and not rest.startswith("//"):
        raise InvalidArgumentError(f"{text!r} lacks the two slashes; write {row.form}.")
    if not row.networked and rest.startswith("//"):
        # sqlite:///absolute/path is what other libraries write.
        rest = rest[2:]
    return Target(scheme, rest, MappingProxyType(options))


def parse_server(target: Target, default_port: int = 9200) -> Server:
    """Read host, port, index and credentials of a networked target."""
    row = registration(target.scheme)
    form = row.form if row is not None else "SCHEME://HOST:PORT/INDEX"
    try:
        parts = urlsplit(f"{target.scheme}:{target.location}")
    except ValueError:
        raise InvalidArgumentError(
            f"the host in {str(target)!r} has brackets around no address; write {form}."
        ) from None
    try:
        port = parts.port or default_port
    except ValueError:
        raise InvalidArgumentError(
            f"the port in {str(target)!r} is not a number between 1 and 65535; write {form}."
        ) from None
    if not parts.hostname:
        raise InvalidArgumentError(f"{str(target)!r} names no host; write {form}.")
    index = unquote(parts.path.strip("/"))
    if not index or "/" in index:
        raise InvalidArgumentError(
            f"{str(target)!r} doesn't name one index after the host; write {form}."
        )
    return Server(
        parts.hostname,
        port,
        index,
        None if parts.username is None else unquote(parts.username),
        None if parts.password is None else unquote(parts.password),
    )


def flag(name: str, value: object) -> bool:
    """Read an option that is either on or off."""
    if isinstance(value, bool):
        return value
    if str(value).lower() in ("1", "true", "yes", "on"):
        return True
    if str(value).lower() in ("0", "false", "no", "off"):
        return False
    raise InvalidArgumentError(f"{name} is true or false, not {value!r}.")


def number(name: str, value: object) -> float:
    """Read an option that is a number."""
    try:
        return float(str(value))
    except ValueError:
        raise InvalidArgumentError(f"{name} is a number, not {value!r}.") from None


def _options(text: str, query: str, row: Registration) -> dict[str, str]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    except ValueError:
        raise InvalidArgumentError(
            f"the options of {_masked(text)!r} aren't name=value pairs joined by &;"
            f" write {row.form}."
        ) from None
    options: dict[str, str] = {}
    for name, value in pairs:
        check_option(name, row)
        if name in options:
            raise InvalidArgumentError(f"{_masked(text)!r} gives {name} twice; give it once.")
        if not value:
            raise InvalidArgumentError(
                f"{name} has no value in {_masked(text)!r}; write {name}=VALUE or leave it out."
            )
        options[name] = value
    return options


def check_option(name: str, row: Registration) -> None:
    """Refuse an option that the engine doesn't take."""
    if name not in row.options:
        takes = ", ".join(row.options) or "none"
        raise InvalidArgumentError(
            f"{row.schemes[0]} has no option {name!r}; its options are {takes}."
        )


def _schemes() -> str:
    return ", ".join(scheme for row in ENGINES for scheme in row.schemes)


def _masked(text: str) -> str:
    return re.sub(r"//[^/@]*@", "//", text)
