"""What every framework is asked about."""

from __future__ import annotations

QUERY = "handleWebSocketUpgrade auth middleware"
TEXTS = [
    "func handleWebSocketUpgrade checks auth",
    "auth middleware checks the token of the request",
    "log middleware writes the request",
    "route table of the server",
    *(f"unrelated words number{number}" for number in range(40)),
]
