"""Formulas by name, so that a configuration can be written down and read back."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

from qidf.errors import InvalidArgumentError
from qidf.weights.formula import IdfFormula
from qidf.weights.gamma import GammaIdf
from qidf.weights.lucene import LuceneIdf
from qidf.weights.qlog1p import Qlog1p
from qidf.weights.qlog_rsj import QlogRsj
from qidf.weights.rsj import RsjIdf

FORMULAS: dict[str, Callable[..., IdfFormula]] = {
    "gamma": GammaIdf,
    "lucene": LuceneIdf,
    "qlog": QlogRsj,
    "qlog1p": Qlog1p,
    "rsj": RsjIdf,
}

_CALL = re.compile(r"\s*(?P<name>[a-z0-9]+)\s*(?:\((?P<arguments>[^()]*)\))?\s*")


def parse_formula(text: str) -> IdfFormula:
    """Return the formula that a name such as `lucene` or `qlog(q=0.5)` stands for."""
    match = _CALL.fullmatch(text)
    if match is None or match["name"] not in FORMULAS:
        names = ", ".join(sorted(FORMULAS))
        raise InvalidArgumentError(
            f"{text!r} names no idf formula; write one of {names}, for example qlog(q=0.5)."
        )
    build = FORMULAS[match["name"]]
    known = inspect.signature(build).parameters
    arguments: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in (match["arguments"] or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in known or name in arguments:
            raise InvalidArgumentError(
                f"{part!r} is no parameter of {match['name']}; it takes"
                f" {', '.join(f'{each}=NUMBER' for each in known) or 'none'}."
            )
        try:
            arguments[name] = float(value)
        except ValueError:
            raise InvalidArgumentError(f"{value!r} in {text!r} is not a number.") from None
    try:
        return build(**arguments)
    except TypeError:
        needed = next(each for each in known if each not in arguments)
        raise InvalidArgumentError(
            f"{text!r} lacks a parameter: write {match['name']}({needed}=NUMBER)."
        ) from None
