"""The questions of the API: read from JSON, checked field by field, each a frozen record."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from qidf.errors import InvalidArgumentError
from qidf.index.documents import DocId
from qidf.weighting import AUTO, FAMILIES, NAMES, Weighting, wanted

# A whole file fits; what is longer is a document, not a query.
MAX_QUERY_CHARACTERS = 100_000
MAX_K = 100
DEFAULT_K = 10
# Best values lie between 0.1 and 1 (paper, fig. q-sweep); beyond these ends nothing new happens.
Q_LOWEST, Q_HIGHEST = -1.0, 2.0
# A k3 so large lets every repeat count in full.
MAX_K3 = 1_000_000


class MalformedError(InvalidArgumentError):
    """A body that is no JSON object at all."""


@dataclass(frozen=True, slots=True)
class Question:
    """A text to search for, how it is weighed, how many hits; `id` is a document to explain."""

    query: str
    weighting: Weighting = AUTO
    k: int = DEFAULT_K
    id: DocId | None = None


def read_question(
    body: bytes, *, fields: frozenset[str], required: frozenset[str] = frozenset({"query"})
) -> Question:
    """Read a question that may have these fields."""
    values = _object(body)
    for name in values:
        if name not in fields:
            known = ", ".join(sorted(fields))
            raise InvalidArgumentError(f"there is no field {name[:40]!r} here; use {known}")
    for name in sorted(required):
        if name not in values:
            raise InvalidArgumentError(f"the field {name} is missing; send it")
    return Question(
        _query(values["query"]),
        _weighting(values),
        _k(values.get("k", DEFAULT_K)),
        _id(values["id"]) if "id" in values else None,
    )


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise MalformedError("the body is not JSON; send an object in UTF-8") from None
    if not isinstance(value, dict):
        raise MalformedError("the body is not a JSON object; send one with a query")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _query(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidArgumentError("query must be a string")
    if len(value) > MAX_QUERY_CHARACTERS:
        raise InvalidArgumentError(
            f"query has {len(value):,} characters; send at most {MAX_QUERY_CHARACTERS:,}"
        )
    return value


def _weighting(values: Mapping[str, Any]) -> Weighting:
    """A weighting by name, with parts of it set on their own."""
    readers: dict[str, Callable[[object], Any]] = {
        "weighting": partial(_one_of, "weighting", tuple(NAMES)),
        "q": _q,
        "k3": _k3,
        "formula": partial(_one_of, "formula", tuple(FAMILIES)),
        "evidence": _evidence,
    }
    parts = {field: read(values[field]) for field, read in readers.items() if field in values}
    paper = parts.get("weighting") == "paper"
    if parts.get("evidence") and parts.get("formula", "qlog" if paper else "") == "qlog":
        raise InvalidArgumentError("evidence goes with qlog1p only; leave it out")
    return wanted(**parts)


def _one_of(field: str, names: tuple[str, ...], value: object) -> str:
    if not isinstance(value, str) or value not in names:
        raise InvalidArgumentError(f"{field} must be one of {', '.join(names)}")
    return value


def _evidence(value: object) -> bool | str:
    if value == "auto" or isinstance(value, bool):
        return value
    raise InvalidArgumentError("evidence must be true, false or 'auto'")


def _k3(value: object) -> float | str:
    if value == "auto":
        return "auto"
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_K3:
        raise InvalidArgumentError(f"k3 must be 'auto' or a number from 0 to {MAX_K3:,}")
    return float(value)


def _q(value: object) -> float | str:
    if value == "auto":
        return "auto"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidArgumentError("q must be 'auto' or a number")
    # Compared before it becomes a float, which an integer of a thousand digits can't.
    if not Q_LOWEST <= value <= Q_HIGHEST or not math.isfinite(value):
        raise InvalidArgumentError(f"q must lie between {Q_LOWEST:g} and {Q_HIGHEST:g}")
    return float(value)


def _k(value: object) -> int:
    # 10.0 is a whole number to JSON, so it is one here.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_K:
        raise InvalidArgumentError(f"k must be a whole number from 1 to {MAX_K}")
    return value


def _id(value: object) -> DocId:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str | int) and not isinstance(value, bool):
        return value
    raise InvalidArgumentError("id must be a string or a whole number")
