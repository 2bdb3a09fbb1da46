"""The tokens of many texts at once, as numbers.

ASCII text goes to a byte-level kernel as it is. Any other text goes through `Analyzer.tokens`, and
the kernel then only numbers the tokens that found; either way the result is the same as numbering
`Analyzer.tokens` document by document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from qidf.analysis.analyzer import Analyzer
from qidf.analysis.terms import Bytes, Offsets, TermIds, TermTable
from qidf.errors import InvalidArgumentError

# Characters handed to the kernel at a time: large enough that a call costs nothing, small enough
# that the copy of the text stays in cache and out of the peak memory.
CHUNK_CHARACTERS = 1 << 22


@dataclass(frozen=True, slots=True)
class TokenStream:
    """Document i is term_ids[doc_offsets[i]:doc_offsets[i + 1]]; unknown tokens are -1."""

    term_ids: TermIds
    doc_offsets: Offsets

    @property
    def num_docs(self) -> int:
        """How many documents there are, empty ones included."""
        return len(self.doc_offsets) - 1


@dataclass(frozen=True, slots=True)
class _ByteTables:
    """An analyzer as the kernel reads it: row 0 is its own, row 1 takes tokens found elsewhere."""

    kinds: Bytes
    fold: Bytes
    rules: npt.NDArray[np.int64]
    stopwords: TermTable


def analyze_batch(
    analyzer: Analyzer, texts: Sequence[str], table: TermTable, *, grow: bool = True
) -> TokenStream:
    """Number the tokens of texts, adding new ones to the table unless `grow` is false."""
    if isinstance(texts, str):
        raise InvalidArgumentError("texts must be a sequence of strings; put this one in a list")
    if grow:
        table.require_growth()
    tables = _byte_tables(analyzer)
    try:
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    except TypeError:
        raise _not_text(texts) from None
    doc_offsets = np.zeros(len(texts) + 1, np.int64)
    streams = [np.empty(0, np.int32)]
    num_tokens = 0
    for first, last in _chunks(lengths):
        chunk = _Chunk.encode(analyzer, texts[first:last], lengths[first:last])
        term_ids, token_ends = _tokenize(chunk, tables, table, grow=grow)
        np.add(token_ends, num_tokens, out=doc_offsets[first + 1 : last + 1])
        streams.append(term_ids)
        num_tokens += len(term_ids)
    return TokenStream(np.concatenate(streams), doc_offsets)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Some documents in one buffer; document i ends at ends[i] and is read by row rows[i]."""

    text: Bytes
    ends: Offsets
    rows: Bytes

    @classmethod
    def encode(cls, analyzer: Analyzer, texts: Sequence[str], lengths: Offsets) -> _Chunk:
        rows = np.zeros(len(texts), np.uint8)
        try:
            joined = "".join(texts)
        except TypeError:
            raise _not_text(texts) from None
        if not joined.isascii():
            pieces = list(texts)
            for position, text in enumerate(texts):
                if not text.isascii():
                    # No token holds a space. Latin-1 keeps one character a byte, so that lengths
                    # in characters go on being lengths in bytes, and encoding is a plain copy.
                    tokens = " ".join(analyzer.tokens(text)).encode("utf-8", "surrogatepass")
                    pieces[position] = tokens.decode("latin-1")
                    rows[position] = 1
            lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
            joined = "".join(pieces)
        # numba compiles anew for arrays that can't be written to; a bytearray's can.
        data: Bytes = np.frombuffer(bytearray(joined, "latin-1"), np.uint8)
        return cls(data, np.cumsum(lengths), rows)


def _tokenize(
    chunk: _Chunk, tables: _ByteTables, table: TermTable, *, grow: bool
) -> tuple[TermIds, Offsets]:
    from qidf.kernels import tokenize as kernel

    progress = np.zeros(kernel.NUM_PROGRESS, np.int64)
    progress[kernel.NUM_TERMS] = len(table)
    token_ends = np.empty(len(chunk.ends), np.int64)
    # A document of n bytes has fewer than n + 1 tokens; memory that isn't written costs nothing.
    term_ids = np.empty(len(chunk.text) + len(chunk.ends), np.int32)
    while not kernel.tokenize(
        chunk.text, chunk.ends, chunk.rows, tables.kinds, tables.fold, tables.rules,
        *tables.stopwords.buffers(), len(tables.stopwords), *table.buffers(),
        int(grow), term_ids, token_ends, progress,
    ):  # fmt: skip
        table.extend_to(int(progress[kernel.NUM_TERMS]))
        table.reserve(int(progress[kernel.NEEDED_TERMS]), int(progress[kernel.NEEDED_BYTES]))
    if grow:
        table.extend_to(int(progress[kernel.NUM_TERMS]))
    return term_ids[: progress[kernel.NUM_TOKENS]].copy(), token_ends


def _not_text(texts: Sequence[object]) -> InvalidArgumentError:
    culprit = next(text for text in texts if not isinstance(text, str))
    return InvalidArgumentError(f"texts must be strings, not {type(culprit).__name__}")


def _chunks(lengths: Offsets) -> Iterator[tuple[int, int]]:
    """Cut documents into ranges of about CHUNK_CHARACTERS, each with at least one."""
    ends = np.cumsum(lengths)
    first, done = 0, 0
    while first < len(ends):
        last = int(np.searchsorted(ends, done + CHUNK_CHARACTERS, side="right"))
        last = max(last, first + 1)
        yield first, last
        first, done = last, int(ends[last - 1])


@lru_cache(maxsize=16)
def _byte_tables(analyzer: Analyzer) -> _ByteTables:
    from qidf.kernels import tokenize as kernel

    kinds = np.zeros((2, 256), np.uint8)
    fold = np.tile(np.arange(256, dtype=np.uint8), (2, 1))
    for code in range(128):
        character = chr(code)
        if analyzer.words == "whitespace":
            kinds[0, code] = 0 if character.isspace() else kernel.IN_WORD
        elif character.isalnum() or character == "_":
            kinds[0, code] = kernel.IN_WORD
        if character.isupper():
            kinds[0, code] |= kernel.UPPER
        elif character.islower():
            kinds[0, code] |= kernel.LOWER
        elif character.isdigit():
            kinds[0, code] |= kernel.DIGIT
        if analyzer.lowercase:
            fold[0, code] = ord(character.lower())
    kinds[1] = kernel.IN_WORD
    kinds[1, ord(" ")] = 0

    rules = np.zeros((2, kernel.NUM_RULES), np.int64)
    rules[:, kernel.MIN_LENGTH] = (2 if analyzer.words == "unicode" else 1), 1
    rules[0, kernel.PARTS] = {
        "none": kernel.PARTS_NONE,
        "both": kernel.PARTS_BOTH,
        "only": kernel.PARTS_ONLY,
    }[analyzer.parts]
    rules[0, kernel.HAS_STOPWORDS] = bool(analyzer.stopword_set)
    stopwords = TermTable.from_tokens(sorted(analyzer.stopword_set))
    return _ByteTables(kinds.ravel(), fold.ravel(), rules.ravel(), stopwords)
