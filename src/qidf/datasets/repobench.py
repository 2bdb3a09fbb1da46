"""RepoBench-R: find, among a handful of snippets, the one that the next line of a file needs.

Layout after the dataset card of tianyang/repobench-r: subsets python_cff, python_cfr, java_cff and
java_cfr, each with the splits train_easy, train_hard, test_easy and test_hard. The card's own files
are pickles, which run code when they are read, so the hub's conversion to parquet is read instead
(revision refs/convert/parquet). A row has the code so far, its candidate snippets (`context`), and
which of them is the right one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qidf.datasets.beir import DEFAULT_SPLIT
from qidf.datasets.dataset import Dataset, Texts
from qidf.datasets.hub import Snapshot, read_parquet, take_snapshot
from qidf.datasets.task import Task
from qidf.errors import InputError, InvalidArgumentError

LANGUAGES = ("python", "java")
SETTINGS = ("cff", "cfr")
LEVELS = ("easy", "hard")
_REPO = "tianyang/repobench-r"
_REVISION = "refs/convert/parquet"
# The card says golden_snippet_index, RepoBench's own code gold_snippet_index.
_GOLD = "golden_snippet_index|gold_snippet_index"


class RepoBench(Task):
    """One of the eight cells; every row is a dataset of its own few candidates.

    The query is the code before the line to complete: all of it, or its last `lines` (RepoBench's
    own retrievers use 3 or 10).
    """

    def __init__(
        self,
        language: str,
        setting: str,
        level: str,
        *,
        split: str = DEFAULT_SPLIT,
        lines: int | None = None,
        hub_folder: str | Path | None = None,
    ) -> None:
        """Choose a cell, such as python, cff, easy."""
        for what, value, known in (
            ("language", language, LANGUAGES),
            ("setting", setting, SETTINGS),
            ("level", level, LEVELS),
        ):
            if value not in known:
                raise InvalidArgumentError(
                    f"RepoBench-R has no {what} {value!r}; choose from {', '.join(known)}"
                )
        if lines is not None and lines < 1:
            raise InvalidArgumentError(f"a query has 1 line or more, not {lines}")
        subset, part = f"{language}_{setting}", f"{split}_{level}"
        self._patterns = (f"{subset}/{part}/*.parquet", f"{subset}/*{part}*.parquet")
        self._lines = lines
        self._hub_folder = hub_folder
        name = f"repobench-r:{language}/{setting}/{level}"
        super().__init__(
            name if split == DEFAULT_SPLIT else f"{name}/{split}",
            f"{_REPO}, {subset}, {part}, "
            + ("all code so far" if lines is None else f"the last {lines} lines")
            + " as query",
        )

    def __iter__(self) -> Iterator[Dataset]:
        """Read row by row."""
        self.skipped.clear()
        snapshot = take_snapshot(_REPO, self._patterns, folder=self._hub_folder, revision=_REVISION)
        for path in snapshot.files(*self._patterns):
            columns = read_parquet([path], ["context", "code", _GOLD])
            for number, (context, code, gold) in enumerate(zip(*columns.values(), strict=True), 1):
                if not 0 <= gold < len(context):
                    raise InputError(
                        f"{path}, row {number}: snippet {gold} is right but there are only"
                        f" {len(context)}; get the file again"
                    )
                yield self._dataset(snapshot, f"{path.stem}:{number}", context, code, int(gold))

    def _dataset(
        self, snapshot: Snapshot, row: str, context: list[Any], code: str, gold: int
    ) -> Dataset:
        if self._lines is not None:
            code = "\n".join(code.rstrip().split("\n")[-self._lines :])
        return Dataset(
            self.name,
            f"{self.provenance}, from {snapshot}",
            Texts([f"snippet{at}" for at in range(len(context))], [str(each) for each in context]),
            Texts([row], [code]),
            {row: {f"snippet{gold}": 1}},
        )
