"""A file's definitions, nested and documented."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from qidf.records import dataclass
from qidf.syntax.documentation import Attachments, Documentation, from_comments, inside, rows
from qidf.syntax.language import CLASS_LIKE, Language
from qidf.syntax.names import name_parts
from qidf.syntax.parsing import MAX_PARSED_BYTES, ParseTimeoutError, matches

if TYPE_CHECKING:
    from tree_sitter import Node

TOO_LARGE = "too large to parse"
TOO_SLOW = "took too long to parse"

# Captures that say something about a definition; any other capture is one.
_ROLES = frozenset(
    {"name", "scope", "doc", "comment", "prefix", "keyword", "node", "body", "value"}
)
_COMMENT, _PREFIX = "comment", "prefix"
# Nobody nests deeper by hand, and generated code mustn't make every name as long as the file.
MAX_SCOPE_DEPTH = 16
# Words that stand before a definition on its line, outside its node: `export`, `pub`, `type`.
_WORDS = re.compile(rb"[\w\s]*")


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, class or the like, with the comments and decorators that belong to it.

    Lines count from 1 and the last is included; bytes count from 0 and the last is not. The span
    covers the documentation, wherever it stands. `line` is where the name is.
    """

    kind: str
    name: str
    scope: tuple[str, ...]
    separator: str
    line: int
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    documentation: Documentation | None = None

    @property
    def symbol(self) -> str:
        """The name with those of the definitions around it."""
        return self.separator.join((*self.scope, self.name))


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions of a file in the order they begin; `notice` says why there are none."""

    language: str
    definitions: tuple[Definition, ...] = ()
    notice: str | None = None


class _Found(NamedTuple):
    """A definition as captured, before it knows what surrounds it."""

    start: int
    size: int
    node: Node
    kind: str
    name: Node
    scope: Node | None
    doc: Node | None
    end: Node


def outline(
    source: bytes,
    language: Language,
    *,
    max_bytes: int = MAX_PARSED_BYTES,
    documented: bool = True,
) -> Outline:
    """Find the definitions of a file; broken code gives what can be made out of it.

    Without `documented` their documentation isn't read, which takes longer than finding them;
    their lines are the same.
    """
    if language.grammar is None:
        return Outline(language.name)
    if len(source) > max_bytes:
        return Outline(language.name, notice=TOO_LARGE)
    found: dict[int, _Found] = {}
    attached = Attachments(source)
    try:
        captured = matches(source, language)
    except ParseTimeoutError:
        return Outline(language.name, notice=TOO_SLOW)
    for captures in captured:
        # Most matches are comments.
        if _COMMENT in captures:
            attached.add(captures[_COMMENT][0], comment=True)
            continue
        kind, node = _kind(captures, source, language)
        if node is None:
            continue
        if kind in (_COMMENT, _PREFIX):
            attached.add(node, comment=kind == _COMMENT)
        elif "name" in captures:
            start = node.start_byte
            one = _Found(
                start,
                node.end_byte - start,
                node,
                kind,
                captures["name"][0],
                _first(captures, "scope"),
                _first(captures, "doc"),
                captures["body"][0] if "body" in captures else node,
            )
            # A pattern with an optional part matches with and without it.
            if node.id not in found or one.doc is not None:
                found[node.id] = one
    # Clauses are told apart by their documentation.
    documented = documented or language.clauses
    definitions = _nested(found.values(), attached, source, language, documented)
    return Outline(language.name, tuple(_joined(definitions) if language.clauses else definitions))


def _kind(
    captures: dict[str, list[Node]], source: bytes, language: Language
) -> tuple[str, Node | None]:
    """What a match is, and its node; no node for a match that is nothing after all."""
    if "keyword" in captures:
        word = captures["keyword"][0]
        text = source[word.start_byte : word.end_byte].decode("utf-8", "replace")
        kind = language.keywords.get(text)
        return ("", None) if kind is None else (kind, captures["node"][0])
    for name, nodes in captures.items():
        if name not in _ROLES or name in (_COMMENT, _PREFIX):
            return name, nodes[0]
    return "", None


def _first(captures: dict[str, list[Node]], name: str) -> Node | None:
    nodes = captures.get(name)
    return nodes[0] if nodes else None


def _nested(
    found: Iterable[_Found],
    attached: Attachments,
    source: bytes,
    language: Language,
    documented: bool,
) -> list[Definition]:
    """Definitions in order, each with the names of those around it."""
    definitions: list[Definition] = []
    around: list[tuple[int, Definition]] = []
    for one in sorted(found, key=lambda one: (one.start, -one.size)):
        parts = name_parts(one.name, source, language.separator)
        if not parts:
            continue
        while around and around[-1][0] <= one.start:
            around.pop()
        parent = around[-1][1] if around else None
        scope = () if parent is None else (*parent.scope, parent.name)[-MAX_SCOPE_DEPTH:]
        if one.scope is not None:
            scope = (*scope, *name_parts(one.scope, source, language.separator))
        names = (*scope, *parts)
        definition = _definition(one, names, parent, attached, source, language, documented)
        definitions.append(definition)
        around.append((one.end.end_byte, definition))
    return definitions


def _definition(
    one: _Found,
    names: tuple[str, ...],
    parent: Definition | None,
    attached: Attachments,
    source: bytes,
    language: Language,
    documented: bool,
) -> Definition:
    first_row, column = one.node.start_point
    start = one.start
    line = start - column
    before = source[line:start]
    if column and _WORDS.fullmatch(before):
        start -= len(before.lstrip())
    attached_here = attached.above(one.node, line)
    if attached_here:
        top = attached_here[-1]
        first_row = top.node.start_point[0]
        start = top.start_byte - len(source[top.line : top.start_byte].lstrip())
    documentation: Documentation | None = None
    if documented and one.doc is not None:
        documentation = inside(one.doc, source, language.marks)
    elif documented:
        comments = [item.node for item in reversed(attached_here) if item.comment]
        documentation = from_comments(comments, source, language.marks)
    kind = one.kind
    if kind == "function" and parent is not None and parent.kind in CLASS_LIKE:
        kind = "method"
    return Definition(
        kind,
        names[-1],
        names[:-1],
        language.separator,
        one.name.start_point[0] + 1,
        first_row + 1,
        rows(one.end)[1] + 1,
        start,
        one.end.end_byte,
        documentation,
    )


def _joined(definitions: list[Definition]) -> list[Definition]:
    """Clauses of one function, one below the other, as one definition."""
    joined: list[Definition] = []
    for definition in definitions:
        last = joined[-1] if joined else None
        if (
            last is not None
            and (last.kind, last.name, last.scope)
            == (definition.kind, definition.name, definition.scope)
            and definition.documentation is None
            and last.end_line < definition.start_line <= last.end_line + 2
        ):
            joined[-1] = replace(last, end_line=definition.end_line, end_byte=definition.end_byte)
        else:
            joined.append(definition)
    return joined
