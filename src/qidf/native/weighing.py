"""What is told of a query's text and tokens before they are weighed."""

from __future__ import annotations

from qidf.native.library import ADDRESS, F64, I64, declare

count_marks = declare("qidf_count_marks", ADDRESS, I64, I64, result=I64)
fold_repeats = declare(
    "qidf_fold_repeats",
    *(ADDRESS, ADDRESS, I64, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS),
    result=I64,
)
to_single = declare("qidf_to_single", ADDRESS, I64, F64, F64, ADDRESS, result=I64)
count_characters = declare("qidf_count_characters", ADDRESS, ADDRESS)
