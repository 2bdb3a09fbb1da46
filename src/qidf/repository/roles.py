"""What a file is for, by its path: code, tests and examples of it, building it, prose, or data.

Whoever asks about code nearly always means the code; tests, examples and documents say the same
things in more words and would fill the first page. They count half, unless the question names them.
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
    EXAMPLE = "example"
    BUILD = "build"
    PROSE = "prose"
    DATA = "data"


_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|unittests?|specs?|__tests__|testdata|test-data|fixtures?|e2e|t)/"
    r"|(?:^|/)(?:test[_-][^/]*|conftest\.py|[^/]*(?:[_.-](?:tests?|spec)|Tests?|Spec)\.[^/.]+)$"
)
# A module of tests in the file that it tests, as Rust has it.
_TEST_MODULE = re.compile(r"(?:^|\.|::)tests?(?:\.|::|$)")
_EXAMPLE = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|tutorials?|benchmarks?|benches|bench|perf)/"
    r"|(?:^|/)(?:bench(?:mark)?s?[_-][^/]*|[^/]*[_-]bench(?:mark)?s?\.[^/.]+)$"
)
_BUILD = re.compile(
    r"(?:^|/)(?:\.github|\.circleci|\.ci|ci|cmake|build-aux|m4)/"
    r"|(?:^|/)(?:setup\.py|conf\.py|noxfile\.py|build\.rs|configure(?:\.ac|\.in)?|meson\.build"
    r"|CMakeLists\.txt|[Mm]akefile(?:\.\w+)?|Rakefile|Gruntfile\.\w+|gulpfile\.\w+|Jenkinsfile"
    r"|Dockerfile|[\w.-]+\.config\.[cm]?[jt]s|[\w.-]+\.(?:cmake|gradle|gyp|gypi|bazel|bzl|mk|m4))$"
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
    Role.EXAMPLE: frozenset({"example", "sample", "demo", "tutorial", "benchmark", "bench"}),
    Role.BUILD: frozenset({"build", "cmake", "makefile", "setup", "configure", "ci", "dockerfile"}),
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
    if _EXAMPLE.search(path):
        return Role.EXAMPLE
    if _BUILD.search(path):
        return Role.BUILD
    if _PROSE.search(path):
        return Role.PROSE
    language = detect_language(path)
    if language is None:
        return Role.DATA if "." in path.rpartition("/")[2] else Role.CODE
    if language.prose:
        return Role.PROSE
    return Role.DATA if language.name in _DATA_LANGUAGES else Role.CODE


def may_hold_tests(path: str) -> bool:
    """Whether files in this language have tests beside what they test."""
    return path.endswith(".rs")


def is_test_symbol(symbol: str) -> bool:
    """Whether a definition is in a module of tests."""
    return _TEST_MODULE.search(symbol) is not None


def asked_roles(tokens: Collection[str]) -> frozenset[Role]:
    """The roles that count in full for a question with these tokens."""
    asked = {role for role, words in _ASKED_BY.items() if not words.isdisjoint(tokens)}
    return frozenset({Role.CODE, *asked})
