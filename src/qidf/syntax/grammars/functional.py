"""Functional languages: Haskell, OCaml, Elm, Elixir, Erlang, Nix."""

from __future__ import annotations

from types import MappingProxyType

from qidf.syntax.language import HASH_MARKS, Language

_HASKELL_MARKS = ("{-|", "{-", "-}", "-- |", "-- ^", "--")

FUNCTIONAL = (
    Language(
        "haskell",
        (".hs",),
        interpreters=("runghc", "runhaskell", "stack"),
        grammar="haskell",
        query="""
        (function name: (_) @name) @function
        (bind name: (_) @name) @function
        (data_type name: (_) @name) @type
        (newtype name: (_) @name) @type
        (type_synomym name: (_) @name) @type
        (class name: (_) @name) @interface
        (instance name: (_) @name) @impl
        (signature) @prefix
        [(comment) (haddock)] @comment
        """,
        marks=_HASKELL_MARKS,
        clauses=True,
        camel_case=True,
    ),
    Language(
        "ocaml",
        (".ml", ".mll", ".mly"),
        interpreters=("ocaml",),
        grammar="ocaml",
        query="""
        (value_definition (let_binding pattern: (value_name) @name)) @function
        (type_definition (type_binding name: (_) @name)) @type
        (module_definition (module_binding (module_name) @name)) @module
        (module_type_definition (module_type_name) @name) @interface
        (class_definition (class_binding (class_name) @name)) @class
        (method_definition (method_name) @name) @method
        (external (value_name) @name) @function
        (comment) @comment
        """,
        marks=("(**", "(*", "*)"),
    ),
    Language(
        "elm",
        (".elm",),
        grammar="elm",
        query="""
        (value_declaration (function_declaration_left . (lower_case_identifier) @name)) @function
        (type_alias_declaration name: (_) @name) @type
        (type_declaration name: (_) @name) @type
        (type_annotation) @prefix
        [(line_comment) (block_comment)] @comment
        """,
        marks=_HASKELL_MARKS,
        camel_case=True,
    ),
    Language(
        "elixir",
        (".ex", ".exs"),
        filenames=("mix.lock",),
        interpreters=("elixir",),
        grammar="elixir",
        query="""
        (call target: (identifier) @keyword (arguments . (_) @name)) @node
        (comment) @comment
        (unary_operator operand: (call target: (identifier) @keyword)) @node
        """,
        keywords=MappingProxyType(
            {
                "def": "function",
                "defp": "function",
                "defmacro": "macro",
                "defmacrop": "macro",
                "defguard": "macro",
                "defdelegate": "function",
                "defmodule": "module",
                "defprotocol": "interface",
                "defimpl": "impl",
                # What an attribute above a definition is to it.
                "doc": "comment",
                "moduledoc": "prefix",
                "spec": "prefix",
                "impl": "prefix",
                "deprecated": "prefix",
            }
        ),
        marks=('@doc ~S"""', '@doc """', '@doc "', '"""', '"', *HASH_MARKS),
        clauses=True,
    ),
    Language(
        "erlang",
        (".erl", ".hrl", ".escript"),
        filenames=("rebar.config",),
        interpreters=("escript",),
        grammar="erlang",
        query="""
        (fun_decl clause: (function_clause name: (_) @name)) @function
        (record_decl name: (_) @name) @struct
        (type_alias name: (type_name name: (_) @name)) @type
        (spec) @prefix
        (comment) @comment
        """,
        marks=("%%%", "%%", "%"),
        clauses=True,
    ),
    Language(
        "nix",
        (".nix",),
        grammar="nix",
        query="""
        (binding attrpath: (_) @name expression: (function_expression)) @function
        (comment) @comment
        """,
        marks=("/*", "*/", *HASH_MARKS),
        camel_case=True,
    ),
)
