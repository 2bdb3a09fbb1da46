"""Which requests are searches, and on which index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, unquote

# What a search without an index searches.
EVERYTHING = "_all"


@dataclass(frozen=True, slots=True)
class Route:
    """A search or several in one request; `parameters` are the address's own."""

    kind: Literal["search", "msearch"]
    index: str
    parameters: dict[str, str]

    def with_parameter(self, name: str, value: str, target: str) -> str:
        """What to add to a target so that it says this too; nothing if it does already."""
        if name in self.parameters:
            return ""
        return f"{'&' if '?' in target else '?'}{name}={value}"


def route(method: str, raw_path: str, raw_query: str) -> Route | None:
    """Read a request's address; None for anything but a search with a body."""
    if method not in ("GET", "POST"):
        return None
    parts = [unquote(part) for part in raw_path.split("/") if part]
    if not parts or len(parts) > 2 or parts[-1] not in ("_search", "_msearch"):
        return None
    index = parts[0] if len(parts) == 2 else EVERYTHING
    if index.startswith("_") and index != EVERYTHING:
        return None
    kind: Literal["search", "msearch"] = "search" if parts[-1] == "_search" else "msearch"
    return Route(kind, index, dict(parse_qsl(raw_query, keep_blank_values=True)))


def obstacle(found: Route) -> str | None:
    """Why a search's address alone rules a rewrite out."""
    if "q" in found.parameters:
        return "the query is in the address"
    if "source" in found.parameters:
        return "the body is in the address"
    if ":" in found.index:
        return "the index is on another cluster"
    return None
