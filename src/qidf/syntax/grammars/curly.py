"""C and what grew from it, without a runtime: C, C++, Objective-C, Rust, Go, Zig, D, Swift."""

from __future__ import annotations

from qidf.syntax.language import Language

# A declarator holds the name inside pointers, references and parameter lists; names.py digs it out.
_C = """
(function_definition declarator: (_) @name) @function
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))
  (enum_specifier !name body: (_))] declarator: (type_identifier) @name) @type
(preproc_function_def name: (_) @name) @macro
(comment) @comment
"""

_CPP = f"""
{_C}
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(concept_definition name: (_) @name) @interface
(alias_declaration name: (_) @name) @type
(template_parameter_list) @prefix
"""

CURLY = (
    Language("c", (".c",), grammar="c", query=_C),
    Language(
        "cpp",
        (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp", ".inl"),
        grammar="cpp",
        query=_CPP,
        separator="::",
        camel_case=True,
    ),
    Language("cuda", (".cu", ".cuh"), grammar="cuda", query=_CPP, separator="::", camel_case=True),
    Language(
        "objc",
        (".m", ".mm"),
        grammar="objc",
        query="""
        (class_interface . (identifier) @name) @interface
        (class_implementation . (identifier) @name) @class
        (protocol_declaration . (identifier) @name) @interface
        (method_definition (method_type) . (identifier) @name) @method
        (method_definition . (identifier) @name) @method
        (function_definition declarator: (_) @name) @function
        (struct_specifier name: (_) @name body: (_)) @struct
        (enum_specifier name: (_) @name body: (_)) @enum
        (comment) @comment
        """,
        camel_case=True,
    ),
    Language(
        "rust",
        (".rs",),
        interpreters=("rust-script",),
        grammar="rust",
        query="""
        (function_item name: (_) @name) @function
        (function_signature_item name: (_) @name) @function
        (struct_item name: (_) @name) @struct
        (union_item name: (_) @name) @struct
        (enum_item name: (_) @name) @enum
        (trait_item name: (_) @name) @trait
        (type_item name: (_) @name) @type
        (mod_item name: (_) @name body: (_)) @module
        (impl_item type: (type_identifier) @name) @impl
        (impl_item type: (generic_type type: (_) @name)) @impl
        (impl_item type: (scoped_type_identifier name: (_) @name)) @impl
        (impl_item type: (reference_type type: (_) @name)) @impl
        (macro_definition name: (_) @name) @macro
        [(line_comment) (block_comment)] @comment
        (attribute_item) @prefix
        """,
        separator="::",
    ),
    Language(
        "go",
        (".go",),
        grammar="go",
        query="""
        (function_declaration name: (_) @name) @function
        (method_declaration receiver: (parameter_list
          (parameter_declaration type: [
            (type_identifier) @scope
            (generic_type type: (_) @scope)
            (pointer_type (type_identifier) @scope)
            (pointer_type (generic_type type: (_) @scope))])) name: (_) @name) @method
        (type_spec name: (_) @name type: (struct_type)) @struct
        (type_spec name: (_) @name type: (interface_type)) @interface
        (type_spec name: (_) @name
          type: [(type_identifier) (function_type) (map_type) (slice_type) (array_type)
            (pointer_type) (channel_type) (qualified_type) (generic_type)]) @type
        (comment) @comment
        """,
        camel_case=True,
    ),
    Language(
        "zig",
        (".zig",),
        grammar="zig",
        query="""
        (Decl (FnProto function: (_) @name)) @function
        (Decl (VarDecl variable_type_function: (_) @name
          (ErrorUnionExpr (SuffixExpr (ContainerDecl))))) @struct
        (TestDecl (STRINGLITERALSINGLE) @name) @test
        [(doc_comment) (line_comment)] @comment
        """,
        camel_case=True,
    ),
    Language(
        "d",
        (".d", ".di"),
        interpreters=("rdmd", "dmd"),
        grammar="d",
        query="""
        (function_declaration (identifier) @name) @function
        (class_declaration (identifier) @name) @class
        (struct_declaration (identifier) @name) @struct
        (interface_declaration (identifier) @name) @interface
        (enum_declaration (identifier) @name) @enum
        (template_declaration (identifier) @name) @module
        (comment) @comment
        """,
        camel_case=True,
    ),
    Language(
        "swift",
        (".swift",),
        interpreters=("swift",),
        grammar="swift",
        query="""
        (function_declaration name: (simple_identifier) @name) @function
        (init_declaration "init" @name) @function
        (protocol_function_declaration name: (simple_identifier) @name) @function
        (class_declaration "class" name: (_) @name) @class
        (class_declaration "actor" name: (_) @name) @class
        (class_declaration "struct" name: (_) @name) @struct
        (class_declaration "enum" name: (_) @name) @enum
        (class_declaration "extension" name: (_) @name) @impl
        (protocol_declaration name: (_) @name) @interface
        (typealias_declaration name: (_) @name) @type
        [(comment) (multiline_comment)] @comment
        """,
        camel_case=True,
    ),
)
