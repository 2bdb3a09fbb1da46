"""What a study is: a name, the table of the paper it stands for, and a function that finds out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidf.studies.figures import Figure
from qidf.studies.tables import Table

if TYPE_CHECKING:
    from qidf.studies.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Findings:
    """What a study found: tables, figures, and sentences on what to make of them."""

    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it in JSON's types, for `from_dict`."""
        return {
            "tables": [each.to_dict() for each in self.tables],
            "figures": [each.to_dict() for each in self.figures],
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Findings:
        """Read what `to_dict` wrote."""
        return cls(
            tuple(map(Table.from_dict, saved["tables"])),
            tuple(map(Figure.from_dict, saved["figures"])),
            tuple(saved["notes"]),
        )


def lacks_nothing(bench: Workbench) -> str | None:
    """Any dataset will do."""
    return None


def lacks_collections(bench: Workbench) -> str | None:
    """A single collection is needed, be it code or text."""
    if bench.subjects():
        return None
    return "it takes a test collection such as a BEIR folder, and only tasks of many are given"


def lacks_code(bench: Workbench) -> str | None:
    """A dataset of code is needed."""
    if bench.subjects(text=False):
        return None
    return "it is about code, and no dataset of code is given"


@dataclass(frozen=True, slots=True)
class Study:
    """One experiment.

    `paper` is the table, figure or section it repeats, `question` what it answers, in one line.
    `run` is given a `Workbench` (datasets, settings, cached measurements, progress) and returns
    `Findings`, which have to be the same for the same input: the framework writes and caches them.
    A `timed` study measures this machine and is run anew each time. `lacks` says in a sentence what
    the datasets lack for the study, or nothing: `qidf study all` then leaves it out, and says so.
    """

    name: str
    title: str
    paper: str
    question: str
    run: Callable[[Workbench], Findings]
    timed: bool = False
    lacks: Callable[[Workbench], str | None] = lacks_nothing
