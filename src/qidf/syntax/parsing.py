"""Running tree-sitter: one parser a thread and grammar, within limits."""

from __future__ import annotations

import threading
import time
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from qidf.errors import MissingExtraError
from qidf.syntax.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query, QueryCursor

# Code that people write is far smaller; what is larger was generated, and a parser's memory is some
# twenty times the text.
MAX_PARSED_BYTES = 1_000_000
# A megabyte takes half a second; error recovery in a few grammars is worse than linear, and so is
# a query over brackets in brackets.
MAX_PARSE_MICROSECONDS = 10_000_000
# Each file that takes too long halves the time for those after it, down to this: a repository may
# be full of them.
MIN_PARSE_MICROSECONDS = 1_000_000

_threads = threading.local()


class ParseTimeoutError(Exception):
    """A file took too long to parse; it never leaves this package."""


def matches(
    source: bytes, language: Language, microseconds: int | None = None
) -> list[dict[str, list[Node]]]:
    """What the language's query captures in a file, in the order of the file."""
    if microseconds is None:
        microseconds = _patience()
    grammar = language.grammar or ""
    query = _query(grammar, language.query)
    parser = _parser(grammar, microseconds)
    try:
        tree = parser.parse(source)
    except ValueError:
        # An interrupted parser would go on with the next file where this one stopped.
        parser.reset()
        raise _too_slow(microseconds) from None
    cursor = _cursor(query, microseconds)
    started = time.monotonic()
    found = cursor.matches(tree.root_node)
    # A cursor that runs out of time ends as if there were no more.
    if (time.monotonic() - started) * 1e6 >= microseconds:
        raise _too_slow(microseconds)
    return [captures for _, captures in found]


def _patience() -> int:
    allowed: int = getattr(_threads, "microseconds", MAX_PARSE_MICROSECONDS)
    return allowed


def _too_slow(microseconds: int) -> ParseTimeoutError:
    if microseconds == _patience():
        _threads.microseconds = max(MIN_PARSE_MICROSECONDS, microseconds // 2)
    return ParseTimeoutError()


def _cursor(query: Query, microseconds: int) -> QueryCursor:
    from tree_sitter import QueryCursor

    with warnings.catch_warnings():
        # Its successor, a callback, is that of the parser.
        warnings.simplefilter("ignore", DeprecationWarning)
        return QueryCursor(query, timeout_micros=microseconds)


def _parser(grammar: str, microseconds: int) -> Parser:
    """The parser this thread has for a grammar; parsers can't be shared."""
    parsers: dict[tuple[str, int], Parser] | None = getattr(_threads, "parsers", None)
    if parsers is None:
        parsers = _threads.parsers = {}
    if (grammar, microseconds) not in parsers:
        from tree_sitter import Parser

        parser = Parser(_grammar(grammar))
        with warnings.catch_warnings():
            # Its successor, a callback, crashes the process in tree-sitter 0.25.2.
            warnings.simplefilter("ignore", DeprecationWarning)
            parser.timeout_micros = microseconds  # type: ignore[misc]
        parsers[grammar, microseconds] = parser
    return parsers[grammar, microseconds]


@cache
def _query(grammar: str, text: str) -> Query:
    """A language's query, compiled once."""
    compiled = _grammar(grammar)
    from tree_sitter import Query

    return Query(compiled, text)


@cache
def _grammar(name: str) -> Any:
    try:
        from tree_sitter_language_pack import get_language
    except ImportError:
        raise MissingExtraError("tree-sitter-language-pack", "code") from None
    return get_language(name)  # type: ignore[arg-type]
