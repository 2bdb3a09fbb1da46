"""What a rescaled index held before, kept beside its scores so that the bits can come back.

The original array is kept as it is, not computed back: a float32 product can't be divided out
again bit for bit, and a column whose new weight is zero keeps nothing to divide. It costs one more
score array in memory (none when it is memory-mapped).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidf.engines.bm25s_index.matrix import Retriever
from qidf.errors import CorruptIndexError, InvalidArgumentError
from qidf.weights import Qlog1p, QlogRsj, parse_formula

# The record lives in the retriever's own dictionary of score arrays, as a plain dictionary: bm25s
# ignores the key, drops it when it indexes anew, and pickles it without needing qidf.
_KEY = "qidf"


@dataclass(frozen=True, slots=True)
class Original:
    """The scores before rescaling, and the name of the formula they were rescaled to."""

    formula: str
    data: NDArray[np.floating[Any]]
    nonoccurrence: NDArray[np.floating[Any]] | None
    # Of the data as it was saved; None when it never left this process.
    crc32: int | None = None
    file: str | None = None

    def verified(self) -> Original:
        """Check data that came from a file, once, before its bits are trusted."""
        if self.crc32 is None:
            return self
        if checksum(self.data) != self.crc32:
            raise CorruptIndexError(
                f"{self.file} is not what was saved beside the rescaled index, so the original"
                " scores can't come back; build the index again."
            )
        return Original(self.formula, self.data, self.nonoccurrence)

    @property
    def idf(self) -> Qlog1p | QlogRsj:
        """The formula."""
        return checked_formula(parse_formula(self.formula))


def checked_formula(formula: object) -> Qlog1p | QlogRsj:
    """Pass on a formula that scores can be rescaled to; others have no q to tell them by."""
    if not isinstance(formula, Qlog1p | QlogRsj):
        raise InvalidArgumentError(
            f"an index can't be rescaled to {formula!r}; use auto, paper, qlog1p(q=0.5) or"
            " qlog(q=0.5)"
        )
    return formula


def original_of(retriever: Retriever) -> Original | None:
    """Return the record of a rescaled retriever, None for a plain one."""
    record = retriever.scores.get(_KEY)
    return None if record is None else Original(**record)


def keep_original(retriever: Retriever, original: Original) -> None:
    """Put the record beside the scores."""
    record = {name: getattr(original, name) for name in Original.__slots__}
    retriever.scores[_KEY] = record


def forget_original(retriever: Retriever) -> None:
    """Drop the record; the scores are the original ones again."""
    retriever.scores.pop(_KEY, None)


def checksum(array: NDArray[Any]) -> int:
    """Return the CRC-32 of an array's bytes."""
    return zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data)
