"""The tokens of many texts at once, as numbers.

ASCII goes to a byte-level kernel as it is. Anything else goes through `Analyzer.tokens`, and the
kernel only numbers the tokens that found; either way the result is the same as numbering
`Analyzer.tokens` document by document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from qidf.analysis.analyzer import Analyzer
from qidf.analysis.terms import Bytes, Offsets, TermIds, TermTable
from qidf.errors import InvalidArgumentError
from qidf.kernels.hashing import PADDING

# Characters handed to the kernel at a time: large enough that a call costs nothing, small enough
# that the copy of the text stays in cache and out of the peak memory.
CHUNK_CHARACTERS = 1 << 20

# So empty a table that a word's first probe tells, nearly always, that it isn't a stop word.
_STOPWORD_ROOM = 32

# A byte that UTF-8 never uses; it stands before each token that the kernel takes as it is.
_ATOM = b"\xff"
# The line feed behind the last document, and room behind all strings that kernels read; blanks,
# since they are outside words for every analyzer.
_END = "\n" + " " * PADDING


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
class _Rules:
    """An analyzer as the kernels read it."""

    kinds: Bytes
    lowercase: bool
    min_length: int
    parts: int
    plurals: bool
    stopwords: TermTable


def analyze_batch(
    analyzer: Analyzer, texts: Sequence[str], table: TermTable, *, grow: bool = True
) -> TokenStream:
    """Number the tokens of texts, adding new ones to the table unless `grow` is false."""
    if isinstance(texts, str):
        raise InvalidArgumentError("texts must be a sequence of strings; put this one in a list")
    if grow:
        table.require_growth()
    try:
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    except TypeError:
        raise _not_text(texts) from None
    rules = _rules(analyzer)
    doc_offsets = np.zeros(len(texts) + 1, np.int64)
    streams = [np.empty(0, np.int32)]
    num_tokens = 0
    for first, last in _chunks(lengths):
        data, ends = _encode(analyzer, texts[first:last], lengths[first:last])
        term_ids, token_ends = _number(data, ends, rules, table, grow=grow)
        np.add(token_ends, num_tokens, out=doc_offsets[first + 1 : last + 1])
        streams.append(term_ids)
        num_tokens += len(term_ids)
    return TokenStream(np.concatenate(streams), doc_offsets)


def _chunks(lengths: Offsets) -> Iterator[tuple[int, int]]:
    """Cut documents into ranges of about CHUNK_CHARACTERS, each with at least one."""
    ends = np.cumsum(lengths)
    first, done = 0, 0
    while first < len(ends):
        last = int(np.searchsorted(ends, done + CHUNK_CHARACTERS, side="right"))
        last = max(last, first + 1)
        yield first, last
        first, done = last, int(ends[last - 1])


def _encode(
    analyzer: Analyzer, texts: Sequence[str], lengths: Offsets
) -> tuple[bytearray, Offsets]:
    """Write documents into one buffer, a line feed behind each, and tell where each ends."""
    try:
        ascii_only = np.fromiter(map(str.isascii, texts), np.bool_, len(texts))
    except TypeError:
        raise _not_text(texts) from None
    if not ascii_only.all():
        texts, lengths = list(texts), lengths.copy()
        spelling = _spelling(analyzer)
        for doc in np.flatnonzero(~ascii_only).tolist():
            texts[doc] = spelling.spell(texts[doc])
            lengths[doc] = len(texts[doc])
    joined = "\n".join(texts)
    return bytearray(joined + _END, "latin-1"), np.cumsum(lengths + 1)


# Some 10 MB; a language's usual words are far fewer.
_MOST_SPELLED = 1 << 16


class _Spelling(dict[str, str]):
    """What stands from blank to blank and isn't ASCII, as its tokens; each is found once."""

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self._analyzer = analyzer

    def __missing__(self, piece: str) -> str:
        """Each byte of a token's UTF-8 becomes one character, so that characters are bytes."""
        tokens = self._analyzer.tokens(piece)
        spelled = b"".join(_ATOM + token.encode("utf-8", "surrogatepass") for token in tokens)
        self[piece] = found = spelled.decode("latin-1")
        return found

    def spell(self, text: str) -> str:
        """Replace what isn't ASCII, from blank to blank, by its tokens.

        No token crosses a blank, nor does any rule of lowercasing look across one, so the
        definition may be applied to what stands between.
        """
        if len(self) > _MOST_SPELLED:
            self.clear()
        return " ".join([word if word.isascii() else self._lines(word) for word in text.split(" ")])

    def _lines(self, word: str) -> str:
        if "\n" not in word:
            return self[word]
        return "\n".join([piece if piece.isascii() else self[piece] for piece in word.split("\n")])


