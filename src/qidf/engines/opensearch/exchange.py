"""Requests to a server, kept apart from who sends them.

Whatever takes requests and answers is written once, as a generator that yields a `Request` and is
sent the answer: an engine drives it with the user's own client, the proxy with its event loop.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from qidf.errors import EngineError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """One round trip; `lines` are the JSON documents of an endpoint that takes one per line."""

    method: str
    path: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    lines: Sequence[Mapping[str, Any]] | None = None


Exchange = Generator[Request, Any, T]


class Sender(Protocol):
    """Sends a request and returns the parsed answer; what goes wrong is an EngineError."""

    def send(self, request: Request) -> Any:
        """Send it."""
        ...


def drive(exchange: Exchange[T], sender: Sender) -> T:
    """Send what the exchange asks for until it has its result."""
    try:
        request = next(exchange)
        while True:
            try:
                answer = sender.send(request)
            except EngineError as error:
                # The exchange may know another way.
                request = exchange.throw(error)
            else:
                request = exchange.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result
