"""Ruby: the `#` lines, or the `=begin` block, right above a method."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.corpora.functions import Found
from benchmarks.corpora.languages.comments import Comments, qualified
from benchmarks.corpora.languages.language import Language, Source

QUERY = """
(method) @function
(singleton_method) @function
(comment) @comment
"""

OWNERS = frozenset({"class", "module"})

_HASHES = re.compile(r"^#+ ?")
# Instructions to Ruby, RuboCop and RDoc; `##` alone only opens a documentation block.
_DIRECTIVE = re.compile(
    r"^#+\s*(-\*-|rubocop:|frozen_string_literal|encoding:|coding:|typed:|:nodoc:|:doc:|:stopdoc:"
    r"|:startdoc:|--$|\+\+$|!/)"
)


def _documentation(source: Source, above: list[Any]) -> str:
    lines: list[str] = []
    for node in above:
        text = source.text(node)
        if text.startswith("=begin"):
            lines += text.splitlines()[1:-1]
        elif not _DIRECTIVE.match(text):
            lines.append(_HASHES.sub("", text))
    return "\n".join(lines)


def find(source: Source) -> Iterator[Found]:
    """Every method, documented or not."""
    comments = Comments.from_source(source)
    for node in source.nodes("function"):
        if node.has_error:
            continue
        name = source.text(node.child_by_field_name("name"))
        above = comments.lines_above(node.start_point.row)
        span = (node.start_byte, node.end_byte)
        yield Found(
            qualified(source, node, name, OWNERS),
            _documentation(source, above),
            span,
            comments.inside(span),
        )


RUBY = Language(
    name="ruby",
    suffixes=(".rb",),
    grammar="tree_sitter_ruby",
    query=QUERY,
    find=find,
    vendored=frozenset({"vendor", "third_party", "vendored", "bundled_gems"}),
    tests=re.compile(r"_(test|spec)\.rb$|(^|/)test_[^/]*\.rb$|(^|/)(tests?|specs?|features)/"),
    generated=re.compile(r"_pb\.rb$|_services_pb\.rb$|(^|/)generated/|\.tab\.rb$"),
    standard=re.compile(
        r"initialize|to_text|to_s|inspect|display|dup|clone|equal\?|eql\?|hash|between\?|method_missing"
        r"|respond_to_missing\?|[=<>]=?|<=>|===|!=|=~"
    ),
)
