"""Numbers for strings.

A `TermTable` numbers strings in the order they are first seen. It is three plain arrays
(`qidf.kernels.interning` says how they are laid out), so that it can be saved, memory-mapped and
searched by a kernel; a few strings are looked up in plain Python, without loading numba.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from qidf.errors import CorruptIndexError, InvalidArgumentError
from qidf.kernels.hashing import PADDING, hash_string

Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]
Slots = npt.NDArray[np.uint32]
TermIds = npt.NDArray[np.int32]
Scalar = TypeVar("Scalar", bound=np.generic)

# Half-full at most while it grows: a hit then takes 1.5 probes and a miss 2.5.
_SLOTS_PER_TERM = 2
# Three quarters full at most once saved, which takes half the room: 2.5 probes and 8.5, all but
# the first of them in the same cache line.
_SAVED_SLOTS_PER_TERM = 4 / 3
_MIN_SLOTS = 16
_MIN_BYTES = 64


class TermTable:
    """Distinct strings, numbered in the order they were first seen."""

    __slots__ = ("_blob", "_num_terms", "_offsets", "_read_only", "_slots")

    def __init__(
        self, blob: Bytes, offsets: Offsets, slots: Slots, num_terms: int, *, read_only: bool
    ) -> None:
        """Take the arrays as they are; use `empty` or `from_arrays`."""
        self._blob = blob
        self._offsets = offsets
        self._slots = slots
        self._num_terms = num_terms
        self._read_only = read_only

    @classmethod
    def empty(cls) -> TermTable:
        """Make a table that can grow."""
        slots = np.zeros(_MIN_SLOTS, np.uint32)
        offsets = np.zeros(_MIN_SLOTS // _SLOTS_PER_TERM + 1, np.int64)
        return cls(np.empty(_MIN_BYTES, np.uint8), offsets, slots, 0, read_only=False)

    @classmethod
    def from_arrays(cls, blob: Bytes, offsets: Offsets, slots: Slots) -> TermTable:
        """Use what `arrays` returned, without copying; the table can't grow, its `copy` can.

        Offsets are checked to rise and slots to name each string once, which kernels rely on;
        `is_sound` says whether each string is found where it is looked for.
        """
        # A memmap's own indexing is several times slower than a plain array's.
        blob, offsets, slots = np.asarray(blob), np.asarray(offsets), np.asarray(slots)
        num_terms = len(offsets) - 1
        if any(array.ndim != 1 for array in (blob, offsets, slots)) or [
            str(array.dtype) for array in (blob, offsets, slots)
        ] != ["uint8", "int64", "uint32"]:
            raise CorruptIndexError("a term table's arrays have other types than it was saved with")
        if num_terms < 0 or offsets[0] != 0 or offsets[-1] + PADDING != len(blob):
            raise CorruptIndexError("a term table's offsets don't span its strings; build it again")
        if len(slots) < _MIN_SLOTS or len(slots) & (len(slots) - 1) or len(slots) <= num_terms:
            raise CorruptIndexError("a term table has an impossible size; build it again")
        _check_offsets(blob, offsets)
        _check_slots(slots, num_terms)
        return cls(blob, offsets, slots, num_terms, read_only=True)

    @classmethod
    def from_tokens(cls, tokens: Sequence[str]) -> TermTable:
        """Number strings in the order given; repeated ones keep their first number."""
        table = cls.empty()
        table.intern(tokens)
        return table

    def copy(self) -> TermTable:
        """Return a table of its own memory, with the same numbers, that can grow."""
        table = TermTable(
            self._blob[: self._num_bytes].copy(),
            self._used_offsets.copy(),
            self._slots,
            self._num_terms,
            read_only=False,
        )
        table._resize(len(self), self._num_bytes)
        return table

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return `blob`, `offsets` and `slots` to save, once the table is complete.

        Equal tables have equal arrays, however they came to be.
        """
        end = self._num_bytes + PADDING
        slots = self._slots
        if not self._read_only:
            self._blob[self._num_bytes : end] = 0
            slots = self._filled_slots(_power_of_two(_SAVED_SLOTS_PER_TERM * len(self)))
        return {"blob": self._blob[:end], "offsets": self._used_offsets, "slots": slots}

    def is_sound(self) -> bool:
        """Whether strings are text, no two are equal, and slots are those they should have."""
        offsets = self._used_offsets
        starts = offsets[:-1][np.diff(offsets) > 0]
        if ((self._blob[starts] & 0xC0) == 0x80).any():
            return False
        try:
            # All of it at once: no string begins within a character.
            self._blob[: self._num_bytes].tobytes().decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return False
        fresh = TermTable.empty()
        fresh.reserve(len(self))
        if not np.array_equal(fresh.intern_table(self), np.arange(len(self))):
            return False
        return np.array_equal(fresh._filled_slots(len(self._slots)), self._slots)

    def __len__(self) -> int:
        return self._num_terms

    def __contains__(self, token: str) -> bool:
        return self._find(token) >= 0

    def __repr__(self) -> str:
        return f"<TermTable of {len(self)} strings>"

    @property
    def read_only(self) -> bool:
        """Whether the table can't grow."""
        return self._read_only

    def token(self, term_id: int) -> str:
        """Return the string that has a number."""
        if not 0 <= term_id < len(self):
            raise InvalidArgumentError(f"no term has number {term_id}; there are {len(self)}")
        return _decode(self._bytes(term_id))

    def tokens(self) -> list[str]:
        """Return all strings in the order of their numbers."""
        bounds = self._used_offsets.tolist()
        # One character a byte, so that bounds stay valid and most slices are done.
        text = self._blob[: bounds[-1]].tobytes().decode("latin-1")
        tokens = [text[start:end] for start, end in pairwise(bounds)]
        return [token if token.isascii() else _decode(token.encode("latin-1")) for token in tokens]

    def lookup(self, tokens: Sequence[str]) -> TermIds:
        """Return the strings' numbers, -1 for unknown ones; plain Python, for a few strings."""
        return np.fromiter(map(self._find, tokens), np.int32, len(tokens))

    def lookup_bulk(self, blob: Bytes, offsets: Offsets) -> TermIds:
        """Return the numbers of strings blob[offsets[i]:offsets[i + 1]], -1 for unknown ones."""
        return self._number(blob, offsets, grow=False)

    def lookup_table(self, other: TermTable) -> TermIds:
        """Return, for each of another table's strings, its number here, or -1."""
        return self._number(other._blob, other._used_offsets, grow=False)

    def intern_table(self, other: TermTable) -> TermIds:
        """Return, for each of another table's strings, its number here, adding those not known."""
        return self._number(other._blob, other._used_offsets, grow=True)

    def intern(self, tokens: Sequence[str]) -> TermIds:
        """Return the strings' numbers, adding those not known."""
        encoded = [token.encode("utf-8", "surrogatepass") for token in tokens]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
        blob: Bytes = np.frombuffer(bytearray().join(encoded), np.uint8)
        return self._number(blob, offsets, grow=True)

    @property
    def _used_offsets(self) -> Offsets:
        return self._offsets[: self._num_terms + 1]

    @property
    def _num_bytes(self) -> int:
        return int(self._offsets[self._num_terms])

    def _bytes(self, term_id: int) -> bytes:
        # `item` is several times faster than an index.
        start, end = self._offsets.item(term_id), self._offsets.item(term_id + 1)
        return self._blob[start:end].tobytes()

    def _find(self, token: str) -> int:
        data = token.encode("utf-8", "surrogatepass")
        value = hash_string(data)
        mask = len(self._slots) - 1
        slot, tag = value & mask, value & ~mask
        for _ in range(mask + 1):
            entry = self._slots.item(slot)
            if entry == 0:
                return -1
            if entry & ~mask == tag and 0 < (entry & mask) <= self._num_terms:
                term_id = (entry & mask) - 1
                if self._bytes(term_id) == data:
                    return term_id
            slot = (slot + 1) & mask
        return -1

    def _number(self, blob: Bytes, offsets: Offsets, *, grow: bool) -> TermIds:
        _check_offsets(blob, offsets)
        padded = np.concatenate([blob[: offsets[-1]], np.zeros(PADDING, np.uint8)])
        return self.number(padded, _writable(offsets)[:-1], np.diff(offsets), grow=grow)

    def number(self, text: Bytes, starts: Offsets, lengths: Offsets, *, grow: bool) -> TermIds:
        """Number the strings text[starts[i]:starts[i] + lengths[i]]; -1 for unknown ones.

        For callers that know their strings to lie inside the text, PADDING bytes before its end.
        """
        from qidf.kernels.interning import intern_strings

        if grow:
            self.require_growth()
        ids = np.empty(len(starts), np.int32)
        done = np.int64(0)
        while True:
            done, num_terms = intern_strings(
                text, starts, lengths, done, int(grow), *self.buffers(), self._num_terms, ids
            )
            self._num_terms = int(num_terms)
            if done == len(ids):
                return ids
            self._reserve(int(lengths[done]))

    def buffers(self) -> tuple[Slots, Bytes, Offsets]:
        """Return slots, blob and offsets with their spare room, for kernels only."""
        return _writable(self._slots), _writable(self._blob), _writable(self._offsets)

    def _reserve(self, num_bytes: int) -> None:
        """Make room for one more string, and twice what is used so far."""
        used = self._num_bytes
        self._resize(2 * len(self) + 1, 2 * used + num_bytes)

    def reserve(self, num_terms: int) -> None:
        """Make room for so many strings in all."""
        self.require_growth()
        self._resize(num_terms, self._num_bytes)

    def require_growth(self) -> None:
        """Refuse to add to arrays that belong to someone else."""
        if self._read_only:
            raise InvalidArgumentError("this term table can't grow; make a copy() and add to that")

    def _resize(self, num_terms: int, num_bytes: int) -> None:
        if num_terms >= 2**31:
            raise InvalidArgumentError("a term table holds at most 2^31 - 1 strings; use several")
        self._blob = _resized(self._blob, max(num_bytes + PADDING, _MIN_BYTES))
        num_slots = _power_of_two(_SLOTS_PER_TERM * num_terms)
        self._offsets = _resized(self._offsets, num_slots // _SLOTS_PER_TERM + 1)
        self._slots = self._filled_slots(num_slots)

    def _filled_slots(self, num_slots: int) -> Slots:
        from qidf.kernels.interning import fill_slots

        slots = np.zeros(num_slots, np.uint32)
        fill_slots(slots, self._blob, self._offsets, self._num_terms)
        return slots


def _power_of_two(least: float) -> int:
    """Return the smallest power of two that is large enough, and a table's minimum at least."""
    return max(_MIN_SLOTS, 1 << (math.ceil(least) - 1).bit_length())


def _writable(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Show a kernel an array as if it could be written to.

    numba compiles a kernel anew for arrays that can't, or not at all if the kernel writes to them
    under any condition. Ours don't write unless told to grow, which `require_growth` guards.
    """
    if array.flags.writeable:
        return array
    interface = dict(array.__array_interface__)
    interface["data"] = (interface["data"][0], False)
    return np.asarray(SimpleNamespace(__array_interface__=interface, owner=array))


def _resized(array: npt.NDArray[Scalar], size: int) -> npt.NDArray[Scalar]:
    larger = np.empty(size, array.dtype)
    larger[: min(size, len(array))] = array[:size]
    return larger


def _check_offsets(blob: Bytes, offsets: Offsets) -> None:
    """Refuse offsets that would lead a kernel outside the blob."""
    if offsets[0] < 0 or offsets[-1] > len(blob) or (offsets[1:] < offsets[:-1]).any():
        raise CorruptIndexError("a term table's offsets are out of order; build it again")


def _check_slots(slots: Slots, num_terms: int) -> None:
    """Refuse slots that name no string, or one of them twice or never."""
    numbers = slots[slots != 0] & np.uint32(len(slots) - 1)
    named = np.zeros(len(slots), bool)
    named[numbers] = True
    if len(numbers) != num_terms or named[0] or not named[1 : num_terms + 1].all():
        raise CorruptIndexError("a term table's slots don't lead to its strings; build it again")


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise CorruptIndexError("a term table holds bytes that aren't text") from error
