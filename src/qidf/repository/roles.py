"""What a file is for, by its path: code, tests of it, prose about it, or data.

Whoever asks about code nearly always means the code; tests and documents say the same things in
more words and would fill the first page. They count half, unless the question names them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum
from functools import lru_cache

from qidf.syntax import detect_language

# Ten repositories asked by messages of commits (benchmarks/code_search, the half that settings are
# chosen on): file NDCG@10 .574 when all files count the same, .663 at 0.7, .676 at 0.5 and .681
# at 0.3; recall within 8,000 tokens .604, .690, .717 and .722. A half, so that a test that matches
# far better than any code still comes first.
BESIDE_WEIGHT = 0.5


class Role(Enum):
    """What a file is for."""

    CODE = "code"
    TEST = "test"
    PROSE = "prose"
    DATA = "data"


_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|unittests?|specs?|__tests__|testdata|test-data|fixtures?|e2e|t)/"
    r"|(?:^|/)(?:test[_-][^/]*|conftest\.py|[^/]*(?:[_.-](?:tests?|spec)|Tests?|Spec)\.[^/.]+)$"
)
_PROSE = re.compile(
    r"(?:^|/)(?:docs?|documentation|man|changelogs?|news|release-notes)/"
    r"|(?:^|/)(?:readme|changes|changelog|news|history|todo|authors|copying|license|install)"
    r"(?:\.(?:md|rst|txt|adoc|html?))?$",
    re.IGNORECASE,
)
_DATA_LANGUAGES = frozenset({"xml", "json", "yaml", "toml", "ini", "csv", "diff"})

# Words that ask for what isn't code, as the analyzer for code writes them.
_ASKED_BY = {
    Role.TEST: frozenset({"test", "spec", "fixture"}),
    Role.PROSE: frozenset(
        {"doc", "documentation", "readme", "changelog", "manual", "guide", "markdown", "rst"}
    ),
    Role.DATA: _DATA_LANGUAGES | {"config", "configuration", "translation", "locale"},
}


@lru_cache(maxsize=1 << 16)
def role_of(path: str) -> Role:
    """The role of a file, given its path from the root."""
    if _TEST.search(path):
        return Role.TEST
    if _PROSE.search(path):
        return Role.PROSE
    language = detect_language(path)
    if language is None:
        return Role.DATA if "." in path.rpartition("/")[2] else Role.CODE
    if language.prose:
        return Role.PROSE
    return Role.DATA if language.name in _DATA_LANGUAGES else Role.CODE


def asked_roles(tokens: Collection[str]) -> frozenset[Role]:
    """The roles that count in full for a question with these tokens."""
    asked = {role for role, words in _ASKED_BY.items() if not words.isdisjoint(tokens)}
    return frozenset({Role.CODE, *asked})
