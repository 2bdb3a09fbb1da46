"""Whether a query is code or text: repeats are habit in the one and emphasis in the other."""

from __future__ import annotations

from typing import Literal, get_args

from qidf.errors import InvalidArgumentError

Kind = Literal["text", "code"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Characters that code is full of and prose hardly has.
CODE_CHARACTERS = "(){}[];=<>_"
# With at least this share of them a query counts as code. That takes 96 to 100% of the functions of
# six languages and up to 8% of the questions of six text collections.
CODE_SHARE = 0.02


def kind_of(text: str) -> Kind:
    """Say what a query's text is."""
    marks = sum(map(text.count, CODE_CHARACTERS))
    return "code" if marks and marks >= CODE_SHARE * len(text) else "text"


def checked_kind(kind: Kind | None) -> Kind | None:
    """Pass on a kind that exists, or None where it isn't known."""
    if kind is not None and kind not in KINDS:
        raise InvalidArgumentError(
            f"a query can't be of the kind {kind!r}; use 'code', 'text' or None"
        )
    return kind
