"""A repository's own docstrings as queries, so that nobody has to label anything.

A docstring says what its function does in the words of those who wrote it, and which function is
right is known. It is taken out of the code, or every query would find itself.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args

from qidf.datasets.dataset import Dataset, Texts
from qidf.datasets.functions import MinedFunction, MiningCounts, mine_functions, words
from qidf.datasets.records import Progress
from qidf.errors import InputError, InvalidArgumentError

Direction = Literal["to-code", "to-docstring"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

# With fewer, no difference below a quarter of the whole scale could be told from luck.
MIN_PAIRS = 30
# More queries narrow intervals that are narrow already.
MAX_QUERIES = 10_000


def read_docstrings(
    root: str | Path, *, direction: str = "to-code", progress: Progress | None = None
) -> Dataset:
    """Pair docstrings with functions of the code below a folder.

    `to-code` asks with the first paragraph of a docstring; the documents are all functions, those
    without a docstring too. `to-docstring` asks with code for docstrings, as CodeSearchNet does. Of
    functions with the same words one is kept, and a docstring that several have asks for none.
    """
    if direction not in DIRECTIONS:
        raise InvalidArgumentError(
            f"{direction!r} is no direction; choose from {', '.join(DIRECTIONS)}"
        )
    counts = MiningCounts()
    functions = _distinct(mine_functions(root, counts, progress=progress))
    shared = Counter(tuple(words(each.paragraph)) for each in functions)
    pairs = [each for each in functions if each.asks and shared[tuple(words(each.paragraph))] == 1]
    if len(pairs) < MIN_PAIRS:
        raise InputError(_too_few(root, counts, functions, pairs))
    asked = _sample(pairs)
    name = Path(root).resolve().name
    notes = [_summary(counts, functions, pairs)]
    if len(asked) < len(pairs):
        notes.append(f"{len(asked):,} of the pairs are asked, chosen by a digest of their place.")
    if direction == "to-code":
        documents = Texts([each.id for each in functions], [each.code for each in functions])
        queries = Texts(["doc:" + each.id for each in asked], [each.paragraph for each in asked])
        answers = {"doc:" + each.id: {each.id: 1} for each in asked}
    else:
        documents = Texts(["doc:" + each.id for each in pairs], [each.paragraph for each in pairs])
        queries = Texts([each.id for each in asked], [each.code for each in asked])
        answers = {each.id: {"doc:" + each.id: 1} for each in asked}
    return Dataset(
        f"{name} ({direction})",
        f"the functions of {root}",
        documents,
        queries,
        answers,
        tuple(notes),
    )


def _distinct(functions: Iterable[MinedFunction]) -> list[MinedFunction]:
    """The first function of each sequence of words, and of each place."""
    seen: set[bytes] = set()
    places: set[str] = set()
    kept = []
    for function in functions:
        digest = hashlib.blake2b(" ".join(words(function.code)).encode(), digest_size=16).digest()
        if digest not in seen and function.id not in places:
            seen.add(digest)
            places.add(function.id)
            kept.append(function)
    return kept


def _sample(pairs: list[MinedFunction]) -> list[MinedFunction]:
    if len(pairs) <= MAX_QUERIES:
        return pairs
    digests = [hashlib.blake2b(each.id.encode(), digest_size=8).digest() for each in pairs]
    chosen = sorted(range(len(pairs)), key=digests.__getitem__)[:MAX_QUERIES]
    return [pairs[at] for at in sorted(chosen)]


def _summary(
    counts: MiningCounts, functions: list[MinedFunction], pairs: list[MinedFunction]
) -> str:
    languages = ", ".join(f"{name} {count:,}" for name, count in counts.languages.most_common(4))
    left_out = ", ".join(f"{count:,} {why}" for why, count in counts.left_out.most_common())
    return (
        f"{len(functions):,} distinct functions of three lines or more in {counts.files:,} files"
        f" ({languages}); {counts.documented:,} are documented, {len(pairs):,} well enough to ask"
        " for, their docstrings taken out." + (f" Files left out: {left_out}." if left_out else "")
    )


def _too_few(
    root: str | Path,
    counts: MiningCounts,
    functions: list[MinedFunction],
    pairs: list[MinedFunction],
) -> str:
    if not counts.files:
        return f"there is no source code below {root}; give the root of a repository"
    return (
        f"{root} has {len(pairs):,} functions with a docstring of their own among"
        f" {len(functions):,}, and it takes {MIN_PAIRS} to compare anything; use the predicted q"
        " (qidf advise), or label some queries"
    )
