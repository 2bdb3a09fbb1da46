"""An open-addressing hash table of strings, kept in plain arrays.

Term i is `blob[offsets[i]:offsets[i + 1]]`; PADDING bytes follow the last one. `slots` has 2^n
entries, probed one after the other from `hash mod 2^n`. An empty slot is 0; a used one holds the
term's number plus one in its low n bits and, in the others, the bits of the hash that the position
doesn't tell. Those other bits settle nearly every mismatch without a look at the bytes.

All kernels that call `find` or `hash_bytes` are here, since numba's cache doesn't notice when
another file changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from qidf.kernels.hashing import FIRST_MULTIPLIER, LAST_MULTIPLIER, PADDING, SECOND_MULTIPLIER
from qidf.kernels.jit import F, jit

# What numba holds as a 64-bit integer.
Integer: TypeAlias = int | np.int64

# By how many bytes are left: what to keep of the first eight, and of the next.
_LOW_MASKS = np.array([2 ** (8 * min(left, 8)) - 1 for left in range(17)], np.uint64)
_HIGH_MASKS = np.array([2 ** (8 * max(left - 8, 0)) - 1 for left in range(17)], np.uint64)


def flat(function: F) -> F:
    """Paste a small function into the kernels that call it: a call costs more than a lookup."""
    compiled = numba.njit(function, cache=True, nogil=True, error_model="numpy", inline="always")
    return cast(F, compiled)


def _load_word(typing_context: Any, array: Any, position: Any) -> Any:
    """Read eight bytes of an array, aligned or not, as a little-endian number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]])
        word = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)
        return word if sys.byteorder == "little" else builder.bswap(word)

    return types.uint64(array, types.int64), generate


# numba's own annotation says that an intrinsic can't be called.
_load = cast(Callable[[npt.NDArray[np.uint8], Integer], np.uint64], intrinsic(_load_word))


@flat
def hash_bytes(text: npt.NDArray[np.uint8], start: Integer, length: Integer) -> np.uint32:
    """Hash text[start:start + length]; PADDING bytes must follow. Twin of `hash_string`."""
    value = np.uint64(length) * np.uint64(FIRST_MULTIPLIER)
    for i in range(0, length, 16):
        left = length - i if length - i < 16 else 16
        low = _load(text, start + i) & _LOW_MASKS[left]
        high = _load(text, start + i + 8) & _HIGH_MASKS[left]
        value = (value ^ low) * np.uint64(FIRST_MULTIPLIER)
        value = (value ^ (value >> np.uint64(32)) ^ high) * np.uint64(SECOND_MULTIPLIER)
        value ^= value >> np.uint64(32)
    return np.uint32((value * np.uint64(LAST_MULTIPLIER)) >> np.uint64(32))


@flat
def find(
    slots: npt.NDArray[np.uint32],
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    num_terms: Integer,
    text: npt.NDArray[np.uint8],
    start: Integer,
    length: Integer,
    value: np.uint32,
) -> Integer:
    """Return the number of text[start:start + length], or -1 - slot where it would go.

    Arrays from disk may be damaged: probes are bounded by the table's size, and a slot that names
    no term or an offset outside the blob matches nothing.
    """
    mask = np.uint32(len(slots) - 1)
    slot = np.uint32(value & mask)
    entry = slots[slot]
    found = np.int64(-1)
    probes = 0
    # One way out of the loop, and no call to max() or min() near: with either, numba counts
    # references to the arrays at every lookup, which takes longer than the lookup.
    while entry != 0 and probes < len(slots):
        difference = np.uint64(1)
        term = np.int64(entry & mask) - 1
        if (entry ^ value) & ~mask == 0 and 0 <= term < num_terms:
            begin = offsets[term]
            fits = begin >= 0 and begin + length + PADDING <= len(blob)
            if fits and offsets[term + 1] - begin == length:
                difference = np.uint64(0)
                for i in range(0, length, 16):
                    left = length - i if length - i < 16 else 16
                    low = _load(blob, begin + i) ^ _load(text, start + i)
                    high = _load(blob, begin + i + 8) ^ _load(text, start + i + 8)
                    difference |= (low & _LOW_MASKS[left]) | (high & _HIGH_MASKS[left])
        if difference == 0:
            found = term
            entry = np.uint32(0)
        else:
            slot = np.uint32(slot + np.uint32(1)) & mask
            entry = slots[slot]
            probes += 1
    if found < 0:
        found = -1 - np.int64(slot)
    return found


@jit
def intern_strings(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    first: Integer,
    grow: Integer,
    slots: npt.NDArray[np.uint32],
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    num_terms: Integer,
    out: npt.NDArray[np.int32],
) -> tuple[np.int64, Integer]:
    """Number the strings that begin at `starts`, from the first given on; -1 for unknown ones.

    With `grow`, unknown strings are added; stops early when one doesn't fit. Returns how many
    strings are done and how many terms there are.
    """
    mask = np.uint32(len(slots) - 1)
    # Without growth, no string needs room.
    room = np.int64(len(blob) - PADDING) if grow != 0 else np.int64(2**62)
    most_terms = np.int64(len(slots) // 2) if grow != 0 else np.int64(2**62)
    i = np.int64(first)
    while i < len(starts) and num_terms < most_terms and offsets[num_terms] + lengths[i] <= room:
        start = starts[i]
        length = lengths[i]
        value = hash_bytes(text, start, length)
        term = find(slots, blob, offsets, num_terms, text, start, length, value)
        if term < 0 and grow != 0:
            slots[-1 - term] = (value & ~mask) | np.uint32(num_terms + 1)
            used = offsets[num_terms]
            for j in range(length):
                blob[used + j] = text[start + j]
            term = num_terms
            num_terms += 1
            offsets[num_terms] = used + length
        out[i] = term if term >= 0 else -1
        i += 1
    return i, num_terms


@jit
def drop_known(
    text: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    num_strings: Integer,
    slots: npt.NDArray[np.uint32],
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    num_terms: Integer,
    atom: Integer,
) -> Integer:
    """Move the strings that aren't in the table to the front; returns how many they are.

    Those behind a byte `atom` stay too: they are what some rule made of a string that isn't.
    """
    kept = np.int64(0)
    for i in range(num_strings):
        start = starts[i]
        length = lengths[i]
        value = hash_bytes(text, start, length)
        term = find(slots, blob, offsets, num_terms, text, start, length, value)
        starts[kept] = start
        lengths[kept] = length
        kept += np.int64(term < 0 or (start > 0 and text[start - 1] == atom))
    return kept


@jit
def fill_slots(
    slots: npt.NDArray[np.uint32],
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    num_terms: Integer,
) -> None:
    """Enter all terms, known to be distinct, into empty slots."""
    mask = np.uint32(len(slots) - 1)
    for term in range(num_terms):
        value = hash_bytes(blob, offsets[term], offsets[term + 1] - offsets[term])
        slot = np.uint32(value & mask)
        while slots[slot] != 0:
            slot = np.uint32(slot + np.uint32(1)) & mask
        slots[slot] = (value & ~mask) | np.uint32(term + 1)
