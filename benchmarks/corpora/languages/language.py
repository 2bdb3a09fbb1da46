"""What the pipeline needs to know about a language, and what several languages share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from benchmarks.corpora.functions import Found, Span
from qidf.errors import MissingExtraError

Finder = Callable[["Source"], Iterator[Found]]


@dataclass(frozen=True, slots=True)
class Language:
    """One language's rules; `find` sees a parsed file, the other fields are filters."""

    name: str
    suffixes: tuple[str, ...]
    grammar: str
    query: str
    find: Finder
    # Path parts, lower case, that mark code written elsewhere or tests.
    vendored: frozenset[str]
    tests: re.Pattern[str]
    generated_path: re.Pattern[str]
    # Standard methods that CodeSearchNet leaves out: constructors, conversions, comparisons.
    standard_names: frozenset[str] = field(default_factory=frozenset)
    grammar_function: str = "language"


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed file: its bytes and the nodes the language's query captured, in source order."""

    data: bytes
    # Nodes point into the tree without keeping it alive, so the file does.
    tree: Any
    captures: dict[str, list[Any]]

    def nodes(self, name: str) -> list[Any]:
        """Captured nodes of one name in source order, without repeats."""
        found = {(node.start_byte, -node.end_byte): node for node in self.captures.get(name, [])}
        return [found[key] for key in sorted(found)]

    def text(self, node: Any) -> str:
        """The text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


@cache
def _parser(language: Language) -> tuple[Any, Any]:
    try:
        import importlib

        import tree_sitter

        module = importlib.import_module(language.grammar)
    except ImportError as error:
        raise MissingExtraError(error.name or "tree-sitter", "test") from error
    grammar = tree_sitter.Language(getattr(module, language.grammar_function)())
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, language.query)


def parse(language: Language, data: bytes) -> Source:
    """The file's captured nodes; a syntax error leaves the rest of the file usable."""
    import tree_sitter

    parser, query = _parser(language)
    tree = parser.parse(data)
    return Source(data, tree, tree_sitter.QueryCursor(query).captures(tree.root_node))


def comments_above(source: Source, comments: dict[int, Any], row: int) -> list[Any]:
    """Comments that stand alone on the lines right above `row`, top first.

    `comments` maps the row a comment ends on to the comment.
    """
    above: list[Any] = []
    while (node := comments.get(row - 1)) is not None:
        line_start = node.start_byte - node.start_point.column
        if source.data[line_start : node.start_byte].strip():
            break
        above.append(node)
        row = node.start_point.row
    return above[::-1]


def inside(spans: list[Span], outer: Span) -> tuple[Span, ...]:
    """The spans, sorted by start, that lie within `outer`."""
    from bisect import bisect_left

    first = bisect_left(spans, outer)
    inner: list[Span] = []
    for span in spans[first:]:
        if span[0] >= outer[1]:
            break
        if span[1] <= outer[1]:
            inner.append(span)
    return tuple(inner)


_BLOCK_EDGE = re.compile(r"^\s*/\*+|\*+/\s*$")
_LINE_STAR = re.compile(r"^\s*\*+ ?")


def block_comment_text(comment: str) -> str:
    """A `/* */` comment without its delimiters and the stars its lines begin with."""
    body = _BLOCK_EDGE.sub("", _BLOCK_EDGE.sub("", comment))
    return "\n".join(_LINE_STAR.sub("", line) for line in body.splitlines())
