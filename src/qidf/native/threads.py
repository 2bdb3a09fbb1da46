"""How many threads loops run on, and sharing them out; results are the same whatever the number.

Calls into the library let go of the interpreter's lock, so that plain threads suffice.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from qidf.errors import InvalidArgumentError

VARIABLE = "QIDF_THREADS"
# Shares of the work to a thread: one that is held up leaves its next ones to the others.
SHARES = 8


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


def run(work: Callable[[int, int], None], size: int, least: int, threads: int) -> None:
    """Do `work(first, last)` for all of `size` in parts of at least `least`, on several threads.

    The calling thread is one of them. Which thread does a part must not matter to what it does.
    """
    threads = min(threads, size // least)
    if threads < 2:
        work(0, size)
        return
    share = max(least, -(-size // (threads * SHARES)))
    shares = iter(range(0, size, share))
    lock = threading.Lock()
    failures: list[BaseException] = []

    def help_out() -> None:
        while not failures:
            with lock:
                first = next(shares, None)
            if first is None:
                return
            try:
                work(first, min(first + share, size))
            except BaseException as error:
                failures.append(error)

    helpers = [threading.Thread(target=help_out) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    help_out()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
