"""An open-addressing hash table of strings, kept in plain arrays.

Term i is `blob[offsets[i]:offsets[i + 1]]`. `slots` has 2^n entries, probed one after the other
from `hash mod 2^n`. An empty slot is 0; a used one holds the term's number plus one in its low n
bits and, in the others, the bits of the hash that the position doesn't tell. Those other bits
settle nearly every mismatch without a look at the bytes.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from qidf.kernels.hashing import FNV_BASIS, FNV_PRIME
from qidf.kernels.jit import inline, jit

# What numba holds as a 64-bit integer.
Integer: TypeAlias = int | np.int64


@inline
def hash_bytes(
    text: npt.NDArray[np.uint8],
    start: Integer,
    end: Integer,
    fold: npt.NDArray[np.uint8],
    row: Integer,
) -> np.uint32:
    """Hash text[start:end] after folding each byte through a row of 256 in the fold table."""
    value = np.uint32(FNV_BASIS)
    for position in range(start, end):
        folded = fold[row + text[position]]
        value = np.uint32((value ^ np.uint32(folded)) * np.uint32(FNV_PRIME))
    return value


@inline
def find(
    slots: npt.NDArray[np.uint32],
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    num_terms: Integer,
    text: npt.NDArray[np.uint8],
    start: Integer,
    end: Integer,
    fold: npt.NDArray[np.uint8],
    row: Integer,
    value: np.uint32,
) -> Integer:
    """Return the number of the folded text[start:end], or -1 - slot where it would go.

    Arrays from disk may be damaged: probes are bounded by the table's size, and a slot that names
    no term or an offset outside the blob matches nothing.
    """
    size = len(slots)
    mask = np.uint32(size - 1)
    tag = value & ~mask
    slot = np.uint32(value & mask)
    length = end - start
    for _ in range(size):
        entry = slots[slot]
        if entry == 0:
            return -1 - np.int64(slot)
        if entry & ~mask == tag:
            term = np.int64(entry & mask) - 1
            if 0 <= term < num_terms:
                begin = offsets[term]
                if (
                    begin >= 0
                    and offsets[term + 1] - begin == length
                    and begin + length <= len(blob)
                ):
                    same = True
                    for i in range(length):
                        if blob[begin + i] != fold[row + text[start + i]]:
                            same = False
                            break
                    if same:
                        return term
        slot = np.uint32(slot + np.uint32(1)) & mask
    return -1 - size


@jit
def intern_strings(
    text: npt.NDArray[np.uint8],
    ends: npt.NDArray[np.int64],
    first: Integer,
    grow: Integer,
    fold: npt.NDArray[np.uint8],
    slots: npt.NDArray[np.uint32],
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    num_terms: Integer,
    out: npt.NDArray[np.int32],
) -> tuple[int, Integer]:
    """Number the strings text[ends[i]:ends[i + 1]] from `first` on, -1 for unknown ones.

    With `grow`, unknown strings are added; returns early when one doesn't fit. Returns how many
    strings are done and how many terms there are.
    """
    mask = np.uint32(len(slots) - 1)
    for i in range(first, len(ends) - 1):
        start = ends[i]
        end = ends[i + 1]
        value = hash_bytes(text, start, end, fold, 0)
        term = find(slots, blob, offsets, num_terms, text, start, end, fold, 0, value)
        if term < 0 and grow != 0:
            used = offsets[num_terms]
            if 2 * (num_terms + 1) > len(slots) or used + end - start > len(blob):
                return i, num_terms
            slots[-1 - term] = (value & ~mask) | np.uint32(num_terms + 1)
            for j in range(end - start):
                blob[used + j] = fold[text[start + j]]
            term = num_terms
            num_terms += 1
            offsets[num_terms] = used + end - start
        out[i] = max(term, -1)
    return len(ends) - 1, num_terms


@jit
def fill_slots(
    slots: npt.NDArray[np.uint32],
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    num_terms: Integer,
    fold: npt.NDArray[np.uint8],
) -> None:
    """Enter all terms, known to be distinct, into empty slots."""
    mask = np.uint32(len(slots) - 1)
    for term in range(num_terms):
        value = hash_bytes(blob, offsets[term], offsets[term + 1], fold, 0)
        slot = np.uint32(value & mask)
        while slots[slot] != 0:
            slot = np.uint32(slot + np.uint32(1)) & mask
        slots[slot] = (value & ~mask) | np.uint32(term + 1)
