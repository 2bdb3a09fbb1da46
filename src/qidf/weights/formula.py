"""What every idf formula can do, and the checks they share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from qidf.errors import InvalidArgumentError


@runtime_checkable
class IdfFormula(Protocol):
    """A term's weight from the number of documents that contain it.

    `weight` uses the math module alone, so its bits don't depend on numpy's vector routines;
    `weights` gives the same bits. The repr parses back with `parse_formula`.
    """

    def weight(self, doc_freq: float, num_docs: int) -> float:
        """Return the weight of a term that occurs in doc_freq of num_docs documents."""
        ...

    def weights(self, doc_freqs: NDArray[np.generic], num_docs: int) -> NDArray[np.float64]:
        """Return the weight of every entry, bit for bit what `weight` gives."""
        ...


def smoothed_odds(doc_freq: float, num_docs: int, delta: float) -> float:
    """Return (N - n + delta) / (n + delta), the odds that a document lacks the term."""
    if not 0 <= doc_freq <= num_docs:
        raise InvalidArgumentError(
            f"doc_freq must lie between 0 and num_docs = {num_docs}, but it is {doc_freq}."
        )
    return float((num_docs - doc_freq + delta) / (doc_freq + delta))


def weights_by_value(
    weight: Callable[[float, int], float], doc_freqs: NDArray[np.generic], num_docs: int
) -> NDArray[np.float64]:
    """Evaluate a scalar weight once for each distinct doc_freq, of which a corpus has few."""
    distinct, position = np.unique(np.asarray(doc_freqs), return_inverse=True)
    values = np.array([weight(value, num_docs) for value in distinct.tolist()], dtype=np.float64)
    return values[position].reshape(np.shape(doc_freqs))


def finite_weight(value: float, formula: object) -> float:
    """Pass a finite weight on; scores made of infinities would rank nothing."""
    if not math.isfinite(value):
        raise InvalidArgumentError(
            f"{formula!r} exceeds the range of float64 on this corpus; take a milder parameter."
        )
    return value


def finite_parameter(name: str, value: float) -> float:
    """Check a parameter that must be a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidArgumentError(f"{name} must be a finite number, not {value!r}.")
    return number


def positive_parameter(name: str, value: float) -> float:
    """Check a parameter that must be a finite number above zero."""
    number = finite_parameter(name, value)
    if number <= 0.0:
        raise InvalidArgumentError(f"{name} must be a number above 0, not {value!r}.")
    return number
