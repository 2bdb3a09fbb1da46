"""What has to be known about a language to find its definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from qidf.records import dataclass

NO_KEYWORDS: Mapping[str, str] = MappingProxyType({})

# Kinds whose functions are methods; a function inside any other definition stays a function.
CLASS_LIKE = frozenset({"class", "struct", "interface", "trait", "impl", "enum", "object"})

C_MARKS = ("/**", "/*!", "/*", "*/", "///", "//!", "//", "*")
HASH_MARKS = ("#'", "##", "#")
LISP_MARKS = (";;;;", ";;;", ";;", ";", "#|", "|#", '"')


@dataclass(frozen=True, slots=True)
class Language:
    """One row of the table of languages.

    `grammar` names the tree-sitter grammar; without one a file is cut into windows. `query` is a
    tree-sitter query in which a capture's name says what a node is:

    | capture    | node                                                                     |
    |------------|--------------------------------------------------------------------------|
    | @name      | the name of the definition in the same pattern                           |
    | @scope     | the class it belongs to, where that isn't around it (Go's receivers)     |
    | @doc       | a documentation string inside the definition                             |
    | @comment   | documents the definition that begins on the line after it                |
    | @prefix    | belongs to the definition that begins on the line after it (decorators)  |
    | @keyword   | its text, looked up in `keywords`, says what the pattern's @node is      |
    | @body      | what of the definition stands behind its node (Dart)                     |
    | any other  | a definition of that kind: @function, @class, @method ...                |

    `marks` open, continue or close comments and documentation strings; `separator` joins the names
    of nested definitions; `clauses` says that a function may come in several pieces, one below the
    other. `camel_case` says how most identifiers are written, and `prose` that a
    file is text for people.
    """

    name: str
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    grammar: str | None = None
    query: str = ""
    keywords: Mapping[str, str] = field(default_factory=lambda: NO_KEYWORDS)
    separator: str = "."
    marks: tuple[str, ...] = C_MARKS
    clauses: bool = False
    camel_case: bool = False
    prose: bool = False
