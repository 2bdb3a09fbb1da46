"""What a token of a query weighs: an idf formula, its q, and what repeats add.

A token said f times that n of N documents hold weighs

    idf(n, N) * (k3 + 1) f / (k3 + f)

with Okapi's k3, or f times its idf where repeats count in full. With evidence (evidence.py), what a
token of code looks like is multiplied in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypedDict

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.native.library import address
from qidf.native.weighing import to_single
from qidf.records import dataclass
from qidf.weighting.evidence import LEARNT, combined
from qidf.weights import (
    IdfFormula,
    LuceneIdf,
    Qlog1p,
    QlogRsj,
    RsjIdf,
    is_one,
    parse_formula,
)

# A millionth of the highest float32: a query of a million tokens still has a finite score.
MAX_WEIGHT = float(np.finfo(np.float32).max) / 2**20
# No positive weight is less, so that times any tf part it is still more than nothing in float32 and
# a document that holds the token is found.
MIN_WEIGHT = 2.0**-96

# Formulas that a q belongs to; the others are complete without.
FAMILIES = {"qlog": QlogRsj, "qlog1p": Qlog1p}

_OPEN: Literal["auto"] = "auto"
_CALL = re.compile(r"\s*([a-z0-9]+)\s*(?:\(([^()]*)\))?\s*")


def _family(formula: object) -> tuple[str | IdfFormula, float | None]:
    """The family of a formula and the q it brings along, or the formula itself and None."""
    if isinstance(formula, str):
        if formula in FAMILIES:
            return formula, None
        formula = parse_formula(formula)
    if not isinstance(formula, IdfFormula):
        raise InvalidArgumentError(
            f"a formula can't be a {type(formula).__name__}; "
            "use one of qidf.weights, or a name such as qlog1p"
        )
    if isinstance(formula, LuceneIdf):
        return "qlog1p", 1.0
    if isinstance(formula, Qlog1p):
        return "qlog1p", formula.q
    if isinstance(formula, QlogRsj) and formula.delta == 0.5:
        # By the formula q = 1 is the classical logarithm; by the paper's convention, Lucene's.
        return (RsjIdf(), None) if is_one(formula.q) else ("qlog", formula.q)
    return formula, None


def _checked_q(q: object) -> float | Literal["auto"] | None:
    if q is None:
        return None
    if q == _OPEN:
        return _OPEN
    try:
        number = float(q)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidArgumentError(f"q must be 'auto' or a finite number, not {q!r}")
    return number


def _checked_k3(k3: object) -> float | Literal["auto"] | None:
    if k3 is None:
        return None
    if k3 == _OPEN:
        return _OPEN
    try:
        number = float(k3)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number) or number < 0:
        raise InvalidArgumentError(
            f"k3 must be 'auto' or a number of at least 0, not {k3!r}; infinity lets every repeat"
            " count in full"
        )
    return None if math.isinf(number) else number


@dataclass(frozen=True, slots=True, repr=False)
class Weighting:
    """An idf formula with its q, and k3; a part that is "auto" is for `decide` to choose.

    `formula` is a family that takes q, "qlog1p" for ln_q(1 + odds) or "qlog" for the paper's
    ln_q(odds), or any other formula or its name, whose q is None. `k3` saturates repeats of a
    token; None or infinity lets every repeat count in full. At q = 1 both families are Lucene's
    idf: the paper rescales nothing there. `evidence` says whether what a token of code looks like
    counts too, which takes weights above zero and so qlog1p. The repr parses back.
    """

    formula: str | IdfFormula = "qlog1p"
    q: float | Literal["auto"] | None = _OPEN
    k3: float | Literal["auto"] | None = _OPEN
    evidence: bool | Literal["auto"] = False

    def __post_init__(self) -> None:
        """Check the parts, and give equal weightings one form."""
        family, own_q = _family(self.formula)
        q = _checked_q(self.q)
        if own_q is not None:
            if isinstance(q, float) and q != own_q:
                raise InvalidArgumentError(f"{self.formula!r} has its own q; leave q = {q:g} out")
            q = own_q
        elif not isinstance(family, str):
            if isinstance(q, float):
                raise InvalidArgumentError(f"{family!r} takes no q; leave q = {q:g} out")
            q = None
        elif q is None:
            q = _OPEN
        if isinstance(q, float) and is_one(q):
            family, q = "qlog1p", 1.0
        object.__setattr__(self, "formula", family)
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "k3", _checked_k3(self.k3))
        if self.evidence not in (True, False, _OPEN):
            raise InvalidArgumentError(
                f"evidence must be true, false or 'auto', not {self.evidence!r}"
            )
        if self.evidence and family != "qlog1p":
            raise InvalidArgumentError(
                "evidence is multiplied into weights above zero, which only qlog1p gives; leave it"
                " out or take that formula"
            )

    def __repr__(self) -> str:
        for name, known in NAMES.items():
            if self == known:
                return name
        parts = [] if self.k3 is None else [f"k3={self.k3}"]
        if self.evidence:
            parts.append(f"evidence={str(self.evidence).lower()}")
        if isinstance(self.formula, str):
            return f"{self.formula}({', '.join([f'q={self.q}', *parts])})"
        name, _, arguments = repr(self.formula).rstrip(")").partition("(")
        parts = [arguments, *parts] if arguments else parts
        return f"{name}({', '.join(parts)})" if parts else name

    def __str__(self) -> str:
        """Say it to people."""
        if self == BM25:
            return "BM25"
        if not isinstance(self.formula, str):
            said = repr(self.formula)
        else:
            said = f"q = {self.q:.3f}" if isinstance(self.q, float) else f"q = {self.q}"
            said += " (paper)" if self.formula == "qlog" else ""
        if self.k3 is not None:
            said += f", k3 = {self.k3}" if self.k3 == _OPEN else f", k3 = {self.k3:g}"
        return f"{said}, evidence" if self.evidence else said

    @property
    def is_open(self) -> bool:
        """Whether a part is still to be decided."""
        return _OPEN in (self.q, self.k3, self.evidence)

    @property
    def is_distinct(self) -> bool:
        """Whether each distinct token counts once, with all its repeats in its weight."""
        return self.k3 is not None or self.evidence is True

    @property
    def is_bm25(self) -> bool:
        """Whether scores are Lucene-variant BM25, bit for bit."""
        return self == BM25

    @property
    def idf(self) -> IdfFormula:
        """The formula with its q."""
        if not isinstance(self.formula, str):
            return self.formula
        if not isinstance(self.q, float):
            raise InvalidArgumentError(f"the q of {self!r} is still open; ask qidf.decide for one")
        return LuceneIdf() if self.q == 1.0 else FAMILIES[self.formula](self.q)

    def repeats(self, counts: np.ndarray) -> np.ndarray:
        """By what a token's idf is multiplied for being said so many times."""
        counts = np.asarray(counts, np.float64)
        if self.k3 is None:
            return counts
        if not isinstance(self.k3, float):
            raise InvalidArgumentError(f"the k3 of {self!r} is still open; ask qidf.decide for one")
        return np.asarray((self.k3 + 1.0) * counts / np.maximum(self.k3 + counts, 1e-300))

    def repeat(self, count: int) -> float:
        """The same for one token."""
        return float(self.repeats(np.array([count]))[0])

    def idfs(self, doc_freqs: np.ndarray, num_docs: int) -> np.ndarray:
        """Each token's idf; 0 where the token occurs nowhere."""
        known = doc_freqs > 0
        found = np.zeros(len(doc_freqs), np.float64)
        found[known] = self.idf.weights(doc_freqs[known], num_docs)
        return found

    def of_tokens(
        self,
        tokens: Sequence[str],
        counts: np.ndarray,
        firsts: np.ndarray,
        doc_freqs: np.ndarray,
        num_docs: int,
    ) -> np.ndarray:
        """What distinct tokens of one query weigh, said so often and first at these positions."""
        weights: np.ndarray = self.idfs(doc_freqs, num_docs) * self.repeats(counts)
        if self.evidence is not True:
            return weights
        return combined(weights, LEARNT.at(LEARNT.of_tokens(tokens, doc_freqs, num_docs), firsts))

    def looks(
        self,
        tokens: Sequence[str],
        counts: np.ndarray,
        firsts: np.ndarray,
        doc_freqs: np.ndarray,
        num_docs: int,
    ) -> np.ndarray:
        """By what evidence multiplies the weights; 1 where it has no say."""
        plain = self.idfs(doc_freqs, num_docs) * self.repeats(counts)
        whole = self.of_tokens(tokens, counts, firsts, doc_freqs, num_docs)
        found: np.ndarray = np.divide(whole, plain, out=np.ones_like(whole), where=plain != 0)
        return found

    def single(self, weights: np.ndarray) -> np.ndarray:
        """Weights as float32, refused where that can't hold them."""
        weights = np.ascontiguousarray(weights, np.float64)
        found = np.empty(weights.shape, np.float32)
        if to_single(address(weights), weights.size, MIN_WEIGHT, MAX_WEIGHT, address(found)):
            raise InvalidArgumentError(
                f"{self.idf!r} gives weights beyond float32 on this index; use a q nearer to 1"
            )
        return found


