"""Go: the comment block right above a function or method."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.corpora.functions import Found
from benchmarks.corpora.languages.language import (
    Language,
    Source,
    block_comment_text,
    comments_above,
    inside,
)

QUERY = """
(function_declaration name: (identifier) @name body: (block)) @function
(method_declaration name: (field_identifier) @name body: (block)) @function
(comment) @comment
"""

# Instructions to the toolchain (`//go:noinline`, `//nolint`, `//export F`), never documentation.
_DIRECTIVE = re.compile(r"^//(go:|line |export |extern |nolint|lint:|\s*\+build|#)")


def _documentation(source: Source, above: list[object]) -> str:
    lines: list[str] = []
    for node in above:
        text = source.text(node)
        if text.startswith("/*"):
            lines.append(block_comment_text(text))
        elif not _DIRECTIVE.match(text):
            lines.append(text[2:])
    return "\n".join(lines)


def _symbol(source: Source, node: object, name: str) -> str:
    receiver = node.child_by_field_name("receiver")  # type: ignore[attr-defined]
    if receiver is None:
        return name
    # `(s *Server[T])` names the type Server.
    owner = re.findall(r"\w+", source.text(receiver).split("[")[0])
    return f"{owner[-1]}.{name}" if owner else name


def find(source: Source) -> Iterator[Found]:
    """Every function with a body, documented or not."""
    comments = source.nodes("comment")
    by_last_row = {node.end_point.row: node for node in comments}
    spans = [(node.start_byte, node.end_byte) for node in comments]
    for node in source.nodes("function"):
        if node.has_error:
            continue
        name = source.text(node.child_by_field_name("name"))
        above = comments_above(source, by_last_row, node.start_point.row)
        span = (node.start_byte, node.end_byte)
        yield Found(
            _symbol(source, node, name), _documentation(source, above), span, inside(spans, span)
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
    generated_path=re.compile(r"\.pb(\.gw)?\.go$|(^|[/_.])(zz_)?generated[_.]|\.gen\.go$|bindata"),
)
