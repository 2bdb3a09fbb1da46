"""Java: the Javadoc before a method; constructors are left out, as in CodeSearchNet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.corpora.functions import Found
from benchmarks.corpora.languages.comments import Comments, qualified
from benchmarks.corpora.languages.language import Language, Source

QUERY = """
(method_declaration body: (block)) @function
(line_comment) @comment
(block_comment) @comment
"""

OWNERS = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)

# Javadoc separates paragraphs with a tag, with or without a blank line.
_PARAGRAPH = re.compile(r"</?p\s*/?>", re.IGNORECASE)


def find(source: Source) -> Iterator[Found]:
    """Every method with a body, documented or not."""
    comments = Comments.from_source(source)
    for node in source.nodes("function"):
        if node.has_error:
            continue
        name = source.text(node.child_by_field_name("name"))
        span = (node.start_byte, node.end_byte)
        yield Found(
            qualified(source, node, name, OWNERS),
            _PARAGRAPH.sub("\n\n", comments.block_before(node.start_byte)),
            span,
            comments.inside(span),
        )


JAVA = Language(
    name="java",
    suffixes=(".java",),
    grammar="tree_sitter_java",
    query=QUERY,
    find=find,
    vendored=frozenset(
        {"vendor", "third_party", "thirdparty", "3rdparty", "external", "externals"}
    ),
    tests=re.compile(
        r"(^|/)(tests?|testing|jtreg|testsuite|testdata|[^/]*-tests?|integrationtests?|it)/"
        r"|(tests?|testcase|testbase)\.java$|(^|/)test[^/]*\.java$"
    ),
    generated=re.compile(r"(^|/)(generated[^/]*|gen-[^/]*|gensrc)/|pb2?\.java$|grpc\.java$"),
    standard=re.compile(r"toString|hashCode|equals|finalize|notify|notifyAll|clone|compareTo"),
)
