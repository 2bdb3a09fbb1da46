"""What the command tests share: documents, and the type of a runner."""

from __future__ import annotations

from collections.abc import Callable

from click.testing import Result

Run = Callable[..., Result]

RECORDS = [
    {"_id": "ws", "title": "Upgrade", "text": "func handleWebSocketUpgrade checks auth"},
    {"_id": "auth", "title": "Auth", "text": "auth middleware checks the token of the request"},
    {"_id": "log", "title": "", "text": "the request log middleware writes a line"},
    {"_id": "empty", "text": ""},
    # Words in half of the documents or more count for nothing at q below 1; these keep them rare.
    *({"_id": f"other{number}", "text": f"unrelated words {number:03}"} for number in range(8)),
]
