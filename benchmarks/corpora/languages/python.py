"""Python: the docstring, which stands inside the function.

`published` code therefore contains its own document, as in CodeSearchNet; `stripped` doesn't.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.corpora.functions import Found
from benchmarks.corpora.languages.comments import Comments, qualified
from benchmarks.corpora.languages.language import Language, Source

QUERY = """
(function_definition) @function
(comment) @comment
"""

OWNERS = frozenset({"class_definition"})

_QUOTES = re.compile(r"^[rRuU]?(\"\"\"|'''|\"|')(.*)\1$", re.DOTALL)


def _docstring(node: Any) -> Any | None:
    """The statement that is the docstring of a function, if there is one."""
    body = node.child_by_field_name("body")
    first = next((child for child in body.named_children if child.type != "comment"), None)
    if first is None or first.type != "expression_statement" or first.named_child_count != 1:
        return None
    return first if first.named_children[0].type == "string" else None


def _is_nested(node: Any) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.type == "function_definition":
            return True
        parent = parent.parent
    return False


def find(source: Source) -> Iterator[Found]:
    """Functions of modules and classes; one inside another is part of the outer one's text."""
    comments = Comments.from_source(source)
    for node in source.nodes("function"):
        if node.has_error or _is_nested(node):
            continue
        name = source.text(node.child_by_field_name("name"))
        span = (node.start_byte, node.end_byte)
        cuts = comments.inside(span)
        documentation = ""
        statement = _docstring(node)
        if statement is not None:
            cuts = (*cuts, (statement.start_byte, statement.end_byte))
            quoted = _QUOTES.match(source.text(statement))
            documentation = inspect.cleandoc(quoted[2]) if quoted else ""
        yield Found(qualified(source, node, name, OWNERS), documentation, span, cuts)


PYTHON = Language(
    name="python",
    suffixes=(".py",),
    grammar="tree_sitter_python",
    query=QUERY,
    find=find,
    vendored=frozenset(
        {
            *("vendor", "_vendor", "vendored", "_vendored", "third_party", "thirdparty"),
            *("extern", "_extern", "externals", "external", "bundled", "3rdparty"),
        }
    ),
    tests=re.compile(
        r"(^|/)(tests?|_tests?|testing|testsuite|idle_test)/"
        r"|(^|/)(test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$"
    ),
    generated=re.compile(
        r"_pb2(_grpc)?\.py$|(^|/)(_?generated|_generated_[^/]*)/|(lex|yacc)tab\.py$"
    ),
    standard=re.compile(r"__\w+__"),
)
