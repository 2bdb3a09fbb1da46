"""Numbers for strings.

A `TermTable` numbers strings in the order they are first seen. It is three plain arrays (`qidf.h`
says how they are laid out), so that it can be saved, memory-mapped and searched as it is.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from qidf.errors import CorruptIndexError, InvalidArgumentError
from qidf.native.analysis import (
    PADDING,
    Strings,
    Table,
    fill_slots,
    find_prefixes,
    hash_strings,
    intern,
    look_up,
    look_up_terms,
)
from qidf.native.library import address

Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint32]
TermIds = npt.NDArray[np.int32]
Scalar = TypeVar("Scalar", bound=np.generic)

# Half-full at most while it grows: a hit then takes 1.5 probes and a miss 2.5.
_SLOTS_PER_TERM = 2
# Three quarters full at most once saved, which takes half the room: 2.5 probes and 8.5, all but
# the first of them in the same cache line.
_SAVED_SLOTS_PER_TERM = 4 / 3
_MIN_SLOTS = 16
# What a table begins with: enough for nearly every query.
_FIRST_TERMS = 256
_FIRST_BYTES = 1 << 12


class StringBuffer:
    """Strings text[starts[i]:starts[i] + lengths[i]] with their hashes, as loops read them."""

    __slots__ = ("_native", "address", "hashes", "lengths", "starts", "text")

    def __init__(self, text: Bytes, starts: Offsets, lengths: Words, hashes: Words) -> None:
        """Take the arrays as they are; PADDING bytes follow the last string in the text."""
        self.text, self.starts, self.lengths, self.hashes = text, starts, lengths, hashes
        self._native = Strings(address(text), address(starts), address(lengths), address(hashes))
        self.address = ctypes.addressof(self._native)

    @classmethod
    def from_tokens(cls, tokens: Sequence[str]) -> StringBuffer:
        """Copy strings, one behind the other."""
        encoded = [token.encode("utf-8", "surrogatepass") for token in tokens]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(token) for token in encoded], out=offsets[1:])
        encoded.append(bytes(PADDING))
        return cls.from_offsets(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    @classmethod
    def from_offsets(cls, text: Bytes, offsets: Offsets) -> StringBuffer:
        """Strings text[offsets[i]:offsets[i + 1]], PADDING bytes behind the last."""
        _check_offsets(text, offsets)
        lengths = np.diff(offsets).astype(np.uint32)
        hashes = np.empty(len(lengths), np.uint32)
        hash_strings(text, offsets, lengths, len(lengths), hashes)
        return cls(text, offsets, lengths, hashes)

    def __len__(self) -> int:
        """How many strings there are, or there is room for."""
        return len(self.hashes)


class TermTable:
    """Distinct strings, numbered in the order they were first seen."""

    __slots__ = ("_blob", "_hashes", "_native", "_offsets", "_slots", "address")

    def __init__(
        self, blob: Bytes, offsets: Offsets, slots: Words, hashes: Words | None, num_terms: int
    ) -> None:
        """Take the arrays as they are; use `empty` or `from_arrays`."""
        self._hold(blob, offsets, slots, hashes, num_terms)

    @classmethod
    def empty(cls) -> TermTable:
        """Make a table that can grow."""
        offsets = np.empty(_FIRST_TERMS + 1, np.int64)
        offsets[0] = 0
        return cls(
            np.empty(_FIRST_BYTES, np.uint8),
            offsets,
            np.zeros(_FIRST_TERMS * _SLOTS_PER_TERM, np.uint32),
            np.empty(_FIRST_TERMS, np.uint32),
            0,
        )

    @classmethod
    def from_arrays(cls, blob: Bytes, offsets: Offsets, slots: Words) -> TermTable:
        """Use what `arrays` returned, without copying; the table can't grow, its `copy` can.

        Offsets are checked to rise, which loops rely on, and slots to be those that the strings
        have: each is found where it is looked for, or a table would hide what it holds.
        """
        # A memmap's own indexing is several times slower than a plain array's.
        blob, offsets, slots = np.asarray(blob), np.asarray(offsets), np.asarray(slots)
        num_terms = len(offsets) - 1
        if any(array.ndim != 1 for array in (blob, offsets, slots)) or [
            str(array.dtype) for array in (blob, offsets, slots)
        ] != ["uint8", "int64", "uint32"]:
            raise CorruptIndexError("a term table's arrays have other types than it was saved with")
        if num_terms < 0 or offsets[0] != 0 or int(offsets[-1]) + PADDING != len(blob):
            raise CorruptIndexError("a term table's offsets don't span its strings; build it again")
        if len(slots) < _MIN_SLOTS or len(slots) & (len(slots) - 1) or len(slots) <= num_terms:
            raise CorruptIndexError("a term table has an impossible size; build it again")
        blob, offsets = np.ascontiguousarray(blob), np.ascontiguousarray(offsets)
        hashes = StringBuffer.from_offsets(blob, offsets).hashes
        if not np.array_equal(_filled_slots(hashes, num_terms, len(slots)), slots):
            raise CorruptIndexError(
                "a term table's slots don't lead to its strings; build it again"
            )
        return cls(blob, offsets, np.ascontiguousarray(slots), None, num_terms)

    @classmethod
    def from_tokens(cls, tokens: Sequence[str]) -> TermTable:
        """Number strings in the order given; repeated ones keep their first number."""
        table = cls.empty()
        table.intern(tokens)
        return table

    def copy(self) -> TermTable:
        """Return a table of its own memory, with the same numbers, that can grow."""
        strings = self.strings()
        table = TermTable.empty()
        table._hold(
            self._blob[: self._num_bytes].copy(),
            self._used_offsets.copy(),
            table._slots,
            strings.hashes,
            len(self),
        )
        table._resize(len(self), self._num_bytes)
        return table

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return `blob`, `offsets` and `slots` to save, once the table is complete.

        Equal tables have equal arrays, however they came to be.
        """
        end = self._num_bytes + PADDING
        slots = self._slots
        if self._hashes is not None:
            self._blob[self._num_bytes : end] = 0
            slots = _filled_slots(
                self._hashes, len(self), _power_of_two(_SAVED_SLOTS_PER_TERM * len(self))
            )
        return {"blob": self._blob[:end], "offsets": self._used_offsets, "slots": slots}

    def is_sound(self) -> bool:
        """Whether strings are text and no two are equal."""
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
        return np.array_equal(fresh.intern_table(self), np.arange(len(self)))

    def __len__(self) -> int:
        num_terms: int = self._native.num_terms
        return num_terms

    def __contains__(self, token: str) -> bool:
        return bool(self.lookup([token])[0] >= 0)

    def __repr__(self) -> str:
        return f"<TermTable of {len(self)} strings>"

    @property
    def read_only(self) -> bool:
        """Whether the table can't grow."""
        return self._hashes is None

    def token(self, term_id: int) -> str:
        """Return the string that has a number."""
        if not 0 <= term_id < len(self):
            raise InvalidArgumentError(f"no term has number {term_id}; there are {len(self)}")
        # `item` is several times faster than an index.
        start, end = self._offsets.item(term_id), self._offsets.item(term_id + 1)
        return _decode(self._blob[start:end].tobytes())

    def tokens(self) -> list[str]:
        """Return all strings in the order of their numbers."""
        bounds = self._used_offsets.tolist()
        # One character a byte, so that bounds stay valid and most slices are done.
        text = self._blob[: bounds[-1]].tobytes().decode("latin-1")
        tokens = [text[start:end] for start, end in pairwise(bounds)]
        return [token if token.isascii() else _decode(token.encode("latin-1")) for token in tokens]

    def prefix_starts(self, separator: str) -> Offsets | None:
        """Numbers of strings that differ from the one before up to their last separator.

        None if a string has no separator, which is one ASCII character.
        """
        firsts = np.empty(len(self), np.int64)
        count: int = find_prefixes(self.address, ord(separator), firsts)
        return None if count < 0 else firsts[:count].copy()

    def lookup(self, tokens: Sequence[str]) -> TermIds:
        """Return the strings' numbers, -1 for unknown ones."""
        return self.numbers(StringBuffer.from_tokens(tokens))

    def lookup_table(self, other: TermTable) -> TermIds:
        """Return, for each of another table's strings, its number here, or -1."""
        ids = np.empty(len(other), np.int32)
        look_up_terms(self.address, other.address, address(ids))
        return ids

    def intern(self, tokens: Sequence[str]) -> TermIds:
        """Return the strings' numbers, adding those not known."""
        return self.numbers(StringBuffer.from_tokens(tokens), grow=True)

    def intern_table(self, other: TermTable) -> TermIds:
        """Return, for each of another table's strings, its number here, adding those not known."""
        return self.numbers(other.strings(), grow=True)

    def numbers(
        self, strings: StringBuffer, count: int | None = None, *, grow: bool = False
    ) -> TermIds:
        """Number the first strings of a buffer; -1 for unknown ones, unless the table may grow."""
        count = len(strings) if count is None else count
        ids = np.empty(count, np.int32)
        if not grow:
            look_up(self.address, strings.address, count, address(ids))
            return ids
        self.require_growth()
        done = 0
        while (done := intern(self.address, strings.address, done, count, ids)) < count:
            # For one more string, and twice what is used so far.
            needed = self._num_bytes + int(strings.lengths[done])
            self._resize(2 * len(self) + 1, self._num_bytes + needed)
        return ids

    def reserve(self, num_terms: int) -> None:
        """Make room for so many strings in all."""
        self.require_growth()
        self._resize(num_terms, self._num_bytes)

    def require_growth(self) -> None:
        """Refuse to add to arrays that belong to someone else."""
        if self._hashes is None:
            raise InvalidArgumentError("this term table can't grow; make a copy() and add to that")

    def strings(self, first: int = 0) -> StringBuffer:
        """The strings from one on as they are now, where they are; more may be added meanwhile."""
        offsets = self._used_offsets[first:]
        if self._hashes is None:
            return StringBuffer.from_offsets(self._blob, offsets)
        return StringBuffer(
            self._blob, offsets, np.diff(offsets).astype(np.uint32), self._hashes[first : len(self)]
        )

    @property
    def _used_offsets(self) -> Offsets:
        return self._offsets[: len(self) + 1]

    @property
    def _num_bytes(self) -> int:
        return int(self._offsets[len(self)])

    def _hold(
        self, blob: Bytes, offsets: Offsets, slots: Words, hashes: Words | None, num_terms: int
    ) -> None:
        self._blob, self._offsets, self._slots, self._hashes = blob, offsets, slots, hashes
        self._native = Table(
            address(slots),
            address(blob),
            address(offsets),
            None if hashes is None else address(hashes),
            len(slots),
            len(blob),
            num_terms,
        )
        self.address = ctypes.addressof(self._native)

    def _resize(self, num_terms: int, num_bytes: int) -> None:
        if num_terms >= 2**31:
            raise InvalidArgumentError("a term table holds at most 2^31 - 1 strings; use several")
        if self._hashes is None:
            return
        num_slots = _power_of_two(_SLOTS_PER_TERM * num_terms)
        hashes = _resized(self._hashes, num_slots // _SLOTS_PER_TERM)
        self._hold(
            _resized(self._blob, max(num_bytes + PADDING, _FIRST_BYTES)),
            _resized(self._offsets, num_slots // _SLOTS_PER_TERM + 1),
            _filled_slots(hashes, len(self), num_slots),
            hashes,
            len(self),
        )


def _filled_slots(hashes: Words, num_terms: int, num_slots: int) -> Words:
    slots = np.zeros(num_slots, np.uint32)
    fill_slots(hashes, num_terms, slots, num_slots)
    return slots


def _power_of_two(least: float) -> int:
    """Return the smallest power of two that is large enough, and a table's minimum at least."""
    return max(_MIN_SLOTS, 1 << (math.ceil(least) - 1).bit_length())


def _resized(array: npt.NDArray[Scalar], size: int) -> npt.NDArray[Scalar]:
    larger = np.empty(size, array.dtype)
    larger[: min(size, len(array))] = array[:size]
    return larger


def _check_offsets(blob: Bytes, offsets: Offsets) -> None:
    """Refuse offsets that would lead a loop outside the blob."""
    if (
        offsets[0] < 0
        or int(offsets[-1]) + PADDING > len(blob)
        or (offsets[1:] < offsets[:-1]).any()
        or (len(offsets) > 1 and int(np.diff(offsets).max()) >= 2**32)
    ):
        raise CorruptIndexError("a term table's offsets are out of order; build it again")


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise CorruptIndexError("a term table holds bytes that aren't text") from error
