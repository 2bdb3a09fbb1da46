"""What the pipeline needs to know about a language, and its parsed files."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmarks.corpora.functions import Found
from qidf.errors import MissingExtraError

NEVER = re.compile(r"(?!)")
NEVER_BYTES = re.compile(rb"(?!)")
GENERATED_BY = re.compile(rb"\A\W*generated (by|from)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed file: its bytes and the nodes the language's query captured."""

    data: bytes
    captures: dict[str, list[Any]]

    def nodes(self, name: str) -> list[Any]:
        """Captured nodes of one name in source order, without repeats."""
        found = {(node.start_byte, -node.end_byte): node for node in self.captures.get(name, [])}
        return [found[key] for key in sorted(found)]

    def text(self, node: Any) -> str:
        """The text of a node, empty for no node."""
        if node is None:
            return ""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Language:
    """One language's rules; `find` sees a parsed file, the patterns see lower-case paths."""

    name: str
    suffixes: tuple[str, ...]
    grammar: str
    query: str
    find: Callable[[Source], Iterator[Found]]
    # Folder names of code written elsewhere.
    vendored: frozenset[str]
    tests: re.Pattern[str]
    generated: re.Pattern[str]
    # A generator's notice besides those that every language shares, which are elsewhere.
    notice: re.Pattern[bytes] = GENERATED_BY
    # In the first or last lines of a compiled file.
    compiled: re.Pattern[bytes] = NEVER_BYTES
    # Names CodeSearchNet leaves out: constructors, conversions, comparisons.
    standard: re.Pattern[str] = NEVER
    grammar_function: str = "language"
    # Whether a version number in a path tells two places apart, or two versions of one.
    versions_are_places: bool = False


@cache
def _parser(language: Language) -> tuple[Any, Any]:
    try:
        tree_sitter = importlib.import_module("tree_sitter")
        module = importlib.import_module(language.grammar)
    except ImportError as error:
        raise MissingExtraError(error.name or "tree-sitter", "test") from error
    grammar = tree_sitter.Language(getattr(module, language.grammar_function)())
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, language.query)


def parse(language: Language, data: bytes) -> Source:
    """The file's captured nodes; a syntax error leaves the rest of the file usable."""
    parser, query = _parser(language)
    cursor = importlib.import_module("tree_sitter").QueryCursor(query)
    return Source(data, cursor.captures(parser.parse(data).root_node))
