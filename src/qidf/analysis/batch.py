"""The tokens of many texts at once, as numbers.

ASCII goes to a byte-level loop as it is. Anything else goes through `Analyzer.tokens`, and the loop
only numbers the tokens that found; either way the result is the same as numbering
`Analyzer.tokens` document by document.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress, count
from operator import not_

import numpy as np

from qidf.analysis.analyzer import Analyzer
from qidf.analysis.terms import Offsets, StringBuffer, TermIds, TermTable
from qidf.errors import InvalidArgumentError
from qidf.native import analysis as native
from qidf.native.library import address
from qidf.records import dataclass

# Characters that are looked at together: large enough that a call costs nothing, small enough that
# text and tokens stay near the core. A batch of documents of the usual size is one chunk.
CHUNK_CHARACTERS = 1 << 19
# Lengths of strings are 32 bits wide.
MAX_TEXT_BYTES = 2**32 - 1

# Stands before each token that is taken as it is.
_ATOM = bytes([native.ATOM])


@dataclass(frozen=True, slots=True)
class TokenStream:
    """Document i is term_ids[doc_offsets[i]:doc_offsets[i + 1]]; unknown tokens are -1."""

    term_ids: TermIds
    doc_offsets: Offsets

    @property
    def num_docs(self) -> int:
        """How many documents there are, empty ones included."""
        return len(self.doc_offsets) - 1


def analyze_batch(
    analyzer: Analyzer, texts: Sequence[str], table: TermTable, *, grow: bool = True
) -> TokenStream:
    """Number the tokens of texts, adding new ones to the table unless `grow` is false."""
    if grow:
        table.require_growth()
    doc_offsets, (term_ids,) = _numbered(analyzer, texts, [table], grow=grow)
    return TokenStream(term_ids, doc_offsets)


def look_up(
    analyzer: Analyzer, texts: Sequence[str], tables: Sequence[TermTable]
) -> tuple[Offsets, list[TermIds]]:
    """Where each text's tokens begin, and their numbers in each table, -1 where one has none."""
    return _numbered(analyzer, texts, tables, grow=False)


def _numbered(
    analyzer: Analyzer, texts: Sequence[str], tables: Sequence[TermTable], *, grow: bool
) -> tuple[Offsets, list[TermIds]]:
    if isinstance(texts, str):
        raise InvalidArgumentError("texts must be a sequence of strings; put this one in a list")
    if len(texts) == 1:
        return _one_numbered(_rules(analyzer), texts[0], tables, grow=grow)
    rules = _rules(analyzer)
    doc_offsets = np.zeros(len(texts) + 1, np.int64)
    found: list[list[TermIds]] = [[] for _ in tables]
    num_tokens = 0
    lengths = _lengths(texts)
    for first, last in _chunks(lengths):
        ends = doc_offsets[first + 1 : last + 1]
        part = texts if last - first == len(texts) else texts[first:last]
        tokens, found_tokens = _find_tokens(rules, part, lengths[first:last], ends)
        ends += num_tokens
        num_tokens += found_tokens
        for table, streams in zip(tables, found, strict=True):
            streams.append(table.numbers(tokens, found_tokens, grow=grow))
    return doc_offsets, [_joined(streams) for streams in found]


def _one_numbered(
    rules: _Rules, text: str, tables: Sequence[TermTable], *, grow: bool
) -> tuple[Offsets, list[TermIds]]:
    """The same for one text, such as a query, which takes microseconds."""
    if not isinstance(text, str):
        raise _not_text([text])
    data = (text if text.isascii() else rules.spelling.spell(text)).encode("latin-1")
    tokens = _room(len(data))
    # Where the text ends, and then where its tokens begin and end.
    bounds = np.array([len(data) + 1, 0, 0], np.int64)
    place = address(bounds)
    num_tokens = native.find_tokens(
        data, len(data), rules.address, place, 1, tokens.address, place + 2 * bounds.itemsize
    )
    return bounds[1:], [table.numbers(tokens, num_tokens, grow=grow) for table in tables]


def _joined(streams: list[TermIds]) -> TermIds:
    if len(streams) == 1:
        return streams[0]
    return np.concatenate([np.empty(0, np.int32), *streams])


def _chunks(lengths: Offsets) -> Iterator[tuple[int, int]]:
    """Cut documents into ranges of about CHUNK_CHARACTERS, each with at least one."""
    ends = np.cumsum(lengths)
    first, done = 0, 0
    while first < len(ends):
        last = int(np.searchsorted(ends, done + CHUNK_CHARACTERS, side="right"))
        last = max(last, first + 1)
        yield first, last
        first, done = last, int(ends[last - 1])


def _lengths(texts: Sequence[str]) -> Offsets:
    try:
        return np.fromiter(map(len, texts), np.int64, len(texts))
    except TypeError:
        raise _not_text(texts) from None


