"""JSON read with the place of an object in the text, so that one can be replaced alone.

Bodies that pass through the proxy keep every byte outside the clauses that change: spaces, the
spelling of numbers, the order and escapes of everything. Reading is the standard library's; only
on the way to what is replaced are names and elements walked over one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NoReturn

from qidf.errors import InputError

Path = Sequence[str | int]

_SPACE = re.compile(r"[ \t\n\r]*")


def parse(text: str) -> Any:
    """Read one JSON document; what the servers refuse (a name twice, NaN) is refused here."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise InputError("the JSON is too deep.") from None
    except ValueError as error:
        # Integers of thousands of digits too, which Python refuses to read.
        raise InputError(f"the text is no JSON: {error}.") from error


def splice(text: str, edits: Sequence[tuple[Path, Any]]) -> str:
    """Replace values at paths by others, leaving every other character as it is."""
    pieces = []
    at = 0
    places = spans(text, [path for path, _ in edits])
    ordered = sorted(zip(places, (value for _, value in edits), strict=True), key=itemgetter(0))
    for (start, end), value in ordered:
        # In ASCII, so that half a pair of surrogates goes out as it came in.
        pieces += [text[at:start], json.dumps(value)]
        at = end
    return "".join([*pieces, text[at:]])


def spans(text: str, paths: Sequence[Path]) -> list[tuple[int, int]]:
    """Where the values at paths begin and end in a document that `parse` has read."""
    found = [(0, 0)] * len(paths)
    # What is looked for below each place, so that nothing is walked over twice.
    waiting = [(_skip(text, 0), [(number, 0) for number in range(len(paths))])]
    while waiting:
        at, wanted = waiting.pop()
        deeper: dict[str | int, list[tuple[int, int]]] = {}
        for number, depth in wanted:
            if depth == len(paths[number]):
                found[number] = (at, _end(text, at))
            else:
                deeper.setdefault(paths[number][depth], []).append((number, depth + 1))
        for name, start in _members(text, at) if deeper else ():
            if name in deeper:
                waiting.append((start, deeper.pop(name)))
                if not deeper:
                    break
    return found


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Names or numbers of an object's or array's values, with where each value begins."""
    named = text[at] == "{"
    number = 0
    at = _skip(text, at + 1)
    while text[at] not in "]}":
        name: str | int = number
        if named:
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        yield name, at
        at = _skip(text, _end(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
        number += 1


def _end(text: str, at: int) -> int:
    return int(_DECODER.raw_decode(text, at)[1])


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object says a name twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
