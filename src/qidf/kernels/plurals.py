"""Fold plurals in a buffer of tokens: `qidf.analysis.plurals` says by which rules.

All rules but one only shorten a token. What becomes `y` can't be written where it is, since a word
and its parts share their bytes; such tokens are spelled anew behind the text.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from qidf.kernels.interning import Integer
from qidf.kernels.jit import jit
from qidf.kernels.tokenize import ATOM, PARTS_BOTH

_MIN_LENGTH = 4
_A, _E, _I, _O = ord("a"), ord("e"), ord("i"), ord("o")
_S, _U, _X, _Y = ord("s"), ord("u"), ord("x"), ord("y")


@jit
def shorten(
    text: npt.NDArray[np.uint8],
    folded: npt.NDArray[np.uint8],
    kinds: npt.NDArray[np.uint8],
    parts: Integer,
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    respelled: npt.NDArray[np.int64],
) -> tuple[Integer, Integer]:
    """Shorten plurals, and list those to be spelled anew; returns their number and their bytes.

    Tokens found elsewhere, behind a byte of kind ATOM, are folded already.
    """
    count, room = np.int64(0), np.int64(0)
    for token in range(len(starts)):
        start, length = starts[token], lengths[token]
        end = start + length
        if length < _MIN_LENGTH or folded[end - 1] != _S:
            continue
        if start > 0 and kinds[text[start - 1]] == ATOM:
            continue
        if parts == PARTS_BOTH and token + 1 < len(starts) and starts[token + 1] < end:
            # A part of this word follows.
            continue
        last, before, third = folded[end - 2], folded[end - 3], folded[end - 4]
        if last != _E:
            if last not in (_U, _S):
                lengths[token] = length - 1
        elif before == _I and length > _MIN_LENGTH and third not in (_A, _E):
            lengths[token] = length - 2
            respelled[count] = token
            count += 1
            room += length - 2
        elif before == _X or (before == _S and third == _S):
            lengths[token] = length - 2
        elif before not in (_A, _E, _O):
            lengths[token] = length - 1
    return count, room


@jit
def respell(
    text: npt.NDArray[np.uint8],
    room: Integer,
    respelled: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
) -> None:
    """Copy tokens, shortened before, to where there is room in the text, and let them end in y."""
    place = room
    for number in range(len(respelled)):
        token = respelled[number]
        start, length = starts[token], lengths[token]
        for at in range(length - 1):
            text[place + at] = text[start + at]
        text[place + length - 1] = _Y
        starts[token] = place
        place += length
