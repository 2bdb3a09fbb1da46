"""Two halves of all questions: settings are chosen on one, runs are measured on the other."""

from __future__ import annotations

import hashlib
from enum import Enum


class Half(Enum):
    """What a question may be used for."""

    CHOOSING = "choosing"
    MEASURING = "measuring"


def half_of(key: str) -> Half:
    """The half of whatever the key names: the same on every machine, whatever else is asked."""
    # The parity of the number that orders the questions: it says nothing about their order.
    digest = hashlib.sha256(key.encode()).digest()
    return Half.MEASURING if digest[5] % 2 else Half.CHOOSING
