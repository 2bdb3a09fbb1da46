"""Queries to try: a rare name out of a document, with two of its everyday words.

Of a repository, the words of a definition's name, as somebody asks who doesn't know it.
"""

from __future__ import annotations

import math
import re

from qidf.analysis.identifiers import split_identifier
from qidf.errors import QidfError
from qidf.index import Index
from qidf.repository.leads import last_name
from qidf.repository.roles import Role, role_of
from qidf.serving.web.collection import Collection

# Documents looked at, spread over the collection; most of them have a rare name.
LOOKED_AT = 24
# Names of definitions cost less to look at, and fewer of them say something.
NAMES_LOOKED_AT = 600
WANTED = 3
# The beginning of a document says what it is about.
READ_CHARACTERS = 4_000
# Shorter names are seldom anyone's query, longer ones seldom anyone's name.
NAME_LENGTHS = range(7, 40)
# Words in about every fiftieth document are neither syntax nor names.
EVERYDAY_SHARE = 0.02
# A name of so many words says what it is for.
SPOKEN_WORDS = range(3, 6)

_NAME = re.compile(r"[A-Za-z]+(_[A-Za-z]+)*\Z")
_WORD = re.compile(r"\w+")


def example_queries(collection: Collection) -> list[str]:
    """A few queries of this collection's own words; none where its texts can't be seen."""
    size = len(collection.index)
    if size == 0:
        return []
    spoken = [_asked_for(collection.index, place) for place in _spread(size, NAMES_LOOKED_AT)]
    asked = list(dict.fromkeys(filter(None, spoken)))
    if asked:
        return [asked[place] for place in _spread(len(asked), min(WANTED, len(asked)))]
    found: dict[str, int] = {}
    for position in _spread(size, LOOKED_AT):
        example = _example(collection, position)
        if example is not None:
            found.setdefault(example[0], example[1])
    # Names of several parts show best what one rare name can do.
    best = sorted(found, key=lambda query: (found[query], query))
    return best[:WANTED]


def _example(collection: Collection, position: int) -> tuple[str, int] | None:
    """One query from the document at a position, and how unlike a name of code it is."""
    index = collection.index
    try:
        (doc_id,) = index.ids([position])
        found = collection.texts.text(doc_id, index.metadata(doc_id))
    except QidfError:
        # Deleted documents keep their positions until the next merge.
        return None
    text = "" if found is None else found.content[:READ_CHARACTERS]
    spelled = {word.lower(): word for word in reversed(_WORD.findall(text))}
    tokens = [token for token in dict.fromkeys(spelled) if index.analyzer.tokens(token)]
    doc_freqs = dict(zip(tokens, index.doc_freqs(tokens).tolist(), strict=True))
    names = [
        token
        for token in tokens
        if 0 < doc_freqs[token] <= 3 and len(token) in NAME_LENGTHS and _NAME.match(token)
    ]
    common = sorted(
        (
            token
            for token in tokens
            if token.isalpha() and 3 < len(token) < 12 and 3 < doc_freqs[token] < len(index) / 4
        ),
        key=lambda token: abs(math.log(doc_freqs[token] / (EVERYDAY_SHARE * len(index)))),
    )
    if not names or len(common) < 2:
        return None
    name = max(names, key=lambda token: (_is_compound(spelled[token]), len(token)))
    return " ".join((spelled[name], *common[:2])), int(not _is_compound(spelled[name]))


def _spread(size: int, count: int) -> list[int]:
    """So many places, as far from each other as they can be."""
    return sorted({(2 * step + 1) * size // (2 * count) for step in range(count)})


def _asked_for(index: Index, position: int) -> str | None:
    """What somebody would ask who looks for a definition of code and doesn't know its name."""
    try:
        (span,) = index.ids([position])
        symbol = str(index.metadata(span).get("symbol", ""))
    except QidfError:
        return None
    query = " ".join(word.lower() for word in split_identifier(last_name(symbol)))
    said = len(index.analyzer.tokens(query))
    if said not in SPOKEN_WORDS or said < len(query.split()):
        return None
    return query if role_of(str(span).rpartition(":")[0]) is Role.CODE else None


def _is_compound(word: str) -> bool:
    return "_" in word.strip("_") or (word != word.lower() and not word[1:].islower())
