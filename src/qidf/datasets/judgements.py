"""Relevance judgements (qrels): BEIR's three columns with a heading, or TREC's four without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from qidf.datasets.records import numbered_lines
from qidf.errors import InputError

# What BEIR and the hub write above the columns.
_HEADING = ("query-id", "query_id")
_BEIR_COLUMNS = 3
_TREC_COLUMNS = 4


class Judgement(NamedTuple):
    """One line: this document has this grade for this query; `place` is where it says so."""

    query_id: str
    doc_id: str
    grade: int
    file: str
    line: int

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}, line {self.line}"


def read_judgements(path: Path) -> list[Judgement]:
    """Read a qrels file; the number of columns tells which of the two forms it has.

    BEIR separates by tabs, so that ids may hold spaces; TREC by any blanks, its second column
    (the iteration) being of no use to anyone.
    """
    return [
        Judgement(query_id, doc_id, _grade(grade, path, number), str(path), number)
        for number, (query_id, doc_id, grade) in _rows(path)
    ]


def from_columns(
    query_ids: Iterable[object], doc_ids: Iterable[object], grades: Iterable[object], file: str
) -> list[Judgement]:
    """Make judgements of three columns, such as those of a parquet file."""
    return [
        Judgement(str(query_id), str(doc_id), _grade(grade, file, number), file, number)
        for number, (query_id, doc_id, grade) in enumerate(
            zip(query_ids, doc_ids, grades, strict=True), 1
        )
    ]


def _rows(path: Path) -> Iterator[tuple[int, tuple[str, str, str]]]:
    for number, raw in numbered_lines(path):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}, line {number}: the line is not UTF-8; mend it") from error
        columns = line.split("\t")
        if len(columns) != _BEIR_COLUMNS:
            columns = line.split()
        if columns[0] in _HEADING and number == 1:
            continue
        if len(columns) == _TREC_COLUMNS:
            query_id, _, doc_id, grade = columns
        elif len(columns) == _BEIR_COLUMNS:
            query_id, doc_id, grade = columns
        else:
            raise InputError(
                f"{path}, line {number}: the line has {len(columns)} columns; write query, document"
                " and grade separated by tabs (BEIR), or query, 0, document and grade (TREC)"
            )
        yield number, (query_id, doc_id, grade)


def _grade(value: object, file: object, number: int) -> int:
    try:
        grade = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        grade = 0.5
    if not grade.is_integer():
        raise InputError(
            f"{file}, line {number}: the grade {value!r} is not a whole number; write 0 for not"
            " relevant and 1 or more for relevant"
        )
    return int(grade)
