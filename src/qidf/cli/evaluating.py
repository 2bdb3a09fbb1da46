"""What `qidf eval` shows and writes: how far reading is, the table, run files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidf.cli.terminal import bold, dim, printable

if TYPE_CHECKING:
    from qidf.evaluation import Collection, Evaluation, Row, Settings, System


@contextmanager
def byte_progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar for bytes done of bytes in all, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(max(done - bar.pos, 0))

        yield show


class RunFiles:
    """One TREC run file for each system, named after it where there are several."""

    def __init__(self, path: Path, systems: Sequence[System], settings: Settings) -> None:
        """Write below this name; hand `add` to `evaluate` as its `on_collection`."""
        self._settings = settings
        several = len(systems) > 1
        self.paths = {
            system: path.with_name(f"{path.stem}.{system.name}{path.suffix}") if several else path
            for system in systems
            if "/" not in system.name
        }
        self._begun = False

    def add(self, collection: Collection) -> None:
        """Rank one collection's queries by every system."""
        from qidf.evaluation import write_run

        for system, path in self.paths.items():
            run = system.run(collection, self._settings.depth)
            write_run(run, path, append=self._begun)
        self._begun = True


def table(evaluation: Evaluation) -> str:
    """The evaluation for a person: what was asked, a line for each system, the better ones bold."""
    measures = [str(measure) for measure in evaluation.settings.measures]
    heading = ["", *measures, "delta", "", "95% interval", ""]
    rows = [[*_cells(row, measures, evaluation.baseline)] for row in evaluation.rows]
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    lines = [dim(_line(heading, widths))]
    for row, cells in zip(evaluation.rows, rows, strict=True):
        line = _line(cells, widths)
        lines.append(bold(line) if row.comparison.ci95[0] > 0 else line)
    return "\n".join([_introduction(evaluation), "", *lines])


def _introduction(evaluation: Evaluation) -> str:
    hidden = evaluation.num_hidden
    return (
        f"{bold(printable(evaluation.dataset))}: {evaluation.num_docs:,} documents,"
        f" {evaluation.num_queries:,} queries, htok {evaluation.htok:.4f},"
        f" predicted q {evaluation.q_pred:.3f}"
        + (f", {hidden:,} identical ids dropped" if hidden else "")
    )


def _cells(row: Row, measures: Sequence[str], baseline: Row) -> Iterator[str]:
    yield _label(row)
    for name in measures:
        yield f"{row.mean(name):.4f}"
    if row.name in (baseline.name, "bm25"):
        yield from ("", "", "", "BM25")
        return
    low, high = row.comparison.ci95
    base = baseline.mean(measures[0])
    yield f"{row.comparison.delta:+.4f}"
    yield f"{row.comparison.delta / base:+.1%}" if base else ""
    yield f"[{low:+.4f}, {high:+.4f}]"
    yield row.comparison.p_text + (f", {row.failed:,} failed" if row.failed else "")


def _label(row: Row) -> str:
    """A row's name, with the q that was used where the name doesn't say it."""
    if row.q is None or row.name not in ("q=auto", "auto", "paper"):
        return printable(row.name)
    return f"{row.name.removeprefix('q=')}, q={row.q:.3f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others, last = [
        cell.ljust(width) if at in (0, len(cells) - 1) else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join([first, *others, last]).rstrip()
