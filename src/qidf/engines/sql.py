"""A query as SQL with its parameters, for engines that live in a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qidf.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """SQL that gives (id, score), best first; append a LIMIT and run it with the parameters."""

    sql: str
    parameters: tuple[Any, ...]


def quoted(name: str) -> str:
    """A name of a table or column, safe in SQL."""
    return '"' + name.replace('"', '""') + '"'


def condition(filter: Any) -> tuple[str, tuple[Any, ...]]:
    """Read a filter: an SQL condition, or one with its parameters."""
    if isinstance(filter, str):
        return filter, ()
    if isinstance(filter, Sequence) and len(filter) == 2 and isinstance(filter[0], str):
        return filter[0], tuple(filter[1])
    raise InvalidArgumentError(
        "a filter here is an SQL condition, or a pair of one and its parameters, not a"
        f" {type(filter).__name__}."
    )
