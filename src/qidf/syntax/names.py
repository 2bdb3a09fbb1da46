"""What a definition is called, read from the node that holds its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

# A "name" longer than this is a broken file's, not a person's.
MAX_NAME_LENGTH = 200

_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
# Where parameters, type parameters, guards or bodies begin.
_END_OF_NAME = re.compile(r"[\s(\[{<,;=]")
_QUOTES = "\"'`"
# What nearly all names are: nothing of the below changes them.
_PLAIN_NAME = re.compile(rb"\w{1,%d}" % MAX_NAME_LENGTH)


def name_parts(node: Node, source: bytes, separator: str) -> list[str]:
    """The name of a definition, after those of the scopes that it spells out (`Point::scale`)."""
    whole = source[node.start_byte : node.end_byte]
    if _PLAIN_NAME.fullmatch(whole):
        return [whole.decode("ascii")]
    node = _innermost_declarator(node)
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace").strip()
    text = text.strip(_QUOTES)
    if separator == "::":
        head, operator, tail = text.partition("operator")
        if operator and (not head or head.endswith("::")) and not tail[:1].isalnum():
            return [*_split(head, separator), "operator" + tail.partition("(")[0].strip()]
        while _TEMPLATE_ARGUMENTS.search(text):
            text = _TEMPLATE_ARGUMENTS.sub("", text)
    elif node.type == "method_index_expression":
        # Lua's table:method.
        text = text.replace(":", separator)
    text = _END_OF_NAME.split(text, maxsplit=1)[0]
    if len(text) > MAX_NAME_LENGTH:
        return []
    return _split(text, separator)


def _split(text: str, separator: str) -> list[str]:
    return [piece for piece in text.split(separator) if piece]


def _innermost_declarator(node: Node) -> Node:
    """The name inside C's pointers, references, arrays and parameter lists."""
    while node.type.endswith("_declarator"):
        inner = node.child_by_field_name("declarator") or node.named_child(0)
        if inner is None:
            break
        node = inner
    return node
