"""From text to tokens, and from tokens to their numbers."""

from __future__ import annotations

import ctypes

from qidf.native.library import ADDRESS, I32, I32S, I64, I64S, U8S, U32S, declare

PADDING = 16
ATOM = 255
UPPER, LOWER, DIGIT = 1, 2, 3
PARTS_NONE, PARTS_BOTH, PARTS_ONLY = 0, 1, 2
STOP_KEYS = 1024


class Strings(ctypes.Structure):
    """Where strings lie: addresses of text, starts, lengths and hashes."""

    _fields_ = (
        ("text", ADDRESS),
        ("starts", ADDRESS),
        ("lengths", ADDRESS),
        ("hashes", ADDRESS),
    )


class Table(ctypes.Structure):
    """A table of terms: addresses and sizes of its arrays."""

    _fields_ = (
        ("slots", ADDRESS),
        ("blob", ADDRESS),
        ("offsets", ADDRESS),
        ("hashes", ADDRESS),
        ("num_slots", I64),
        ("blob_size", I64),
        ("num_terms", I64),
    )


class Rules(ctypes.Structure):
    """How text becomes tokens."""

    _fields_ = (
        ("kinds", ctypes.c_uint8 * 256),
        ("whitespace", ctypes.c_int32),
        ("lowercase", ctypes.c_int32),
        ("min_length", ctypes.c_int32),
        ("parts", ctypes.c_int32),
        ("plurals", ctypes.c_int32),
        ("stop_shift", ctypes.c_uint32),
        ("stop_keys", ctypes.c_uint64 * STOP_KEYS),
        ("stopwords", Table),
    )


hash_strings = declare("qidf_hash", U8S, I64S, U32S, I64, U32S)
fill_slots = declare("qidf_fill_slots", U32S, I64, U32S, I64)
intern = declare("qidf_intern", ADDRESS, ADDRESS, I64, I64, I32S, result=I64)
look_up = declare("qidf_look_up", ADDRESS, ADDRESS, I64, ADDRESS)
look_up_terms = declare("qidf_look_up_terms", ADDRESS, ADDRESS, ADDRESS)
find_prefixes = declare("qidf_find_prefixes", ADDRESS, I32, I64S, result=I64)
find_tokens = declare(
    "qidf_find_tokens", ADDRESS, I64, ADDRESS, ADDRESS, I64, ADDRESS, ADDRESS, result=I64
)
