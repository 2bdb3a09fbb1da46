"""The one way kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def jit(function: F) -> F:
    """Compile a kernel on first call, keep the machine code on disk, and release the GIL."""
    return cast(F, numba.njit(function, cache=True, nogil=True, error_model="numpy"))


def inline(function: F) -> F:
    """Compile a small function that kernels call; its cost disappears into the caller."""
    return cast(
        F, numba.njit(function, cache=True, nogil=True, error_model="numpy", inline="never")
    )
