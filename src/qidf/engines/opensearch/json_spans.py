"""JSON read with the place of every object in the text, so that one can be replaced alone.

Bodies that pass through the proxy keep every byte outside the clauses that change: spaces, the
spelling of numbers, the order and escapes of everything.
"""

from __future__ import annotations

import json
import re
from typing import Any

from qidf.errors import InputError

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_STRINGS = json.JSONDecoder()
_WORDS = {"true": True, "false": False, "null": None}
# The servers' own limit on depth is 1000; a body that deep is no search anyone wrote.
MAX_DEPTH = 200
# Python refuses to read integers of more than 4,300 digits.
MAX_DIGITS = 4_000


class Spanned(dict[str, Any]):
    """An object and where it is: `text[start:end]` is its JSON."""

    __slots__ = ("end", "start")

    start: int
    end: int


def parse(text: str) -> Any:
    """Read one JSON document; objects are `Spanned`."""
    value, end = _value(text, _skip(text, 0), 0)
    if _skip(text, end) != len(text):
        raise InputError(f"there is more after the JSON document, at character {end}.")
    return value


def splice(text: str, edits: list[tuple[Spanned, Any]]) -> str:
    """Replace objects by other values, leaving every other character as it is."""
    pieces = []
    at = 0
    for node, value in sorted(edits, key=lambda edit: edit[0].start):
        pieces += [text[at : node.start], json.dumps(value, ensure_ascii=False)]
        at = node.end
    return "".join([*pieces, text[at:]])


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > MAX_DEPTH:
        raise InputError(f"the JSON is more than {MAX_DEPTH} levels deep.")
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at, depth)
    if first == "[":
        return _array(text, at, depth)
    if first == '"':
        return _string(text, at)
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return value, at + len(word)
    number = _NUMBER.match(text, at)
    if number is None:
        raise InputError(f"there is no JSON value at character {at}.")
    whole = number[1] is None and number[2] is None
    return (int if whole and len(number[0]) < MAX_DIGITS else float)(number[0]), number.end()


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = _STRINGS.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise InputError(f"the JSON string at character {at} is broken: {error.msg}.") from error
    return str(value), end


def _object(text: str, at: int, depth: int) -> tuple[Spanned, int]:
    found = Spanned()
    found.start = at
    at = _skip(text, at + 1)
    if text[at : at + 1] != "}":
        while True:
            if text[at : at + 1] != '"':
                raise InputError(f"a name is missing in the JSON at character {at}.")
            name, at = _string(text, at)
            if name in found:
                raise InputError(f"the JSON says {name!r} twice in one object.")
            at = _expect(text, at, ":")
            found[name], at = _value(text, _skip(text, at), depth + 1)
            at = _skip(text, at)
            if text[at : at + 1] == "}":
                break
            at = _skip(text, _expect(text, at, ","))
    found.end = at + 1
    return found, found.end


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return found, at + 1
    while True:
        value, at = _value(text, _skip(text, at), depth + 1)
        found.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return found, at + 1
        at = _expect(text, at, ",")


def _expect(text: str, at: int, mark: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != mark:
        raise InputError(f"the JSON lacks a {mark!r} at character {at}.")
    return at + 1
