"""Loading the library, and declaring what is in it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from qidf.errors import QidfError

FOLDER = Path(__file__).parent
LIBRARY = FOLDER / "kernels.so"

I64 = ctypes.c_int64
U64 = ctypes.c_uint64
I32 = ctypes.c_int32
F64 = ctypes.c_double
F32 = ctypes.c_float
# An address, as `address` takes it: for calls so short that checking their arrays would show.
ADDRESS = ctypes.c_void_p
_NOTHING = ctypes.c_char * 0


class Elements:
    """An argument that is an array of one type; any other is refused rather than misread."""

    def __init__(self, dtype: type[np.generic]) -> None:
        """Take arrays of this type."""
        self.dtype = np.dtype(dtype)

    def from_param(self, array: np.ndarray) -> ctypes.c_void_p:
        """The address of an array's first element, as an argument."""
        return ctypes.c_void_p(self.address(array))

    def address(self, array: np.ndarray) -> int:
        """The address of an array's first element."""
        if array.dtype != self.dtype or not array.flags.c_contiguous:
            raise TypeError(f"expected contiguous {self.dtype}, not {array.dtype}")
        return address(array)


U8S, U16S, U32S, U64S = (Elements(kind) for kind in (np.uint8, np.uint16, np.uint32, np.uint64))
I8S, I16S, I32S, I64S = (Elements(kind) for kind in (np.int8, np.int16, np.int32, np.int64))
F32S, F64S = Elements(np.float32), Elements(np.float64)


def address(array: np.ndarray) -> int:
    """Where an array's elements begin."""
    try:
        # A third of the time that the array's own word takes, but memory that may not be written
        # isn't lent.
        return ctypes.addressof(_NOTHING.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, BufferError):
        place: int = array.__array_interface__["data"][0]
        return place


def declare(name: str, *arguments: Any, result: Any = None) -> Callable[..., Any]:
    """A function of the library with the types of its arguments, as `qidf.h` has them."""
    function = getattr(_library(), name)
    function.argtypes = arguments
    function.restype = result
    declared: Callable[..., Any] = function
    return declared


_loaded: list[ctypes.CDLL] = []


def _is_outdated() -> bool:
    """Whether a source is newer than the library; an installed package has no sources."""
    times = {entry.name: entry.stat().st_mtime_ns for entry in os.scandir(FOLDER)}
    made = times.get(LIBRARY.name, 0)
    sources = [times[name] for name in times if name.endswith((".c", ".h")) or name == "build.py"]
    return "qidf.h" in times and made <= max(sources)


def _library() -> ctypes.CDLL:
    """The library, loaded once; in a source tree it is compiled first where it is out of date."""
    if not _loaded:
        if _is_outdated():
            from qidf.native.build import CompilerError, refresh

            try:
                refresh(LIBRARY)
            except CompilerError as error:
                raise QidfError(str(error)) from None
        try:
            _loaded.append(ctypes.CDLL(str(LIBRARY)))
        except OSError as error:
            raise QidfError(
                f"the compiled part of qidf doesn't load ({error}); install qidf again, or run"
                " `python -m qidf.native.build` in a source tree"
            ) from None
    return _loaded[0]
