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
    # Salted, so that the half has nothing to do with a question's id, which orders the questions.
    digest = hashlib.sha256(f"half:{key}".encode()).digest()
    return Half.CHOOSING if digest[0] % 2 else Half.MEASURING
