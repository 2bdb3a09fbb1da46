"""How much a token of a piece of code says about the text that describes it, by its look alone.

The Robertson-Spärck Jones weight of a token is the log odds of finding it in a relevant document
minus those of finding it in any. The second part is counted; the first is estimated here from what
every engine knows of a query's token: how common it is, how early the code says it, how long it is,
and whether it is a word of the programming language. The five numbers come from a logistic
regression on functions and their documentation (`qidf study learnt` fits them anew).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from qidf.analysis import TermTable
from qidf.native.library import address
from qidf.native.weighing import count_characters
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
        return self.of_looks(self.of_doc_freqs(doc_freqs, num_docs), *looks(tokens))

    def of_doc_freqs(self, doc_freqs: np.ndarray, num_docs: int) -> np.ndarray:
        """What is known of tokens by how common they are."""
        # Added up one by one, here and below: a product of matrices rounds by how many rows it has,
        # and a token must weigh the same in a batch and alone.
        found = rarity(doc_freqs, num_docs) + self.constant
        return found + self.commonness * _commonness(doc_freqs, num_docs)

    def of_looks(
        self, of_doc_freqs: np.ndarray, lengths: np.ndarray, reserved: np.ndarray
    ) -> np.ndarray:
        """The same with what tokens look like added."""
        found: np.ndarray = of_doc_freqs + self.length * np.log(lengths)
        return found + self.keyword * reserved

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
    lengths, reserved = looks(tokens)
    common, ones = _commonness(doc_freqs, num_docs), np.ones(len(tokens))
    return np.column_stack([ones, common, np.log1p(positions), np.log(lengths), reserved])


def looks(tokens: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """How long tokens are, at least 1, and which are words of a programming language."""
    lengths = np.fromiter((max(len(token), 1) for token in tokens), np.float64, len(tokens))
    return lengths, np.fromiter((token in KEYWORDS for token in tokens), bool, len(tokens))


def looks_of_terms(terms: TermTable) -> tuple[np.ndarray, np.ndarray]:
    """The same for the strings of a table, without making them strings."""
    lengths = np.empty(len(terms))
    count_characters(terms.address, address(lengths))
    return lengths, _keyword_table().lookup_table(terms) >= 0


@cache
def _keyword_table() -> TermTable:
    return TermTable.from_tokens(sorted(KEYWORDS))


def _commonness(doc_freqs: np.ndarray, num_docs: int) -> np.ndarray:
    found: np.ndarray = np.log(np.maximum(doc_freqs, 1)) / np.log(max(num_docs, 2))
    return found


def rarity(doc_freqs: np.ndarray, num_docs: int) -> np.ndarray:
    """The log odds against a token in any document."""
    found: np.ndarray = np.log((num_docs - doc_freqs + 0.5) / (doc_freqs + 0.5))
    return found


def combined(weights: np.ndarray, evidence: np.ndarray) -> np.ndarray:
    """Weights with the evidence multiplied in; what weighs nothing still does."""
    found: np.ndarray = weights ** (1 - SHARE) * evidence**SHARE
    return found
