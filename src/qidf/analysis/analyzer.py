"""How a text becomes tokens.

`Analyzer.tokens` is the definition; everything faster is tested against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, get_args

from qidf.analysis.identifiers import split_identifier
from qidf.analysis.plurals import fold_plural
from qidf.analysis.stopwords import ENGLISH
from qidf.errors import InvalidArgumentError
from qidf.records import dataclass

Words = Literal["unicode", "whitespace"]
Parts = Literal["none", "both", "only"]
Plurals = Literal["keep", "fold"]

# bm25s and scikit-learn find words with this pattern.
_WORD = re.compile(r"(?u)\b\w\w+\b")


@dataclass(frozen=True, slots=True, repr=False)
class Analyzer:
    """How text becomes tokens; the defaults are the preset `generic`.

    words: "unicode" takes runs of two or more word characters, "whitespace" whatever stands
    between whitespace.
    lowercase: fold case; identifiers are split into parts before, since case says where.
    stopwords: "english", "none" or words of your own; dropped from what comes out, parts included.
    parts: "none"; "both" gives each word and then its parts (a word that is its own only part
    comes once); "only" gives the parts, or the word itself if it has none.
    plurals: "keep", or "fold" English plurals into their singular once stop words are dropped; a
    word that comes out together with parts of its own is an identifier and stays as it is.
    """

    words: Words = "unicode"
    lowercase: bool = True
    stopwords: str | tuple[str, ...] = "english"
    parts: Parts = "none"
    plurals: Plurals = "keep"

    def __post_init__(self) -> None:
        if self.words not in get_args(Words):
            raise _unknown("words", self.words, get_args(Words))
        if self.parts not in get_args(Parts):
            raise _unknown("parts", self.parts, get_args(Parts))
        if self.plurals not in get_args(Plurals):
            raise _unknown("plurals", self.plurals, get_args(Plurals))
        if not isinstance(self.lowercase, bool):
            raise _unknown("lowercase", self.lowercase, (True, False))
        object.__setattr__(self, "stopwords", _canonical(self.stopwords, self.lowercase))

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text in order: the definition, in plain Python."""
        dropped = self.stopword_set
        if self.parts == "none":
            words = self._find_words(text.lower() if self.lowercase else text)
            found = [word for word in words if word not in dropped] if dropped else words
            return found if self.plurals == "keep" else list(map(fold_plural, found))
        return [token for word in self._find_words(text) for token in self._tokens(word, dropped)]

    @property
    def stopword_set(self) -> frozenset[str]:
        """The words that are dropped."""
        if self.stopwords == "english":
            return ENGLISH
        return frozenset() if self.stopwords == "none" else frozenset(self.stopwords)

    @property
    def spec(self) -> str:
        """The name `parse_analyzer` reads back; what an index saves."""
        from qidf.analysis.presets import format_analyzer

        return format_analyzer(self)

    def __repr__(self) -> str:
        return self.spec

    def _find_words(self, text: str) -> list[str]:
        return _WORD.findall(text) if self.words == "unicode" else text.split()

    def _tokens(self, word: str, dropped: frozenset[str]) -> list[str]:
        """The tokens of one word that may have parts."""
        pieces = self._pieces(word)
        if self.lowercase:
            pieces = [piece.lower() for piece in pieces]
        kept = [piece for piece in pieces if piece not in dropped]
        if self.plurals == "keep":
            return kept
        compound = self.parts == "both" and len(kept) > 1 and pieces[0] not in dropped
        return [*kept[:compound], *map(fold_plural, kept[compound:])]

    def _pieces(self, word: str) -> list[str]:
        parts = split_identifier(word)
        if not parts or parts == [word]:
            return [word]
        return parts if self.parts == "only" else [word, *parts]


def _canonical(stopwords: object, lowercase: bool) -> str | tuple[str, ...]:
    """Give equal stop lists one form, so that equal analyzers compare and print equal."""
    if isinstance(stopwords, str):
        if stopwords not in ("english", "none"):
            raise _unknown("stopwords", stopwords, ("english", "none", "a tuple of words"))
        return stopwords
    if not isinstance(stopwords, Iterable):
        raise _unknown("stopwords", stopwords, ("english", "none", "a tuple of words"))
    words = list(stopwords)
    for word in words:
        if not isinstance(word, str) or not word:
            raise InvalidArgumentError(f"stop words must be non-empty strings, not {word!r}")
    distinct = {word.lower() if lowercase else word for word in words}
    if not distinct:
        return "none"
    return "english" if distinct == ENGLISH else tuple(sorted(distinct))


def _unknown(field: str, value: object, known: Iterable[object]) -> InvalidArgumentError:
    choices = ", ".join(map(str, known))
    return InvalidArgumentError(f"{field} can't be {value!r}; choose one of: {choices}")
