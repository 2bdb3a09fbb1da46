"""The hash that term tables use, in plain Python; the kernels compute the same.

It takes sixteen bytes a step, so that nearly every word needs exactly one: a processor guesses
badly when to leave a loop that runs once or twice. Its values are part of the index format: never
change them.
"""

from __future__ import annotations

# Odd 64-bit constants with well-mixed bits: the fraction of the golden ratio, and two that spread
# every input bit over the upper output bits, where the result is taken.
FIRST_MULTIPLIER = 0x9E3779B97F4A7C15
SECOND_MULTIPLIER = 0xD6E8FEB86659FD93
LAST_MULTIPLIER = 0xFF51AFD7ED558CCD
# Kernels read strings a step at a time, so the last read may reach this far past the end: so much
# room follows the last string of every buffer, on disk too.
PADDING = 16
_WORD = 0xFFFFFFFFFFFFFFFF


def hash_string(data: bytes) -> int:
    """Return 32 bits; `qidf.kernels.interning.hash_bytes` is its twin."""
    value = len(data) * FIRST_MULTIPLIER & _WORD
    for start in range(0, len(data), 16):
        low = int.from_bytes(data[start : start + 8], "little")
        high = int.from_bytes(data[start + 8 : start + 16], "little")
        value = (value ^ low) * FIRST_MULTIPLIER & _WORD
        value = (value ^ value >> 32 ^ high) * SECOND_MULTIPLIER & _WORD
        value ^= value >> 32
    return (value * LAST_MULTIPLIER & _WORD) >> 32
