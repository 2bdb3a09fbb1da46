"""Words that stand together in a question and in the code: a second look at the best spans.

An index of words doesn't know which of them stand side by side. The text of the few best spans
does, and reading those costs less than an index of positions would for every search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import compress
from operator import add

from qidf.records import dataclass

# What a program puts values into; in the words of a phrase it stands for anything. Every way to
# begin is a plain letter, which is looked for many times faster than anything else.
_PLACEHOLDER = re.compile(
    r"%(?:[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]\b|\(\w+\)[a-z])"
    r"|\$\{[^{}\n]*\}|#\{[^{}\n]*\}|\{[^{}\n]*\}"
)
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
# In ASCII, words are what is left once all else is blank; an apostrophe inside one is put aside as
# a letter that no text has.
_APOSTROPHE = re.compile(r"'(?<=[^\W_]')([a-z]+)'?")
_ASIDE = "\x01"
_BLANK = str.maketrans(
    {chr(code): " " for code in range(128) if not chr(code).isalnum()} | {_ASIDE: "'"}
)
# A value in the question, or what joins two pieces of a text in the code, takes the place of no
# more words than these.
_GAP = 4
# Words with such a gap between them stand together half as surely.
_GAP_WORTH = 0.5
# So many pairs of neighbours don't stand together by chance.
_STRONG_PAIRS = 5
# What a word says is held between these: a value in a pasted error is often the rarest word of it,
# and stands nowhere (errors of Django found first: 85% without the upper one, 92% with it).
_LEAST, _MOST = 0.2, 2.0
# Longer runs of words say no more.
_MAX_WORDS = 60


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in their order, in small letters; `weights` say how much each of them says."""

    words: tuple[str, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, text: str, weights: Mapping[str, float]) -> Phrase:
        """Read the words of a text, given what each says; one that says nothing counts a little."""
        words = words_of(text)[:_MAX_WORDS]
        return cls(words, tuple(min(weights.get(word, _LEAST), _MOST) for word in words))

    @property
    def strength(self) -> float:
        """How much it says that these words stand together: two often do by chance."""
        return min(1.0, (len(self.words) - 1) / _STRONG_PAIRS)

    def match(self, text: str) -> float:
        """How much of the phrase stands together in a text, from 0 to 1.

        Runs of words of the phrase are found in the text in their order, with gaps for values; the
        heaviest chain of them counts, as a share of all pairs of neighbours.
        """
        pairs: list[float] = list(map(add, self.weights, self.weights[1:]))
        total: float = sum(pairs)
        if not total:
            return 0.0
        small = text.lower()
        if sum(compress(pairs, [word in small for word in self.words[1:]])) < total / 3:
            return 0.0
        places: dict[str, list[int]] = {word: [] for word in self.words}
        words = words_of(text)
        for at, word in [each for each in enumerate(words) if each[1] in places]:
            places[word].append(at)
        best = 0.0
        # For each place where a chain may end, the heaviest that ends there.
        chains: list[dict[int, float]] = []
        for number, word in enumerate(self.words):
            ends: dict[int, float] = {}
            for at in places[word]:
                heaviest = 0.0
                for back in range(1, _GAP + 1):
                    if number - back < 0:
                        break
                    before = chains[number - back]
                    if not before:
                        continue
                    for gap in range(1, _GAP + 1):
                        if at - gap in before:
                            # A gap on either side is a value or a seam, and costs a little.
                            cost = 1.0 if back == gap == 1 else _GAP_WORTH
                            worth = before[at - gap] + cost * pairs[number - 1]
                            heaviest = max(heaviest, worth)
                ends[at] = heaviest
                best = max(best, heaviest)
            chains.append(ends)
        return best / total


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, parts of identifiers apart, placeholders left out."""
    text = _PLACEHOLDER.sub(" ", text).lower()
    if not text.isascii() or _ASIDE in text:
        return tuple(_WORD.findall(text.replace("_", " ")))
    if "'" in text:
        text = _APOSTROPHE.sub(rf"{_ASIDE}\1 ", text)
    return tuple(text.translate(_BLANK).split())
