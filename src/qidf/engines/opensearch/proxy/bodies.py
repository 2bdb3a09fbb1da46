"""Search bodies as bytes: the clauses that change are replaced, every other byte stays."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from qidf.engines.contract import Capabilities
from qidf.engines.opensearch.clauses import Path
from qidf.engines.opensearch.exchange import Exchange
from qidf.engines.opensearch.json_spans import parse, splice
from qidf.engines.opensearch.proxy.routes import EVERYTHING
from qidf.engines.opensearch.rewriting import edit_body, replaced
from qidf.engines.opensearch.session import IndexSession
from qidf.errors import InputError, QidfError
from qidf.weighting import Weighting

DFS = "dfs_query_then_fetch"
# A search body that a person or a program wrote is far smaller; larger ones stream through.
MAX_BODY = 1_000_000


@dataclass(frozen=True, slots=True)
class Profile:
    """What a rewrite needs to know of an index."""

    session: IndexSession
    weighting_of: Callable[[str], Weighting]
    capabilities: Capabilities
    num_shards: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A body to send, how many clauses of it changed, why others didn't, whether DFS is needed."""

    text: str
    changed: int
    reasons: tuple[str, ...]
    several_shards: bool = False


def unpacked(body: bytes, encoding: str) -> str:
    """The text of a body, never more of it than is read."""
    if encoding in ("gzip", "x-gzip"):
        packed = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            body = packed.decompress(body, MAX_BODY + 1)
        except zlib.error:
            raise InputError("the body is no gzip.") from None
        if len(body) > MAX_BODY:
            raise too_large()
        # Of several in a row the servers read only the first.
        if not packed.eof or packed.unused_data:
            raise InputError("the body is no gzip, or more than one.")
    elif encoding != "identity":
        raise InputError(f"the body is encoded as {encoding}.")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("the body is not UTF-8.") from None


def too_large() -> InputError:
    """A body that isn't read."""
    return InputError(f"the body is larger than {MAX_BODY:,} bytes.")


def rewrite_search(text: str, profile: Profile) -> Exchange[Outcome]:
    """Rewrite the body of one search."""
    body = parse(text)
    if not isinstance(body, Mapping):
        return Outcome(text, 0, ("the body is no object",))
    if "pit" in body:
        return Outcome(text, 0, ("the index is in a point in time",))
    found = yield from edit_body(profile.session, body, profile.weighting_of, profile.capabilities)
    reasons = tuple(note.message for note in found.notes)
    edits = [(edit.path, replaced(_at(body, edit.path), edit)) for edit in found.edits]
    changed = splice(text, edits) if edits else text
    return Outcome(changed, len(edits), reasons, bool(edits) and profile.num_shards > 1)


@dataclass(frozen=True, slots=True)
class Search:
    """One of several searches in a request: its header line, its body line, its index."""

    header: str
    body: str
    index: str


def split_searches(text: str, index: str) -> list[Search]:
    """Read the pairs of lines that `_msearch` takes."""
    lines = text.split("\n")
    if lines and not lines[-1].strip():
        lines.pop()
    if len(lines) % 2:
        raise InputError("the searches aren't pairs of lines.")
    searches = []
    for header, body in zip(lines[::2], lines[1::2], strict=True):
        asked = parse(header) if header.strip() else {}
        if not isinstance(asked, Mapping):
            raise InputError("the head of a search is no object.")
        named = asked.get("index")
        if isinstance(named, list):
            named = ",".join(map(str, named))
        searches.append(Search(header, body, str(named) if named else index))
    return searches


def with_search_type(header: str) -> str:
    """Ask for exact counts in a search's header line, unless it says what it wants."""
    if not header.strip():
        return f'{{"search_type":"{DFS}"}}'
    found = parse(header)
    if not isinstance(found, Mapping) or "search_type" in found:
        return header
    opening, rest = header.split("{", 1)
    return f'{opening}{{"search_type":"{DFS}"{"," if found else ""}{rest}'


def rewrite_searches(
    searches: list[Search], profiles: Mapping[str, Profile | QidfError], *, dfs: bool
) -> Exchange[Outcome]:
    """Rewrite each search that can be; the others keep their lines."""
    lines = []
    changed = 0
    reasons: list[str] = []
    for search in searches:
        profile = profiles[search.index]
        header, body = search.header, search.body
        if isinstance(profile, QidfError):
            reasons.append(str(profile))
        else:
            try:
                outcome = yield from rewrite_search(search.body, profile)
            except QidfError as error:
                reasons.append(str(error))
            else:
                body = outcome.text
                changed += outcome.changed
                reasons += outcome.reasons
                if dfs and outcome.several_shards:
                    header = with_search_type(header)
        lines += [header, body]
    return Outcome("\n".join([*lines, ""]), changed, tuple(dict.fromkeys(reasons)))


def indices_of(searches: list[Search]) -> list[str]:
    """The distinct indices, patterns and lists that searches name."""
    return list(dict.fromkeys(search.index or EVERYTHING for search in searches))


def _at(body: Any, path: Path) -> Mapping[str, Any]:
    node = body
    for step in path:
        node = node[step]
    if not isinstance(node, Mapping):
        raise InputError("a clause is no object.")
    return node
