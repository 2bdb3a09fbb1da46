"""Document ids as typed: strings, or integers in an index that has those."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidf.index import Index


def as_stored(index: Index, typed: str) -> str | int:
    """The id that the index knows; what is typed when it knows neither form."""
    if typed not in index and typed.removeprefix("-").isdecimal() and int(typed) in index:
        return int(typed)
    return typed
