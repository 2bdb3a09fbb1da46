"""Postings laid out anew for searching."""

from __future__ import annotations

import ctypes

from qidf.native.library import ADDRESS, I32, I32S, I64, I64S, U32S, declare

# Terms with no more postings than this have no table: QIDF_SHORT_LIST.
SHORT_LIST = 32


class Segment(ctypes.Structure):
    """`struct qidf_segment`."""

    _fields_ = (
        ("num_docs", I64),
        ("num_terms", I64),
        ("starts", ADDRESS),
        ("docs", ADDRESS),
        ("tfs", ADDRESS),
        ("wide_tfs", I64),
        ("lengths", ADDRESS),
    )


class Windows(ctypes.Structure):
    """`struct qidf_windows`."""

    _fields_ = (
        ("num_windows", I64),
        ("largest", I64),
        ("starts", ADDRESS),
        ("shortest", ADDRESS),
        ("longest", ADDRESS),
        ("places", ADDRESS),
        ("docs", ADDRESS),
        ("tables", ADDRESS),
        ("heads", ADDRESS),
        ("most", ADDRESS),
        ("filled", ADDRESS),
        ("numbers", ADDRESS),
    )


place_documents = declare(
    "qidf_place_documents", I32S, I64, I32S, I64, I32S, U32S, I64, I64, I64S, U32S, U32S
)
fill_table = declare("qidf_fill_table", ADDRESS, ADDRESS, I32, U32S)
