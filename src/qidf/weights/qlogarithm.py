"""The q-logarithm, ln_q(x) = (x^(1-q) - 1) / (1-q), for any real q."""

from __future__ import annotations

import math
from typing import overload

import numpy as np
from numpy.typing import NDArray

from qidf.errors import InvalidArgumentError

# Closer to 1 than this, q counts as 1 and ln_q is the natural logarithm (paper, numerical
# stability). The expm1 form itself has no cancellation there; the switch avoids 0/0.
Q_ONE_TOLERANCE = 1e-9


def is_one(q: float) -> bool:
    """Whether q is so close to 1 that nothing is deformed."""
    return abs(q - 1.0) < Q_ONE_TOLERANCE


@overload
def qlog(x: float, q: float) -> float: ...


@overload
def qlog(x: NDArray[np.generic], q: float) -> NDArray[np.float64]: ...


def qlog(x: float | NDArray[np.generic], q: float) -> float | NDArray[np.float64]:
    """Return ln_q(x) for positive x: a float for a number, float64 for an array.

    It is computed as expm1((1-q) ln x) / (1-q). A value beyond the range of float64, which for the
    odds of 10^9 documents needs q below -32 or above 34, becomes an infinity of the right sign;
    no warning is given. Arrays agree with numbers to within a few units in the last place.
    """
    q = float(q)
    if not math.isfinite(q):
        raise InvalidArgumentError(f"q must be a finite number, not {q}.")
    if isinstance(x, np.ndarray) and x.ndim > 0:
        return _qlog_array(x, q)
    number = float(x)
    if not number > 0.0:
        raise InvalidArgumentError(f"The q-logarithm needs a positive number, not {number}.")
    return qlog_positive(number, q)


def qlog_positive(x: float, q: float) -> float:
    """Return ln_q(x) for arguments that are known to be in range."""
    if is_one(q):
        return math.log(x)
    exponent = 1.0 - q
    try:
        return math.expm1(exponent * math.log(x)) / exponent
    except OverflowError:
        return math.copysign(math.inf, exponent)


def _qlog_array(x: NDArray[np.generic], q: float) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.asarray(x, dtype=np.float64)
    if not bool(np.all(values > 0.0)):
        raise InvalidArgumentError("The q-logarithm needs positive numbers; the array has others.")
    logs = np.log(values)
    if is_one(q):
        return logs
    exponent = 1.0 - q
    with np.errstate(over="ignore"):
        return np.asarray(np.expm1(exponent * logs) / exponent, dtype=np.float64)
