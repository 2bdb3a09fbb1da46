"""How much a token of a piece of code says about the text that describes it, by its look alone.

The Robertson-Spärck Jones weight of a token is the log odds of finding it in a relevant document
minus those of finding it in any. The second part is counted; the first is estimated here from what
every engine knows of a query's token: how common it is, how early the code says it, how long it is,
and whether it is a word of the programming language. The five numbers come from a logistic
regression on functions and their documentation (`qidf study learnt` fits them anew).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qidf.records import dataclass

# Reserved words, literals and primitive types of C, Go, Java, JavaScript, Kotlin, PHP, Python,
# Ruby, Rust, Swift and TypeScript, without those that documentation says for their own sake, such
# as map or class.
_WORDS = """
abstract and as assert async await begin bool boolean break byte case catch chan char const
continue crate debugger declare def default defer defined deinit del die do double dyn echo elif
else elseif elsif end enddeclare endfor endforeach endif endswitch endwhile ensure enum eval
except extends extern fallthrough false fileprivate final finally float fn for foreach from fun
func function go goto guard if impl implements in include_once inout instanceof insteadof int
int16 int32 int64 int8 internal is isset lambda let long mut new next nil none nonlocal not null
or override pass private protected pub public raise readonly redo require require_once rescue
restrict rethrows retry return rune self short signed sizeof static strictfp string struct super
switch synchronized then this throw throws trait transient true try typealias typedef typeof uint
uint16 uint32 uint64 uint8 undef undefined unless unsafe unset unsigned until use val var virtual
void volatile when where while with xor yield
"""
KEYWORDS = frozenset(_WORDS.split())

# A token that speaks against a document still finds it: no weight is zero or less.
LEAST = 0.001
# By which power the evidence counts, the rest being the weight without it. On functions of four
# languages 0.6 to 0.8 is best or close to it, and 0.5 and 1 are behind.
SHARE = 2 / 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """The log odds that a text says a token of the code it describes, as a sum of five terms."""

    constant: float
    commonness: float
    position: float
    length: float
    keyword: float

    @property
    def numbers(self) -> tuple[float, ...]:
        """The five, in the order of `features`."""
        return self.constant, self.commonness, self.position, self.length, self.keyword

    def of_tokens(self, tokens: Sequence[str], doc_freqs: np.ndarray, num_docs: int) -> np.ndarray:
        """What is known of each token before a query says where: all but the position's part."""
        rows = features(tokens, doc_freqs, num_docs, np.zeros(len(tokens)))
        # Added up column by column: a product of matrices rounds by how many rows it has, and a
        # token must weigh the same in a batch and alone.
        found = rarity(doc_freqs, num_docs)
        for column, number in zip(rows.T, self.numbers, strict=True):
            found = found + column * number
        return found

    def at(self, of_tokens: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """The evidence of tokens that code says first at these positions, counted from 0."""
        found: np.ndarray = np.maximum(LEAST, of_tokens + self.position * np.log1p(positions))
        return found


# Fit on 6,000 functions of Go, JavaScript, Python and Ruby packages; Java and PHP had no part.
LEARNT = Evidence(-1.54, 1.47, -0.75, 0.81, -2.17)


def features(
    tokens: Sequence[str], doc_freqs: np.ndarray, num_docs: int, positions: np.ndarray
) -> np.ndarray:
    """A row for each token: what the five numbers of an `Evidence` are multiplied by."""
    common = np.log(np.maximum(doc_freqs, 1)) / np.log(max(num_docs, 2))
    lengths = np.log(np.fromiter((max(len(token), 1) for token in tokens), np.float64, len(tokens)))
    reserved = np.fromiter((token in KEYWORDS for token in tokens), np.float64, len(tokens))
    return np.column_stack([np.ones(len(tokens)), common, np.log1p(positions), lengths, reserved])


def rarity(doc_freqs: np.ndarray, num_docs: int) -> np.ndarray:
    """The log odds against a token in any document."""
    found: np.ndarray = np.log((num_docs - doc_freqs + 0.5) / (doc_freqs + 0.5))
    return found


def combined(weights: np.ndarray, evidence: np.ndarray) -> np.ndarray:
    """Weights with the evidence multiplied in; what weighs nothing still does."""
    found: np.ndarray = weights ** (1 - SHARE) * evidence**SHARE
    return found
