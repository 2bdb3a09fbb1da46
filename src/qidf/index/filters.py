"""Which documents may be returned: by id, by metadata, or by any predicate."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.index.documents import DocId
from qidf.index.segment import Segment

Predicate = Callable[[Mapping[str, Any]], bool]
Filter = Mapping[str, Any] | Collection[DocId] | Predicate | np.ndarray


class FilterCache:
    """Masks of excluded documents for one state of an index, with metadata fields kept decoded."""

    __slots__ = ("_fields", "_segments")

    def __init__(self, segments: tuple[Segment, ...]) -> None:
        """Serve filters over these segments."""
        self._segments = segments
        self._fields: dict[tuple[int, str], dict[str, np.ndarray]] = {}

    def excluded(self, filter: Filter | None) -> list[np.ndarray | None]:
        """A mask a segment: 1 where a document is deleted or doesn't pass the filter."""
        deleted = [
            None if segment.deletions is None else segment.deletions.deleted
            for segment in self._segments
        ]
        if filter is None:
            return list(deleted)
        return [
            (allowed == 0).astype(np.uint8) if mask is None else (allowed == 0) | mask
            for allowed, mask in zip(self._allowed(filter), deleted, strict=True)
        ]

    def _allowed(self, filter: Filter) -> Iterable[np.ndarray]:
        if isinstance(filter, np.ndarray):
            return self._by_mask(filter)
        if isinstance(filter, Mapping):
            return [self._by_fields(number, filter) for number in range(len(self._segments))]
        if callable(filter):
            return [self._by_predicate(segment, filter) for segment in self._segments]
        if isinstance(filter, Collection) and not isinstance(filter, str | bytes):
            return [self._by_ids(segment, filter) for segment in self._segments]
        raise InvalidArgumentError(
            f"a filter can't be a {type(filter).__name__}; use a mapping of metadata fields, "
            "a collection of ids, a predicate or a boolean array"
        )

    def _by_mask(self, mask: np.ndarray) -> list[np.ndarray]:
        size = sum(segment.size for segment in self._segments)
        if mask.dtype != np.bool_ or mask.shape != (size,):
            raise InvalidArgumentError(
                f"a filter array must hold {size} booleans, one for each stored document, "
                f"not {mask.dtype} of shape {mask.shape}"
            )
        bounds = np.cumsum([0, *(segment.size for segment in self._segments)]).tolist()
        return [mask[start:stop] for start, stop in pairwise(bounds)]

    def _by_fields(self, number: int, wanted: Mapping[str, Any]) -> np.ndarray:
        allowed = np.ones(self._segments[number].size, bool)
        for field, values in wanted.items():
            choices = values if isinstance(values, set | frozenset | list | tuple) else [values]
            index = self._field(number, field)
            mask = np.zeros(len(allowed), bool)
            for value in choices:
                mask[index.get(_key(value), np.empty(0, np.int64))] = True
            allowed &= mask
        return allowed

    def _field(self, number: int, field: str) -> dict[str, np.ndarray]:
        """Documents by the key of their value of a field."""
        if (number, field) not in self._fields:
            segment = self._segments[number]
            grouped: dict[str, list[int]] = {}
            for doc in range(segment.size):
                metadata = segment.metadata[doc]
                if field in metadata:
                    grouped.setdefault(_key(metadata[field]), []).append(doc)
            self._fields[number, field] = {
                value: np.array(docs, np.int64) for value, docs in grouped.items()
            }
        return self._fields[number, field]

    def _by_predicate(self, segment: Segment, predicate: Predicate) -> np.ndarray:
        return np.fromiter(
            (
                bool(predicate({**segment.metadata[doc], "id": segment.ids[doc]}))
                for doc in range(segment.size)
            ),
            bool,
            segment.size,
        )

    def _by_ids(self, segment: Segment, ids: Collection[DocId]) -> np.ndarray:
        allowed = np.zeros(segment.size, bool)
        found = np.array([segment.ids.find(identifier) for identifier in ids], np.int64)
        allowed[found[found >= 0]] = True
        return allowed


def _key(value: Any) -> str:
    """What equal metadata values share; their JSON, since lists and mappings can't be keys."""
    if isinstance(value, np.generic):
        value = value.item()
    # JSON tells 5.0 from 5, which its writers often don't.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        raise InvalidArgumentError(
            f"no metadata can equal a {type(value).__name__}; "
            "filter by strings, numbers, booleans, lists or mappings"
        ) from None
