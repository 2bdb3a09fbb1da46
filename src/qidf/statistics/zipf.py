"""The Zipf exponent of a vocabulary, by the package the paper used."""

from __future__ import annotations

import contextlib
import io
import math
import warnings

import numpy as np
from numpy.typing import ArrayLike

from qidf.errors import InvalidArgumentError, MissingExtraError


def zipf_alpha(collection_freqs: ArrayLike) -> float:
    """Fit alpha in p(frequency) ~ frequency^-alpha, xmin by least Kolmogorov-Smirnov distance.

    The paper found it between 1.65 and 1.71 on all six languages and therefore of no use for
    choosing q; it is here so that the feature table can be reproduced.
    """
    try:
        import powerlaw
    except ImportError:
        raise MissingExtraError("powerlaw", "zipf") from None
    frequencies = np.asarray(collection_freqs)
    frequencies = frequencies[frequencies > 0]
    if np.unique(frequencies).size < 2:
        raise InvalidArgumentError(
            "A power law needs at least two different frequencies; this corpus is too small."
        )
    silence = io.StringIO()
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(silence),
        contextlib.redirect_stderr(silence),
    ):
        warnings.simplefilter("ignore")
        alpha = float(powerlaw.Fit(frequencies, discrete=True, verbose=False).power_law.alpha)
    if not math.isfinite(alpha):
        raise InvalidArgumentError(
            "No power law fits these frequencies; this corpus is too small or too uniform."
        )
    return alpha
