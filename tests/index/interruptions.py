"""Stopping a commit at any of its steps: every write, flush, renaming and removal of a file."""

from __future__ import annotations

import builtins
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Any
from unittest import mock

import pytest

from qidf.index import files

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process")
Action = Callable[[str], None]
FSYNC = os.fsync


class Steps:
    """Counts a commit's steps and acts on one of them, half-way through if it is a write."""

    def __init__(self, stop_at: int | None, action: Action) -> None:
        self.names: list[str] = []
        self._stop_at, self._action = stop_at, action

    def reach(self, name: str) -> bool:
        """Count a step; whether it is the one to act on."""
        self.names.append(name)
        return len(self.names) == self._stop_at

    def act(self, name: str) -> None:
        self._action(name)

    def before(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that counts as a step each time it is called."""

        def counted(*arguments: Any, **options: Any) -> Any:
            if self.reach(name):
                self.act(name)
            return function(*arguments, **options)

        return counted

    def open(self, path: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        file = builtins.open(path, mode, *arguments, **options)  # noqa: SIM115
        if "r" in mode:
            return file
        if self.reach("open"):
            file.close()
            self.act("open")
        return _WrittenInSteps(file, self)


class _WrittenInSteps:
    """A file whose every write is a step; a write that is stopped leaves half of its bytes."""

    def __init__(self, file: IO[bytes], steps: Steps) -> None:
        self._file, self._steps = file, steps

    def write(self, data: Any) -> int:
        if self._steps.reach("write"):
            view = memoryview(data).cast("B")
            self._file.write(view[: len(view) // 2])
            self._file.flush()
            self._steps.act("write")
        return self._file.write(data)

    def __enter__(self) -> _WrittenInSteps:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def interrupted(
    stop_at: int | None, action: Action, calls: Sequence[str] = ("fsync", "replace", "unlink")
) -> Iterator[Steps]:
    """Act on step number `stop_at` of whatever is committed meanwhile, or only count."""
    steps = Steps(stop_at, action)
    with ExitStack() as stack:
        for name in calls:
            counted = steps.before(name, getattr(os, name))
            stack.enter_context(mock.patch.object(os, name, counted))
        stack.enter_context(mock.patch.object(files, "open", steps.open, create=True))
        yield steps


@contextmanager
def unflushed() -> Iterator[None]:
    """Commits that don't wait for the disk; only a power cut could tell the difference."""
    with mock.patch.object(os, "fsync"):
        yield


@contextmanager
def flushed() -> Iterator[None]:
    """Commits as they are."""
    with mock.patch.object(os, "fsync", FSYNC):
        yield


def count_steps(change: Callable[[], object]) -> int:
    with interrupted(None, lambda name: None) as steps:
        change()
    return len(steps.names)


def die(_: str) -> None:
    """End this process as kill -9 does, with no chance to tidy up."""
    os.kill(os.getpid(), signal.SIGKILL)


def fork(work: Callable[[], object]) -> int:
    """Start a process that does this and nothing else; return its number."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def wait(process: int) -> int:
    """How a forked process ended: its exit code, or minus the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
