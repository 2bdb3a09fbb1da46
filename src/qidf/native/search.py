"""Exact top-k."""

from __future__ import annotations

import ctypes

from qidf.native.library import ADDRESS, F64, I64, declare


class Queries(ctypes.Structure):
    """`struct qidf_queries`."""

    _fields_ = (("offsets", ADDRESS), ("terms", ADDRESS), ("weights", ADDRESS))


search_scratch = declare("qidf_search_scratch", I64, I64, I64, I64, I64, result=I64)
search = declare(
    "qidf_search",
    *(ADDRESS, ADDRESS, ADDRESS, ADDRESS, I64, I64, I64, F64, F64, F64, I64),
    *(ADDRESS, I64, ADDRESS, ADDRESS, I64, ADDRESS, ADDRESS, ADDRESS, ADDRESS),
)
