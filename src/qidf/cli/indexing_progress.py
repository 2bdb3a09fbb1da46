"""A bar while files are indexed, and a Ctrl-C that loses nothing."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from qidf.cli.consent import ask_about_many

# A bar for so few would only flicker.
FEW_FILES = 100


class IndexingProgress:
    """Shows how far indexing is, on stderr; `report` is what a repository calls meanwhile."""

    def __init__(self, root: Path, *, agreed: bool) -> None:
        """Show nothing yet; unless it was `agreed`, ask before very many files are read."""
        self._root, self._agreed = root, agreed
        self._bar: Any = None
        self._former: Any = None
        self._interrupted = False

    def __enter__(self) -> IndexingProgress:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave no half a bar behind."""
        self._end()

    def report(self, done: int, total: int) -> None:
        """Note that so many files are done; a KeyboardInterrupt from here keeps them."""
        if total <= FEW_FILES:
            return
        if self._bar is None:
            self._begin(total)
        self._bar.update(done - self._bar.pos)
        if done == total:
            self._end()
        elif self._interrupted:
            self._end()
            click.echo("keeping what was read; the next search goes on from there", err=True)
            raise KeyboardInterrupt

    def _begin(self, total: int) -> None:
        if not self._agreed:
            ask_about_many(self._root, total)
        live = sys.stderr.isatty()
        if not live:
            click.echo(f"indexing {total:,} files", err=True)
        self._bar = click.progressbar(
            length=total, label="Indexing", file=sys.stderr, hidden=not live
        )
        self._bar.__enter__()
        # While files are read an interruption waits for the end of one; before and after that
        # nothing would be kept, and it acts at once.
        if threading.current_thread() is threading.main_thread():
            self._former = signal.signal(signal.SIGINT, self._interrupt)

    def _interrupt(self, number: int, frame: object) -> None:
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True

    def _end(self) -> None:
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)
            self._former = None
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
