"""JavaScript: the `/** */` block before a function, or before the statement that names it.

The code is the function itself, as in CodeSearchNet: of `exports.f = function (x) {...}` it starts
at `function`, so the name is in the symbol only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.corpora.functions import Found
from benchmarks.corpora.languages.comments import Comments, qualified
from benchmarks.corpora.languages.language import Language, Source

QUERY = """
(function_declaration) @function
(generator_function_declaration) @function
(method_definition) @function
(function_expression) @value
(arrow_function) @value
(comment) @comment
"""

OWNERS = frozenset({"class_declaration", "class"})
# What can name a function value, and the field that holds the name.
NAMED_BY = {"variable_declarator": "name", "assignment_expression": "left", "pair": "key"}
# Statements that begin where a declaration's documentation ends.
STATEMENTS = frozenset(
    {"expression_statement", "lexical_declaration", "variable_declaration", "export_statement"}
)


def _statement(node: Any) -> Any:
    """The outermost statement that begins with this node or names it."""
    while (parent := node.parent) is not None and parent.type in {*STATEMENTS, *NAMED_BY}:
        if node.type == "variable_declarator" and parent.named_children[0] != node:
            break  # the second name of `var a, b = function () {}` has its own documentation
        node = parent
    return node


def _name(source: Source, node: Any) -> str:
    if node.type in ("function_expression", "arrow_function"):
        parent = node.parent
        field = NAMED_BY.get(parent.type, "")
        name = parent.child_by_field_name(field) if field else None
        return source.text(name).strip("'\"")
    return qualified(source, node, source.text(node.child_by_field_name("name")), OWNERS)


def find(source: Source) -> Iterator[Found]:
    """Every function that has a name, documented or not."""
    comments = Comments.from_source(source)
    for node in source.nodes("function") + source.nodes("value"):
        name = "" if node.has_error else _name(source, node)
        if not name:
            continue
        span = (node.start_byte, node.end_byte)
        # A later name of a chain (`exports.f = f = function`) has the documentation of the first.
        documentation = comments.block_before(_statement(node).start_byte)
        yield Found(name, documentation, span, comments.inside(span))


JAVASCRIPT = Language(
    name="javascript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx"),
    grammar="tree_sitter_javascript",
    query=QUERY,
    find=find,
    vendored=frozenset(
        {
            *("node_modules", "bower_components", "vendor", "vendors", "third_party", "thirdparty"),
            *("3rdparty", "external", "externals", "deps", "jspm_packages"),
        }
    ),
    tests=re.compile(
        r"(^|/)(tests?|__tests?__|specs?|testing|fixtures|__mocks__|benchmarks?)/"
        r"|[._-](test|spec)s?\.[cm]?jsx?$|(^|/)tests?\.[cm]?jsx?$"
    ),
    generated=re.compile(
        r"[.-]min\.[cm]?js$|[._-](bundle|umd|iife|amd|esm|prod|global)\.[cm]?js$|(^|/)generated/"
        r"|(^|/)bundles?/|_pb\.js$"
    ),
    # What TypeScript, Babel and bundlers leave in their output.
    compiled=re.compile(rb"__esModule|sourceMappingURL="),
    standard=re.compile(r"constructor|toString|toLocaleString|valueOf"),
)
