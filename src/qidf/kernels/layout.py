"""The groups of arrays that search kernels take."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# Scalars in kernels take the width of the arrays they come from; numba infers it, mypy can't.
Real = Any
Whole = Any


class Postings(NamedTuple):
    """A segment: term t is in docs[starts[t]:starts[t+1]], tfs times; documents have lengths."""

    starts: np.ndarray
    docs: np.ndarray
    tfs: np.ndarray
    lengths: np.ndarray


class Queries(NamedTuple):
    """Query i has the tokens names[offsets[i]:offsets[i+1]]; name n is term terms[n], or -1.

    Each position has a weight of its own; a token that a query says again may be there again.
    """

    names: np.ndarray
    offsets: np.ndarray
    terms: np.ndarray
    weights: np.ndarray
