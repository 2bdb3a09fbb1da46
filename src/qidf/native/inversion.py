"""From documents' tokens to terms' postings, and from several segments' to one's."""

from __future__ import annotations

from qidf.native.library import ADDRESS, I32, I32S, I64, I64S, U8S, U32S, declare

count_postings = declare(
    "qidf_count_postings", I32S, ADDRESS, I64S, I64, I64, U32S, I32S, result=I64
)
fill_postings = declare("qidf_fill_postings", I32S, I64S, I64, I64, I64S, U32S, ADDRESS, I32)
find_postings = declare("qidf_find_postings", U32S, I64, U8S, I64S, I64, result=I64)
copy_postings = declare(
    "qidf_copy_postings", I64S, I64, U32S, ADDRESS, I32, I32S, I32S, I64S, U32S, ADDRESS
)
