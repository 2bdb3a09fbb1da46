"""How many threads loops run on; results are the same to the bit whatever the number."""

from __future__ import annotations

import os

from qidf.errors import InvalidArgumentError

VARIABLE = "QIDF_THREADS"


def num_threads(asked: int | None = None) -> int:
    """The number asked for, or else the variable's, or one for each processor."""
    if asked is not None:
        if isinstance(asked, bool) or not isinstance(asked, int) or asked < 1:
            raise InvalidArgumentError(f"threads must be a number of at least 1, not {asked!r}")
        return asked
    named = os.environ.get(VARIABLE, "").strip()
    if not named:
        return available_processors()
    if not named.isdecimal() or int(named) < 1:
        raise InvalidArgumentError(f"{VARIABLE} must be a number of at least 1, not {named!r}")
    return int(named)


def available_processors() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # pragma: no cover
        return os.cpu_count() or 1
