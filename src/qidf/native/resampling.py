"""Means over resamples: rows drawn with replacement, as often as there are rows."""

from __future__ import annotations

from qidf.native.library import F64S, I32S, I64, U64, declare

# Columns added up at a time, one register each.
LANES = 4

draw = declare("qidf_draw", U64, I64, I32S, I64)
resample_means = declare("qidf_resample_means", F64S, I64, I64, U64, I32S, F64S, I64)
