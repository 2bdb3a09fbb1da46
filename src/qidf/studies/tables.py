"""Tables of findings: rows of plain values, shown as Markdown and kept as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qidf.errors import InvalidArgumentError

Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in CSV, its heading in Markdown, and how numbers are written there.

    `spec` is Python's format specification. The convention for the paper's figures is a column
    named paper_<name> with the heading "paper", right after ours.
    """

    name: str
    heading: str = ""
    spec: str = ""

    def text(self, value: Cell) -> str:
        """A value as a reader sees it; nothing for None."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return format(value, self.spec) if self.spec and not isinstance(value, str) else str(value)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; a table that isn't `shown` is raw data, and a `packed` one is gzipped."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    shown: bool = True
    packed: bool = False

    def __post_init__(self) -> None:
        """Check that rows have the width of the table."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InvalidArgumentError(
                    f"a row of the table {self.name} has {len(row)} values for"
                    f" {len(self.columns)} columns; give one for each"
                )

    @property
    def file_name(self) -> str:
        """The file that keeps the values."""
        return f"{self.name}.csv.gz" if self.packed else f"{self.name}.csv"

    def markdown(self) -> str:
        """The table for a reader, without its title; a heading left out is the column's name."""
        lines = [
            _line([column.heading or column.name for column in self.columns]),
            _line(["---:" if column.spec else "---" for column in self.columns]),
        ]
        for row in self.rows:
            lines.append(
                _line([each.text(value) for each, value in zip(self.columns, row, strict=True)])
            )
        return "\n".join(lines)

    def csv(self) -> str:
        """The table for a script, at full precision."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        for row in self.rows:
            writer.writerow(["" if value is None else _exact(value) for value in row])
        return text.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return it in JSON's types, for `from_dict`."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": [[each.name, each.heading, each.spec] for each in self.columns],
            "rows": [list(row) for row in self.rows],
            "note": self.note,
            "shown": self.shown,
            "packed": self.packed,
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Table:
        """Read what `to_dict` wrote."""
        return cls(
            saved["name"],
            saved["title"],
            tuple(Column(*column) for column in saved["columns"]),
            tuple(tuple(row) for row in saved["rows"]),
            saved["note"],
            saved["shown"],
            saved["packed"],
        )


def table(
    name: str,
    title: str,
    columns: Sequence[Column],
    records: Sequence[Mapping[str, Cell]],
    *,
    note: str = "",
    shown: bool = True,
    packed: bool = False,
) -> Table:
    """Make a table from records by column name; what a record lacks stays empty."""
    names = [column.name for column in columns]
    for record in records:
        if unknown := sorted(set(record) - set(names)):
            raise InvalidArgumentError(f"the table {name} has no column {unknown[0]!r}; add it")
    rows = tuple(tuple(record.get(each) for each in names) for record in records)
    return Table(name, title, tuple(columns), rows, note, shown, packed)


def interval(ci95: tuple[float, float] | None) -> str | None:
    """An interval as a cell."""
    return None if ci95 is None else f"[{ci95[0]:+.4f}, {ci95[1]:+.4f}]"


def ratio(part: float, whole: float) -> float | None:
    """How much larger a value is than another, as a share of it; None where that is zero."""
    return part / whole - 1 if whole else None


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _exact(value: str | int | float | bool) -> str:
    return repr(value) if isinstance(value, float) else str(value)