@lru_cache(maxsize=4)
def _spelling(analyzer: Analyzer) -> _Spelling:
    """One for all batches: the next holds much the same words."""
    return _Spelling(analyzer)


def _number(
    data: bytearray, ends: Offsets, rules: _Rules, table: TermTable, *, grow: bool
) -> tuple[TermIds, Offsets]:
    from qidf.kernels import tokenize as kernel
    from qidf.kernels.interning import drop_known

    # numba compiles anew for arrays that can't be written to; a bytearray's can.
    text: Bytes = np.frombuffer(data, np.uint8)
    # Only ASCII letters are folded: what isn't ASCII was folded before.
    folded: Bytes = np.frombuffer(data.lower(), np.uint8) if rules.lowercase else text
    # One entry a byte is far too many; memory that isn't written costs nothing.
    bounds = np.empty(len(text) + 1, np.int64)
    num_words = kernel.mark_words(text, rules.kinds, bounds)
    # A part has at least two bytes.
    most_parts = 0 if rules.parts == kernel.PARTS_NONE else len(text) // 2
    starts = np.empty(num_words + most_parts, np.int64)
    lengths = np.empty(num_words + most_parts, np.int64)
    num_tokens = kernel.split_words(
        text, rules.kinds, bounds, num_words, rules.min_length, rules.parts, starts, lengths
    )
    stopwords = rules.stopwords
    if len(stopwords) > 0:
        # Tokens found elsewhere went through this already, and a plural among them that was
        # folded since may look like a stop word now.
        num_tokens = drop_known(
            folded, starts, lengths, num_tokens, *stopwords.buffers(), len(stopwords), _ATOM[0]
        )
    token_ends = np.empty(len(ends), np.int64)
    kernel.count_tokens(starts, num_tokens, ends, token_ends)
    if rules.plurals:
        folded = _fold_plurals(text, folded, rules, starts[:num_tokens], lengths[:num_tokens])
    return table.number(folded, starts[:num_tokens], lengths[:num_tokens], grow=grow), token_ends


def _fold_plurals(
    text: Bytes, folded: Bytes, rules: _Rules, starts: Offsets, lengths: Offsets
) -> Bytes:
    """Let starts and lengths be those of singulars, and return the buffer that these are in."""
    from qidf.kernels import plurals as kernel

    respelled = np.empty(len(starts), np.int64)
    count, room = kernel.shorten(text, folded, rules.kinds, rules.parts, starts, lengths, respelled)
    if count == 0:
        return folded
    spelled = np.empty(len(folded) + room + PADDING, np.uint8)
    spelled[: len(folded)] = folded
    kernel.respell(spelled, len(folded), respelled[:count], starts, lengths)
    return spelled


@lru_cache(maxsize=16)
def _rules(analyzer: Analyzer) -> _Rules:
    from qidf.kernels import tokenize as kernel

    kinds = np.zeros(256, np.uint8)
    for code in range(128):
        character = chr(code)
        if analyzer.words == "whitespace":
            inside = not character.isspace()
        else:
            inside = character.isalnum() or character == "_"
        if inside:
            kinds[code] = (
                kernel.IN_WORD
                | kernel.UPPER * character.isupper()
                | kernel.LOWER * character.islower()
                | kernel.DIGIT * character.isdigit()
            )
    # Only tokens found elsewhere hold other bytes.
    kinds[128:] = kernel.IN_WORD
    kinds[_ATOM[0]] = kernel.ATOM
    stopwords = TermTable.from_tokens(sorted(analyzer.stopword_set))
    stopwords.reserve(_STOPWORD_ROOM * len(stopwords))
    return _Rules(
        kinds,
        analyzer.lowercase,
        min_length=2 if analyzer.words == "unicode" else 1,
        parts={
            "none": kernel.PARTS_NONE,
            "both": kernel.PARTS_BOTH,
            "only": kernel.PARTS_ONLY,
        }[analyzer.parts],
        plurals=analyzer.plurals == "fold",
        stopwords=stopwords,
    )


def _not_text(texts: Sequence[object]) -> InvalidArgumentError:
    culprit = next(text for text in texts if not isinstance(text, str))
    return InvalidArgumentError(f"texts must be strings, not {type(culprit).__name__}")