AUTO = Weighting(evidence=_OPEN)
BM25 = Weighting("qlog1p", 1.0, None)
PAPER = Weighting("qlog", _OPEN, None)
NAMES = {"auto": AUTO, "bm25": BM25, "paper": PAPER}


class Parts(TypedDict, total=False):
    """The keywords that say a weighting, as `wanted` takes them."""

    weighting: str | Weighting
    k3: float | str | None
    formula: str | IdfFormula | None
    evidence: bool | str | None


def parse_weighting(text: str | Weighting) -> Weighting:
    """Return what a name stands for: bm25, paper, auto, or such as `qlog1p(q=0.5, k3=1)`."""
    if isinstance(text, Weighting):
        return text
    call = _CALL.fullmatch(text) if isinstance(text, str) else None
    if call is None:
        raise _unreadable(text)
    name, arguments = call.groups()
    if name in NAMES:
        if arguments is not None:
            raise InvalidArgumentError(f"{name} takes no parameters; write qlog1p(q=0.5, k3=1)")
        return NAMES[name]
    parts = list(filter(None, ("".join(part.split()) for part in (arguments or "").split(","))))
    own: dict[str, Any] = {"k3": None, "evidence": "false"}
    others = []
    for part in parts:
        field, _, value = part.partition("=")
        if field in own and field not in others:
            own[field] = value
        else:
            others.append(part)
    if len(parts) - len(others) > len({part.partition("=")[0] for part in parts} & set(own)):
        raise _unreadable(text)
    own["evidence"] = {"true": True, "false": False}.get(own["evidence"], own["evidence"])
    if name in FAMILIES and others in ([], ["q=auto"]):
        return Weighting(name, _OPEN, **own)
    if name in FAMILIES and len(others) == 1 and others[0].startswith("q="):
        return Weighting(name, others[0][2:], **own)  # type: ignore[arg-type]
    try:
        formula = parse_formula(f"{name}({', '.join(others)})")
    except InvalidArgumentError as error:
        raise InvalidArgumentError(
            f"{text!r} names no weighting ({str(error).rstrip('.')}); write auto, bm25, paper or"
            " such as qlog1p(q=0.5, k3=1)"
        ) from error
    return Weighting(formula, None, **own)


