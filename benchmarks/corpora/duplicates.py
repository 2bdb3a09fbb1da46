"""Exact and near duplicates, dropped in a fixed order so that the result never depends on luck.

Same place: two functions of one name in files of one path, version numbers aside, of two packages.
Exact: two functions whose documentation, or whose code without comments, has the same words in the
same order, ignoring case. Near: the multisets of code words have Jaccard similarity of at least
0.8, the threshold of Allamanis 2019 ("The adverse effects of code duplication") that CodeSearchNet
uses. The first of a group is kept. The near rule is computed exactly, by prefix filtering
(Chaudhuri et al. 2006): two sets that similar must share one of their rarest elements.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.corpora.functions import Function, words

SIMILARITY = 0.8
# `gems/rack-2.2.6.4/lib` and `gems/rack-3.1.16/lib` are one place.
_VERSION = re.compile(r"\d+(\.\d+)+[^/]*")


def without_same_place(
    functions: Sequence[Function], *, versions_are_places: bool = False
) -> list[Function]:
    """The functions of the first package version that has their path and symbol.

    Within one package both stay: overloads share a name. Version numbers in paths are ignored
    unless they are places of their own.
    """
    owners: dict[tuple[str, str], tuple[str, str]] = {}
    kept: list[Function] = []
    for function in functions:
        owner = (function.package, function.version)
        path = function.path if versions_are_places else _VERSION.sub("", function.path)
        place = (path, function.symbol)
        if owners.setdefault(place, owner) == owner:
            kept.append(function)
    return kept


def _digest(text: str) -> bytes:
    return hashlib.blake2b(" ".join(words(text)).lower().encode(), digest_size=16).digest()


def without_exact(functions: Sequence[Function], side: str) -> list[Function]:
    """The first function of each distinct `documentation` or `stripped` code."""
    seen: set[bytes] = set()
    kept: list[Function] = []
    for function in functions:
        digest = _digest(getattr(function, side))
        if digest not in seen:
            seen.add(digest)
            kept.append(function)
    return kept


def _rarest_first(texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Each text's multiset as a set of ranks, rarest first: offsets and ranks.

    The k-th copy of a word is an element of its own, which makes multisets sets.
    """
    ids: dict[str, int] = {}
    flat: list[int] = []
    lengths = np.empty(len(texts), np.int64)
    for position, text in enumerate(texts):
        found = [ids.setdefault(word, len(ids)) for word in words(text.lower())]
        flat.extend(found)
        lengths[position] = len(found)
    word = np.array(flat, np.int64)
    owner = np.repeat(np.arange(len(texts), dtype=np.int64), lengths)
    order = np.lexsort((word, owner))
    word, owner = word[order], owner[order]
    first = np.ones(len(word), bool)
    first[1:] = (word[1:] != word[:-1]) | (owner[1:] != owner[:-1])
    starts = np.flatnonzero(first)
    copy = np.arange(len(word)) - np.repeat(starts, np.diff(np.append(starts, len(word))))
    element = word * (int(copy.max(initial=0)) + 1) + copy
    _, inverse, counts = np.unique(element, return_inverse=True, return_counts=True)
    rank_of = np.empty(len(counts), np.int32)
    rank_of[np.argsort(counts, kind="stable")] = np.arange(len(counts), dtype=np.int32)
    rank = rank_of[inverse]
    rank = rank[np.lexsort((rank, owner))]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets, rank


def near_duplicates(texts: Sequence[str], similarity: float = SIMILARITY) -> npt.NDArray[np.bool_]:
    """Which texts are at least that similar to an earlier one that was kept."""
    from benchmarks.corpora.similarity_join import mark_similar

    offsets, ranks = _rarest_first(texts)
    num_ranks = int(ranks.max(initial=-1)) + 1
    marked: npt.NDArray[np.bool_] = mark_similar(offsets, ranks, num_ranks, similarity)
    return marked


def without_near(functions: Sequence[Function]) -> list[Function]:
    """The functions whose code is not nearly that of an earlier one."""
    dropped = near_duplicates([function.stripped for function in functions])
    return [function for function, drop in zip(functions, dropped, strict=True) if not drop]
