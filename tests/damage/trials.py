"""Trials in processes of their own: one that crashes or hangs is an outcome like any other."""

from __future__ import annotations

import json
import os
import resource
import signal
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from qidf.errors import QidfError

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="tries things in a forked process")
# How many mutations a test tries; the full size is asked for by environment variable.
FULL_SIZE = "QIDF_MUTATIONS"
SECONDS = 60
# What a trial may take beyond what the process has: files tried are a few kilobytes.
MEMORY = 2 << 30
REFUSED, ANSWERED, WRONG, TRACEBACK, CRASH, HANG = (
    "refused", "answered", "wrong", "traceback", "crash", "hang"
)  # fmt: skip
HARMLESS = {REFUSED, ANSWERED}


def number_of_trials(small: int, share: float = 1.0) -> int:
    """How many trials to make: few, or a share of as many as are asked for."""
    asked = os.environ.get(FULL_SIZE)
    return small if asked is None else max(1, round(int(asked) * share))


class Wrong(Exception):  # noqa: N818
    """An answer that isn't the one that follows from what is stored."""


@dataclass(frozen=True)
class Outcome:
    kind: str
    message: str = ""


def tried(work: Callable[[], str]) -> Outcome:
    """Do something that answers or refuses, in a process of its own."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        signal.alarm(SECONDS)
        _limit_memory()
        try:
            kind, message = ANSWERED, work()
        except QidfError as error:
            kind, message = REFUSED, str(error)
            if "\n" in message or not message:
                kind = TRACEBACK
        except Wrong:
            kind, message = WRONG, traceback.format_exc()
        except BaseException:
            kind, message = TRACEBACK, traceback.format_exc()
        os.write(writing, json.dumps([kind, message[-3000:]]).encode())
        os._exit(0)
    os.close(writing)
    data = b""
    while part := os.read(reading, 1 << 16):
        data += part
    os.close(reading)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code == -signal.SIGALRM:
        return Outcome(HANG)
    if code:
        return Outcome(CRASH, f"it ended with {code}")
    return Outcome(*json.loads(data))


def _limit_memory() -> None:
    with suppress(OSError):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


class Tally:
    """What came of trials, and those that did harm."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.harmful: list[str] = []

    def add(self, what: str, outcome: Outcome) -> None:
        """Count an outcome; `what` says how it came about."""
        said = f": {outcome.message}" if outcome.kind == ANSWERED else ""
        self.outcomes[f"{outcome.kind}{said}"] += 1
        if outcome.kind not in HARMLESS:
            self.harmful.append(f"{what}: {outcome.kind} {outcome.message}")

    def check(self, name: str) -> None:
        """Say what came of it, and fail with the first few that did harm."""
        report(name, self.outcomes)
        if self.harmful:
            pytest.fail("\n\n".join([f"{len(self.harmful)} did harm", *self.harmful[:4]]))


def report(name: str, outcomes: Counter[str]) -> None:
    """Say what came of the trials; shown when pytest shows what tests print."""
    print(f"\n{name}: {sum(outcomes.values()):,} tried, {dict(outcomes)}")
