"""Where an identifier breaks into parts.

| identifier           | parts                    | because                                      |
|----------------------|--------------------------|----------------------------------------------|
| `handleWebSocket`    | handle, Web, Socket      | a capital after a small letter begins a part |
| `max_retry_count`    | max, retry, count        | anything but a letter or digit separates     |
| `sha256sum`          | sha, 256, sum            | digits stand apart from letters              |
| `HTTPServer`         | HTTP, Server             | the last capital of a run begins a word      |
| `userIDs`            | user, IDs                | unless all that follows is a plural s        |
| `数据Base`           | 数据, Base               | letters without case stand apart             |
| `x1`, `a_b`          | (none)                   | parts shorter than two characters are noise  |
"""

from __future__ import annotations

import re

# The word pattern keeps words of at least two characters; parts obey the same minimum, since
# single letters and digits (`i18n`, `utf8`, `tStart`) match nearly everything.
MIN_PART_LENGTH = 2

# A letter that stands for every letter without case in the shape of a word.
_CASELESS = "文"

_PART = re.compile(f"[A-Z]{{2,}}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|{_CASELESS}+")


def split_identifier(word: str) -> list[str]:
    """Return the parts of a word in order, as written, without those that are too short."""
    shape = word if word.isascii() else word.translate(_SHAPES)
    # Most words are of one piece: small letters, perhaps behind a capital.
    if shape[1:].islower() and shape.isalpha() and shape.isascii():
        return [word]
    return [
        word[match.start() : match.end()]
        for match in _PART.finditer(shape)
        if match.end() - match.start() >= MIN_PART_LENGTH
    ]


def _shape(character: str) -> str:
    """Replace a character by an ASCII one of its kind, so that one pattern serves all scripts."""
    if character.isascii():
        return character
    if not character.isalnum():
        return " "
    if not character.isalpha():
        return "0"
    if character.isupper() or character.istitle():
        return "A"
    return "a" if character.islower() else _CASELESS


class _Shapes(dict[int, str]):
    """The shapes of characters by their codes, each found once."""

    def __missing__(self, code: int) -> str:
        self[code] = shape = _shape(chr(code))
        return shape


_SHAPES = _Shapes()
