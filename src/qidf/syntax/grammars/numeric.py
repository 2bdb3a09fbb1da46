"""Languages of numbers and circuits: R, Julia, Fortran, Matlab, Pascal, Verilog."""

from __future__ import annotations

from qidf.syntax.language import HASH_MARKS, Language

_PERCENT_MARKS = ("%{", "%}", "%%", "%")

NUMERIC = (
    Language(
        "r",
        (".r", ".R", ".rmd"),
        filenames=(".Rprofile",),
        interpreters=("Rscript",),
        grammar="r",
        query="""
        (binary_operator lhs: (_) @name rhs: (function_definition)) @function
        (comment) @comment
        """,
        marks=HASH_MARKS,
    ),
    Language(
        "julia",
        (".jl",),
        interpreters=("julia",),
        grammar="julia",
        query="""
        (function_definition (signature) @name) @function
        (macro_definition (signature) @name) @macro
        (assignment . (call_expression) @name) @function
        (struct_definition (type_head) @name) @struct
        (abstract_definition (type_head) @name) @type
        (module_definition name: (_) @name) @module
        [(line_comment) (block_comment)] @comment
        ((string_literal) @comment . [(function_definition) (macro_definition) (assignment)
          (struct_definition) (abstract_definition) (module_definition)])
        """,
        marks=('"""', '"', "#=", "=#", *HASH_MARKS),
    ),
    Language(
        "fortran",
        (".f90", ".f95", ".f03", ".f08", ".f", ".for", ".F90", ".F"),
        grammar="fortran",
        query="""
        (function (function_statement name: (_) @name)) @function
        (subroutine (subroutine_statement name: (_) @name)) @function
        (module (module_statement (name) @name)) @module
        (program (program_statement (name) @name)) @module
        (derived_type_definition (derived_type_statement (type_name) @name)) @struct
        (comment) @comment
        """,
        marks=("!!", "!>", "!<", "!"),
    ),
    Language(
        "matlab",
        (".matlab",),
        interpreters=("octave",),
        grammar="matlab",
        query="""
        (function_definition name: (_) @name) @function
        (class_definition name: (_) @name) @class
        (comment) @comment
        """,
        marks=(*_PERCENT_MARKS, *HASH_MARKS),
    ),
    Language(
        "pascal",
        (".pas", ".pp", ".dpr", ".lpr"),
        grammar="pascal",
        query="""
        (defProc header: (declProc name: (_) @name)) @function
        (declType name: (_) @name type: (declClass)) @class
        (declType name: (_) @name type: (declIntf)) @interface
        (comment) @comment
        """,
        marks=("{", "}", "(*", "*)", "///", "//"),
        camel_case=True,
    ),
    Language(
        "verilog",
        (".v", ".vh", ".sv", ".svh"),
        grammar="verilog",
        query="""
        (module_declaration (module_header (simple_identifier) @name)) @module
        (function_declaration
          (function_body_declaration (function_identifier) @name)) @function
        (task_declaration (task_body_declaration (task_identifier) @name)) @function
        (class_declaration (class_identifier) @name) @class
        (comment) @comment
        """,
    ),
)
