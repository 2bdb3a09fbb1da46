"""Whether a query is code or text: repeats are habit in the one and emphasis in the other."""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal, get_args

from qidf.errors import InvalidArgumentError
from qidf.native.weighing import count_marks

Kind = Literal["text", "code"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# What code is full of and prose hardly has: calls, blocks, assignments, ends of statements, arrows,
# joined names, indented lines, brackets that stand alone.
MARK = re.compile(
    r"\w[(\[]|[{}=]|;$|\s;\s|->|=>|::|\w_\w|[^\W\d]\.[^\W\d]|\n[ \t]+\S|\s[()\[\]](?=\s)",
    re.MULTILINE,
)
# A query with one of them in so many characters is code, if it has at least two. That takes 99.8 to
# 100% of functions (Go, JavaScript, Python, Ruby), and none to 2% of the questions of prose
# collections; a share of 2% of punctuation took up to 15% of those.
MARK_EVERY = 40
LEASTMARKS = 2


def kind_of(text: str) -> Kind:
    """Say what a query's text is."""
    text = text.strip()
    needed = max(LEASTMARKS, -(-len(text) // MARK_EVERY))
    # Code has many more than it needs, so that the beginning is enough to tell.
    found = num_marks(text, needed)
    return "code" if found == needed else "text"


def num_marks(text: str, most: int) -> int:
    """Count marks of code up to a number; a loop that knows ASCII finds the same as the pattern."""
    if text.isascii():
        data = text.encode("ascii")
        found: int = count_marks(data, len(data), most)
        return found
    return sum(1 for _ in islice(MARK.finditer(text), most))


def checked_kind(kind: Kind | None) -> Kind | None:
    """Pass on a kind that exists, or None where it isn't known."""
    if kind is not None and kind not in KINDS:
        raise InvalidArgumentError(
            f"a query can't be of the kind {kind!r}; use 'code', 'text' or None"
        )
    return kind
