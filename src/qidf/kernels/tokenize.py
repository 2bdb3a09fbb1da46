"""Find the words of many documents, and the parts of words.

`mark_words` goes over the bytes once and lists where words begin and end. `split_words` lists the
pieces of words that are wanted, `drop_known` drops the stop words among them, and `intern_strings`
numbers what is left. Short loops over a list that stays in cache run faster than one long loop, in
which a processor guesses wrong several times a word.

The text is ASCII, except for tokens found elsewhere: those are in UTF-8, each behind a byte of
kind ATOM, and are taken as they are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from qidf.kernels.interning import Integer
from qidf.kernels.jit import jit

# Bits of a byte's kind; a byte between words has none, or ATOM.
IN_WORD = 1
UPPER = 2
LOWER = 4
DIGIT = 8
ATOM = 16
CASE_OR_DIGIT = UPPER | LOWER | DIGIT

# Which pieces of a word are tokens.
PARTS_NONE = 0
PARTS_BOTH = 1
PARTS_ONLY = 2

_MIN_PART = 2
_PLURAL = ord("s")


@jit
def mark_words(
    text: npt.NDArray[np.uint8], kinds: npt.NDArray[np.uint8], bounds: npt.NDArray[np.int64]
) -> Integer:
    """List where words begin and end; returns how many there are.

    The text must end between words. Nothing here depends on what a byte is but how far the list
    has grown, so that there is no branch to guess.
    """
    num_bounds = np.int64(0)
    before = np.uint8(0)
    for position in range(len(text)):
        inside = kinds[text[position]] & np.uint8(IN_WORD)
        bounds[num_bounds] = position
        num_bounds += np.int64(inside ^ before)
        before = inside
    return num_bounds // 2


@jit
def split_words(
    text: npt.NDArray[np.uint8],
    kinds: npt.NDArray[np.uint8],
    bounds: npt.NDArray[np.int64],
    num_words: Integer,
    min_length: Integer,
    parts: Integer,
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
) -> Integer:
    """List where each wanted piece of a word begins and how long it is; returns how many."""
    num_pieces = np.int64(0)
    for word in range(num_words):
        start = bounds[2 * word]
        end = bounds[2 * word + 1]
        if end - start < min_length:
            continue
        # Written first in any case: the word itself, which its parts follow or replace.
        starts[num_pieces] = start
        lengths[num_pieces] = end - start
        if parts == PARTS_NONE or (start > 0 and kinds[text[start - 1]] == ATOM):
            num_pieces += 1
            continue
        first_piece = num_pieces
        if parts == PARTS_BOTH:
            num_pieces += 1
        cursor = start
        while cursor < end:
            kind = kinds[text[cursor]]
            first = cursor
            cursor += 1
            if kind & CASE_OR_DIGIT == 0:
                continue
            while cursor < end and kinds[text[cursor]] == kind:
                cursor += 1
            if kind & UPPER != 0 and cursor < end and kinds[text[cursor]] & LOWER != 0:
                after = cursor + 1
                if cursor - first == 1:
                    # One capital belongs to the small letters that follow.
                    while after < end and kinds[text[after]] & LOWER != 0:
                        after += 1
                    cursor = after
                elif text[cursor] == _PLURAL and (after == end or kinds[text[after]] & LOWER == 0):
                    # A plural s belongs to its acronym.
                    cursor = after
                else:
                    # The last capital belongs to the next part.
                    cursor -= 1
            if cursor - first >= _MIN_PART and cursor - first < end - start:
                starts[num_pieces] = first
                lengths[num_pieces] = cursor - first
                num_pieces += 1
        if num_pieces == first_piece:
            # A word without parts stands for itself.
            num_pieces += 1
    return num_pieces


@jit
def count_tokens(
    starts: npt.NDArray[np.int64],
    num_tokens: Integer,
    doc_ends: npt.NDArray[np.int64],
    token_ends: npt.NDArray[np.int64],
) -> None:
    """Write how many tokens begin before each document's end."""
    token = 0
    for doc in range(len(doc_ends)):
        while token < num_tokens and starts[token] < doc_ends[doc]:
            token += 1
        token_ends[doc] = token
