"""Lisps, whose definitions are lists that begin with a certain word."""

from __future__ import annotations

from types import MappingProxyType

from qidf.syntax.language import LISP_MARKS, Language

_COMMON_LISP_KINDS = MappingProxyType(
    {
        "defclass": "class",
        "defstruct": "struct",
        "defpackage": "module",
        "define-condition": "class",
        "deftype": "type",
        "defun": "function",
        "defmacro": "macro",
        "defgeneric": "function",
        "defmethod": "function",
    }
)

LISPS = (
    Language(
        "clojure",
        (".clj", ".cljs", ".cljc", ".edn"),
        interpreters=("bb", "clojure"),
        grammar="clojure",
        query="""
        (list_lit . value: (sym_lit) @keyword . value: (sym_lit) @name
          . value: (str_lit)? @doc) @node
        (comment) @comment
        """,
        keywords=MappingProxyType(
            {
                "defn": "function",
                "defn-": "function",
                "defmacro": "macro",
                "defmulti": "function",
                "defmethod": "function",
                "defrecord": "struct",
                "deftype": "struct",
                "defprotocol": "interface",
                "deftest": "function",
            }
        ),
        marks=LISP_MARKS,
    ),
    Language(
        "commonlisp",
        (".lisp", ".lsp", ".cl", ".asd"),
        interpreters=("sbcl", "clisp"),
        grammar="commonlisp",
        query="""
        (list_lit . value: (sym_lit) @keyword . value: (sym_lit) @name) @node
        (defun (defun_header keyword: (_) @keyword function_name: (_) @name)
          . value: (str_lit)? @doc) @node
        (comment) @comment
        """,
        keywords=_COMMON_LISP_KINDS,
        marks=LISP_MARKS,
    ),
    Language(
        "elisp",
        (".el",),
        filenames=(".emacs",),
        grammar="elisp",
        query="""
        (function_definition name: (_) @name docstring: (_)? @doc) @function
        (macro_definition name: (_) @name docstring: (_)? @doc) @macro
        (comment) @comment
        """,
        marks=LISP_MARKS,
    ),
    Language(
        "scheme",
        (".scm", ".ss", ".sld"),
        interpreters=("guile", "gosh", "csi"),
        grammar="scheme",
        query="""
        (list . (symbol) @keyword . (list . (symbol) @name)) @node
        (list . (symbol) @keyword . (symbol) @name . (list . (symbol) @value)) @node
        (comment) @comment
        """,
        keywords=MappingProxyType(
            {"define": "function", "define-syntax": "macro", "define-macro": "macro"}
        ),
        marks=LISP_MARKS,
    ),
)
