"""How far a study is, on stderr: a bar on a terminal, a line for each study that is done."""

from __future__ import annotations

import sys
import time
from types import TracebackType

import click

from qidf.cli.terminal import clip, dim, printable, width

_BAR = 24
_WIDTH = 80


class StudyProgress:
    """A bar for the study that is running, and a line for each that is done."""

    def __init__(self) -> None:
        """Find out whether there is a terminal."""
        self._live = sys.stderr.isatty()
        self._name = ""
        self._since = 0.0

    def __enter__(self) -> StudyProgress:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave no half a bar behind."""
        self._clear()

    def begin(self, name: str) -> None:
        """Begin a study."""
        self._name, self._since = name, time.monotonic()
        self.show("", 0, 1)

    def show(self, what: str, done: int, total: int) -> None:
        """Draw the bar."""
        if not self._live:
            return
        filled = _BAR * done // max(total, 1)
        bar = "#" * filled + "-" * (_BAR - filled)
        line = f"{self._name} [{bar}] {done}/{total} {printable(what)}"
        # A terminal that doesn't know its width says 0.
        click.echo("\r\x1b[K" + clip(line, (width() or _WIDTH) - 1), err=True, nl=False)

    def end(self, page: str) -> None:
        """Say where the study's page is."""
        self._clear()
        seconds = time.monotonic() - self._since
        click.echo(f"{self._name}: {printable(page)} {dim(f'({seconds:.1f} s)')}", err=True)

    def _clear(self) -> None:
        if self._live:
            click.echo("\r\x1b[K", err=True, nl=False)
