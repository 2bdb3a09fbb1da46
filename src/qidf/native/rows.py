"""Postings turned round: from each term's documents to each document's terms."""

from __future__ import annotations

import ctypes

from qidf.native.library import ADDRESS, U32S, declare


class Rows(ctypes.Structure):
    """`struct qidf_rows`."""

    _fields_ = (("starts", ADDRESS), ("entries", ADDRESS))


fill_rows = declare("qidf_fill_rows", ADDRESS, U32S, U32S)