def _find_tokens(
    rules: _Rules, texts: Sequence[str], lengths: Offsets, token_ends: Offsets
) -> tuple[StringBuffer, int]:
    """The tokens of texts, in memory that the next call of this thread reuses."""
    data, doc_ends = _encode(rules, texts, lengths)
    tokens = _room(len(data))
    num_tokens: int = native.find_tokens(
        data,
        len(data),
        rules.address,
        address(doc_ends),
        len(doc_ends),
        tokens.address,
        address(token_ends),
    )
    return tokens, num_tokens


def _encode(rules: _Rules, texts: Sequence[str], lengths: Offsets) -> tuple[bytes, Offsets]:
    """Write documents into one buffer, a line feed behind each, and tell where each ends."""
    try:
        others = list(compress(count(), map(not_, map(str.isascii, texts))))
    except TypeError:
        raise _not_text(texts) from None
    ends = lengths + 1
    if others:
        texts = list(texts)
        for doc in others:
            texts[doc] = rules.spelling.spell(texts[doc])
            ends[doc] = len(texts[doc]) + 1
    return "\n".join(texts).encode("latin-1"), np.cumsum(ends, out=ends)


class _Memory(threading.local):
    """What a thread's calls find tokens in, one after the other."""

    def __init__(self) -> None:
        self.room = -1
        self.tokens: StringBuffer | None = None


_memory = _Memory()


def _room(size: int) -> StringBuffer:
    """Room for the tokens of a text; a text beyond the usual gets its own."""
    if size <= _memory.room and _memory.tokens is not None:
        return _memory.tokens
    if size > MAX_TEXT_BYTES:
        raise InvalidArgumentError("a text must be smaller than 4 GiB; cut it into several")
    room = max(size, 2 * CHUNK_CHARACTERS)
    tokens = StringBuffer(
        np.empty(2 * room + native.PADDING, np.uint8),
        np.empty(room + 1, np.int64),
        np.empty(room + 1, np.uint32),
        np.empty(room + 1, np.uint32),
    )
    if room == 2 * CHUNK_CHARACTERS:
        _memory.room, _memory.tokens = room, tokens
    return tokens


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


class _Rules:
    """An analyzer as the loops read it."""

    __slots__ = ("_native", "_stopwords", "address", "spelling")

    def __init__(self, analyzer: Analyzer) -> None:
        self.spelling = _Spelling(analyzer)
        self._stopwords = TermTable.from_tokens(sorted(analyzer.stopword_set))
        self._native = rules = native.Rules(
            whitespace=analyzer.words == "whitespace",
            lowercase=analyzer.lowercase,
            min_length=2 if analyzer.words == "unicode" else 1,
            parts={
                "none": native.PARTS_NONE,
                "both": native.PARTS_BOTH,
                "only": native.PARTS_ONLY,
            }[analyzer.parts],
            plurals=analyzer.plurals == "fold",
            stopwords=native.Table.from_address(self._stopwords.address),
        )
        for code in range(128):
            character = chr(code)
            rules.kinds[code] = (
                native.UPPER * character.isupper()
                | native.LOWER * character.islower()
                | native.DIGIT * character.isdigit()
            )
        rules.stop_shift, keys = _stop_keys(self._stopwords)
        for place, key in keys.items():
            rules.stop_keys[place] = key
        self.address = ctypes.addressof(rules)


@lru_cache(maxsize=16)
def _rules(analyzer: Analyzer) -> _Rules:
    return _Rules(analyzer)


# Stop words of more bytes don't fit in a key, and two that share a place have to be looked up.
_LONGEST_KEY = 7
_LOOK_UP = 2**64 - 1


def _stop_keys(stopwords: TermTable) -> tuple[int, dict[int, int]]:
    """A shift of hashes that keeps stop words apart, as far as one does, and each place's key."""
    hashes = stopwords.strings().hashes
    # A hash has 32 bits, of which a place takes the lowest after the shift.
    shifts = range(32 - native.STOP_KEYS.bit_length() + 2)
    places = [(hashes >> shift) % native.STOP_KEYS for shift in shifts]
    shift = max(shifts, key=lambda shift: len(np.unique(places[shift])))
    keys: dict[int, int] = {}
    for place, token in zip(places[shift].tolist(), stopwords.tokens(), strict=True):
        data = token.encode("utf-8", "surrogatepass")
        key = int.from_bytes(data, "little") | len(data) << 8 * _LONGEST_KEY
        keys[place] = _LOOK_UP if place in keys or len(data) > _LONGEST_KEY else key
    return shift, keys


def _not_text(texts: Sequence[object]) -> InvalidArgumentError:
    culprit = next(text for text in texts if not isinstance(text, str))
    return InvalidArgumentError(f"texts must be strings, not {type(culprit).__name__}")
