"""What a server's refusal means for the user, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qidf.errors import EngineError, EngineRejectedError, EngineUnavailableError

# Longest excerpt of a server's own words; some of its messages repeat the whole query.
EXCERPT = 200
UNAVAILABLE = (408, 429, 502, 503, 504)
# What a node says while another one is dying: the next try finds the cluster without it.
LOST_NODE = (
    "node_not_connected_exception",
    "node_disconnected_exception",
    "node_closed_exception",
    "receive_timeout_transport_exception",
    "no_shard_available_action_exception",
)


class LostNodeError(EngineUnavailableError):
    """A node went away between two others; worth another try at once."""


def refusal(status: int, body: Any, server: str) -> EngineError:
    """Translate an answer whose status is an error."""
    kind, reason, index = _cause(body)
    named = f"the index {index!r}" if index else "the index"
    if status == 401:
        return EngineRejectedError(
            f"{server} refuses these credentials; put user:password@ before the host, or pass a"
            " client of your own that signs in."
        )
    if status == 403 and kind == "cluster_block_exception" and "closed" not in reason:
        return EngineRejectedError(f"{server} blocks {named}: {reason}.")
    if status == 403:
        return EngineRejectedError(
            f"{server} doesn't allow these credentials to read {named}; ask for the read privilege"
            f" on it ({reason})."
        )
    if kind == "index_not_found_exception":
        return EngineRejectedError(f"{server} has no index {index!r}; check its name.")
    if kind == "index_closed_exception":
        return EngineRejectedError(f"{named} on {server} is closed; open it first.")
    if kind in LOST_NODE:
        return LostNodeError(f"{server} has just lost a node ({reason}); try again.")
    if status in UNAVAILABLE:
        return EngineUnavailableError(
            f"{server} can't answer now (status {status}: {reason}); try again later."
        )
    return EngineRejectedError(f"{server} refuses the request (status {status}): {reason}.")


def unreachable(server: str, reason: str) -> EngineError:
    """Nobody listens, or the connection broke."""
    return EngineUnavailableError(
        f"{server} can't be reached; check the host, the port and that it runs ({_short(reason)})."
    )


def too_slow(server: str, seconds: object) -> EngineError:
    """No answer in time."""
    within = f" within {seconds} s" if seconds is not None else " in time"
    return EngineUnavailableError(f"{server} gave no answer{within}; raise timeout or try later.")


def _cause(body: Any) -> tuple[str, str, str | None]:
    """The deepest cause a server names: its type, its words, its index."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if isinstance(error, Mapping):
        roots = error.get("root_cause")
        if isinstance(roots, list) and roots and isinstance(roots[0], Mapping):
            error = roots[0]
        deeper = error
        while isinstance(deeper.get("caused_by"), Mapping):
            deeper = deeper["caused_by"]
        reason = str(deeper.get("reason") or error.get("reason") or error.get("type"))
        index = error.get("index")
        return str(error.get("type")), _short(reason), None if index is None else str(index)
    return "", _short(str(error or body or "no reason given")), None


def _short(reason: str) -> str:
    text = " ".join(reason.split()).rstrip(".")
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}..."
