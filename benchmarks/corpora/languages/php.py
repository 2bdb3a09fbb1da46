"""PHP: the `/** */` block before a function or method."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.corpora.functions import Found
from benchmarks.corpora.languages.comments import Comments, qualified
from benchmarks.corpora.languages.language import Language, Source

QUERY = """
(function_definition body: (compound_statement)) @function
(method_declaration body: (compound_statement)) @function
(comment) @comment
"""

OWNERS = frozenset(
    {"class_declaration", "trait_declaration", "interface_declaration", "enum_declaration"}
)


def find(source: Source) -> Iterator[Found]:
    """Every function and method with a body, documented or not."""
    comments = Comments.from_source(source)
    for node in source.nodes("function"):
        if node.has_error:
            continue
        name = source.text(node.child_by_field_name("name"))
        span = (node.start_byte, node.end_byte)
        yield Found(
            qualified(source, node, name, OWNERS),
            comments.block_before(node.start_byte),
            span,
            comments.inside(span),
        )


PHP = Language(
    name="php",
    suffixes=(".php", ".inc"),
    grammar="tree_sitter_php",
    query=QUERY,
    find=find,
    vendored=frozenset(
        {"vendor", "third_party", "thirdparty", "3rdparty", "external", "externals", "node_modules"}
    ),
    tests=re.compile(
        r"(^|/)(tests?|testing|phpunit|simpletest|specs?|fixtures)/|(test|testcase|spec)\.php$"
    ),
    generated=re.compile(r"(^|/)(generated|cache)/|(autoload|classmap)[^/]*\.php$"),
    # Magic methods.
    standard=re.compile(r"__\w+"),
    grammar_function="language_php",
)