def wanted(
    weighting: str | Weighting = "auto",
    *,
    q: float | str | None = None,
    k3: float | str | None = None,
    formula: str | IdfFormula | None = None,
    evidence: bool | str | None = None,
) -> Weighting:
    """Return a weighting by name with parts of it set on their own; what is None stays.

    q = 1 alone is BM25: repeats then count in full unless k3 is given too. A k3 of infinity lets
    them count in full with any formula. Who sets a part gets a plain formula: evidence that was
    left open is then left out, unless it is asked for.
    """
    chosen = parse_weighting(weighting)
    if any(part not in (None, _OPEN) for part in (q, k3, formula)) and chosen.evidence == _OPEN:
        chosen = replace(chosen, evidence=False)
    if formula is not None:
        chosen = _with_formula(chosen, formula)
    if q is not None:
        chosen = replace(chosen, q=q)  # type: ignore[arg-type]
    if evidence is not None:
        chosen = replace(chosen, evidence=evidence)  # type: ignore[arg-type]
    if k3 is not None:
        return replace(chosen, k3=k3)  # type: ignore[arg-type]
    if chosen.q == 1.0 and chosen.k3 == _OPEN and (q is not None or formula is not None):
        return replace(chosen, k3=None)
    return chosen


def _with_formula(chosen: Weighting, formula: str | IdfFormula) -> Weighting:
    """Another formula; a family keeps the q that was chosen, or leaves it open."""
    if isinstance(formula, str) and formula in FAMILIES:
        return Weighting(formula, chosen.q, chosen.k3, chosen.evidence)
    return Weighting(formula, None, chosen.k3, chosen.evidence)


def _unreadable(text: object) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{text!r} names no weighting; write auto, bm25, paper or such as qlog1p(q=0.5, k3=1)"
    )
