"""Counting tokens: exactly with tiktoken, or by an estimate that is named as one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from qidf.errors import MissingExtraError
from qidf.token_counts.estimate import estimate_tokens
from qidf.token_counts.vocabulary import read_ranks

if TYPE_CHECKING:
    import tiktoken

ENCODING = "cl100k_base"
ESTIMATE = f"estimate of {ENCODING}"

# How cl100k_base cuts a text before merging bytes, as tiktoken defines it.
_PIECES = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
# Where a line with something in it follows an empty one, no piece goes on from the one to the
# other, so that counts of the parts add up. Parts are remembered by a digest each: whoever packs a
# prompt counts the same functions again and again.
_PARTS = re.compile(r"(?<=\n\n)(?=[ \t]*\S)")
_REMEMBERED = 1 << 16
_counts: dict[bytes, int] = {}
# Texts handed over at a time, so that their token ids never all sit in memory.
_BATCH = 4096


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """A way to count tokens; its name belongs beside every number it gives."""

    name: str
    exact: bool
    count: Callable[[str], int]
    count_batch: Callable[[Sequence[str]], np.ndarray]


def count_tokens(text: str) -> int:
    """How many cl100k_base tokens a text is; what looks like a special token is plain text."""
    encoding = _encoding()
    return sum(_count_part(part, encoding) for part in _PARTS.split(text))


def _count_part(text: str, encoding: tiktoken.Encoding) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    count = _counts.get(digest)
    if count is None:
        count = len(encoding.encode_ordinary(text))
        if len(_counts) >= _REMEMBERED:
            _counts.clear()
        _counts[digest] = count
    return count


def count_tokens_batch(texts: Sequence[str]) -> np.ndarray:
    """Count many texts, on all cores."""
    encoding = _encoding()
    counts = np.empty(len(texts), np.int64)
    for start in range(0, len(texts), _BATCH):
        encoded = encoding.encode_ordinary_batch(list(texts[start : start + _BATCH]))
        counts[start : start + len(encoded)] = [len(tokens) for tokens in encoded]
    return counts


def token_counter(*, exact: bool = True) -> TokenCounter:
    """Return the exact counter; without `exact`, the estimate where the extra isn't installed."""
    try:
        _encoding()
    except MissingExtraError:
        if exact:
            raise
        return TokenCounter(ESTIMATE, False, estimate_tokens, _estimate_batch)
    return TokenCounter(ENCODING, True, count_tokens, count_tokens_batch)


def _estimate_batch(texts: Sequence[str]) -> np.ndarray:
    return np.array([estimate_tokens(text) for text in texts], np.int64)


@cache
def _encoding() -> tiktoken.Encoding:
    try:
        import tiktoken
    except ModuleNotFoundError:
        raise MissingExtraError("tiktoken", "tokens") from None
    return tiktoken.Encoding(
        ENCODING, pat_str=_PIECES, mergeable_ranks=read_ranks(), special_tokens={}
    )
