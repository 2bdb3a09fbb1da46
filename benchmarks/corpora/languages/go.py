"""Go: the comment block right above a function or method."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.corpora.functions import Found
from benchmarks.corpora.languages.comments import Comments
from benchmarks.corpora.languages.language import NEVER_BYTES, Language, Source

QUERY = """
(function_declaration body: (block)) @function
(method_declaration body: (block)) @function
(comment) @comment
"""

# Instructions to the toolchain (`//go:noinline`, `//nolint`, `//export F`), never documentation.
_DIRECTIVE = re.compile(r"^//(go:|line |export |extern |nolint|lint:|\s*\+build|#)")


_EDGE = re.compile(r"^\s*/\*+|\*+/\s*$")
_STAR = re.compile(r"^\s*\*+ ?")


def _block_text(comment: str) -> str:
    """A `/* */` comment without delimiters and stars; a line comment below it continues it."""
    return "\n".join(_STAR.sub("", line) for line in _EDGE.sub("", comment).splitlines())


def _documentation(source: Source, above: list[Any]) -> str:
    lines: list[str] = []
    for node in above:
        text = source.text(node)
        if text.startswith("/*"):
            lines.append(_block_text(text))
        elif not _DIRECTIVE.match(text):
            lines.append(text[2:])
    return "\n".join(lines)


def _symbol(source: Source, node: Any) -> str:
    name = source.text(node.child_by_field_name("name"))
    # `(s *Server[T])` names the type Server.
    receiver = source.text(node.child_by_field_name("receiver")).split("[")[0]
    owner = re.findall(r"\w+", receiver)
    return f"{owner[-1]}.{name}" if owner else name


def find(source: Source) -> Iterator[Found]:
    """Every function with a body, documented or not."""
    comments = Comments.from_source(source)
    for node in source.nodes("function"):
        if node.has_error:
            continue
        above = comments.lines_above(node.start_point.row)
        span = (node.start_byte, node.end_byte)
        yield Found(
            _symbol(source, node), _documentation(source, above), span, comments.inside(span)
        )


GO = Language(
    name="go",
    suffixes=(".go",),
    grammar="tree_sitter_go",
    query=QUERY,
    find=find,
    vendored=frozenset(
        {"vendor", "third_party", "thirdparty", "_obsolete", "godeps", "_workspace"}
    ),
    tests=re.compile(r"_test\.go$|(^|/)(tests?|testdata|testing|testutils?|mocks?)/"),
    # Go's own convention, "Code generated ... DO NOT EDIT", is among the shared notices.
    notice=NEVER_BYTES,
    # Import paths name major versions, and packages of two of them are two packages.
    versions_are_places=True,
    generated=re.compile(r"\.pb(\.gw)?\.go$|(^|[/_.])(zz_)?generated[_.]|\.gen\.go$|bindata"),
)
