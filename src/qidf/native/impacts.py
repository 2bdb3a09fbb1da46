"""The best documents by adding up what was computed for every posting beforehand."""

from __future__ import annotations

from qidf.native.library import F32S, F64S, I32S, I64, I64S, U8S, U32S, declare

rank_by_impact = declare(
    "qidf_rank_by_impact",
    I32S,
    I64S,
    I64,
    I64S,
    U32S,
    F64S,
    F64S,
    U8S,
    U32S,
    I64,
    I64S,
    F32S,
)
