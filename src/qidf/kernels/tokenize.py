"""Find the tokens of many documents and number them, in one pass over their bytes.

A document is either ASCII text as written (row 0 of the tables) or tokens found elsewhere, in
UTF-8, with spaces between (row 1). A row of `kinds` says what each byte is, a row of `fold` what
it becomes, a row of `rules` what to do with words.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from qidf.kernels.hashing import FNV_BASIS, FNV_PRIME
from qidf.kernels.interning import Integer, find, hash_bytes
from qidf.kernels.jit import jit

# Bits of `kinds`; a byte in no word is 0.
IN_WORD = 1
UPPER = 2
LOWER = 4
DIGIT = 8
PART = UPPER | LOWER | DIGIT

# Columns of `rules`.
MIN_LENGTH = 0
PARTS = 1
HAS_STOPWORDS = 2
NUM_RULES = 3

# Values of the PARTS rule.
PARTS_NONE = 0
PARTS_BOTH = 1
PARTS_ONLY = 2

# Entries of `progress`, which is all that is kept when the kernel stops for want of room.
POSITION = 0
DOCUMENT = 1
NUM_TOKENS = 2
NUM_TERMS = 3
NEEDED_TERMS = 4
NEEDED_BYTES = 5
NUM_PROGRESS = 6

_MIN_PART = 2
_PLURAL = ord("s")


@jit
def tokenize(
    text: npt.NDArray[np.uint8],
    doc_ends: npt.NDArray[np.int64],
    doc_rows: npt.NDArray[np.uint8],
    kinds: npt.NDArray[np.uint8],
    fold: npt.NDArray[np.uint8],
    rules: npt.NDArray[np.int64],
    stop_slots: npt.NDArray[np.uint32],
    stop_blob: npt.NDArray[np.uint8],
    stop_offsets: npt.NDArray[np.int64],
    num_stop: int,
    slots: npt.NDArray[np.uint32],
    blob: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    grow: int,
    term_ids: npt.NDArray[np.int32],
    token_ends: npt.NDArray[np.int64],
    progress: npt.NDArray[np.int64],
) -> bool:
    """Return whether all documents are done; if not, make the room needed and call again."""
    mask = np.uint32(len(slots) - 1)
    position = progress[POSITION]
    num_tokens = progress[NUM_TOKENS]
    num_terms = progress[NUM_TERMS]

    for doc in range(progress[DOCUMENT], len(doc_ends)):
        doc_end = doc_ends[doc]
        row = np.int64(doc_rows[doc]) * 256
        rule = np.int64(doc_rows[doc]) * NUM_RULES
        min_length = rules[rule + MIN_LENGTH]
        parts = rules[rule + PARTS]
        has_stopwords = rules[rule + HAS_STOPWORDS]

        while position < doc_end:
            if kinds[row + text[position]] == 0:
                position += 1
                continue
            start = position
            value = np.uint32(FNV_BASIS)
            while position < doc_end:
                byte = text[position]
                if kinds[row + byte] == 0:
                    break
                value = np.uint32((value ^ np.uint32(fold[row + byte])) * np.uint32(FNV_PRIME))
                position += 1
            length = position - start
            if length < min_length:
                continue

            # The word and its parts have at most twice its bytes, and a part has at least two.
            if grow != 0 and (
                2 * (num_terms + 1 + length // _MIN_PART) > len(slots)
                or offsets[num_terms] + 2 * length > len(blob)
            ):
                progress[POSITION] = start
                progress[DOCUMENT] = doc
                progress[NUM_TOKENS] = num_tokens
                progress[NUM_TERMS] = num_terms
                progress[NEEDED_TERMS] = 1 + length // _MIN_PART
                progress[NEEDED_BYTES] = 2 * length
                return False

            # Each round emits one piece: the word unless only parts are wanted, then its parts.
            first = start
            last = position
            cursor = start
            wanted = parts != PARTS_ONLY
            num_parts = 0
            while True:
                if wanted:
                    stopword: Integer = -1
                    if has_stopwords != 0:
                        stopword = find(
                            stop_slots, stop_blob, stop_offsets, num_stop,
                            text, first, last, fold, row, value,
                        )  # fmt: skip
                    if stopword < 0:
                        term = find(
                            slots, blob, offsets, num_terms, text, first, last, fold, row, value
                        )
                        if term < 0 and grow != 0:
                            slots[-1 - term] = (value & ~mask) | np.uint32(num_terms + 1)
                            used = offsets[num_terms]
                            for i in range(last - first):
                                blob[used + i] = fold[row + text[first + i]]
                            term = num_terms
                            num_terms += 1
                            offsets[num_terms] = used + last - first
                        term_ids[num_tokens] = max(term, -1)
                        num_tokens += 1
                if parts == PARTS_NONE:
                    break

                while cursor < position and kinds[row + text[cursor]] & PART == 0:
                    cursor += 1
                if cursor == position:
                    if parts == PARTS_ONLY and num_parts == 0:
                        # A word without parts stands for itself; `value` is still its hash.
                        num_parts = 1
                        wanted = True
                        first = start
                        last = position
                        continue
                    break
                first = cursor
                kind = kinds[row + text[cursor]] & PART
                while cursor < position and kinds[row + text[cursor]] & PART == kind:
                    cursor += 1
                if kind == UPPER and cursor < position and kinds[row + text[cursor]] & LOWER != 0:
                    small = cursor + 1
                    if cursor - first == 1:
                        while small < position and kinds[row + text[small]] & LOWER != 0:
                            small += 1
                        cursor = small
                    elif text[cursor] == _PLURAL and (
                        small == position or kinds[row + text[small]] & LOWER == 0
                    ):
                        cursor = small
                    else:
                        cursor -= 1
                last = cursor
                wanted = last - first >= _MIN_PART and not (
                    parts == PARTS_BOTH and last - first == length
                )
                if wanted:
                    num_parts += 1
                    value = hash_bytes(text, first, last, fold, row)
        token_ends[doc] = num_tokens

    progress[POSITION] = position
    progress[DOCUMENT] = len(doc_ends)
    progress[NUM_TOKENS] = num_tokens
    progress[NUM_TERMS] = num_terms
    return True
