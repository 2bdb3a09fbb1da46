"""Languages of the big runtimes: Java, Kotlin, Scala, C#, Dart."""

from __future__ import annotations

from qidf.syntax.language import Language

MANAGED = (
    Language(
        "java",
        (".java",),
        grammar="java",
        query="""
        (class_declaration name: (_) @name) @class
        (record_declaration name: (_) @name) @class
        (interface_declaration name: (_) @name) @interface
        (annotation_type_declaration name: (_) @name) @interface
        (enum_declaration name: (_) @name) @enum
        (method_declaration name: (_) @name) @method
        (constructor_declaration name: (_) @name) @method
        (compact_constructor_declaration name: (_) @name) @method
        [(line_comment) (block_comment)] @comment
        """,
        camel_case=True,
    ),
    Language(
        "kotlin",
        (".kt", ".kts"),
        interpreters=("kotlin",),
        grammar="kotlin",
        query="""
        (class_declaration "class" (type_identifier) @name) @class
        (class_declaration "interface" (type_identifier) @name) @interface
        (class_declaration "enum" (type_identifier) @name) @enum
        (object_declaration (type_identifier) @name) @object
        (function_declaration (simple_identifier) @name) @function
        (type_alias (type_identifier) @name) @type
        [(line_comment) (multiline_comment)] @comment
        """,
        camel_case=True,
    ),
    Language(
        "scala",
        (".scala", ".sc", ".sbt"),
        interpreters=("scala", "scala-cli"),
        grammar="scala",
        query="""
        (class_definition name: (_) @name) @class
        (trait_definition name: (_) @name) @trait
        (object_definition name: (_) @name) @object
        (enum_definition name: (_) @name) @enum
        (function_definition name: (_) @name) @function
        (function_declaration name: (_) @name) @function
        (type_definition name: (_) @name) @type
        [(comment) (block_comment)] @comment
        """,
        camel_case=True,
    ),
    Language(
        "csharp",
        (".cs", ".csx"),
        grammar="csharp",
        query="""
        (namespace_declaration name: (_) @name) @module
        (class_declaration name: (_) @name) @class
        (record_declaration name: (_) @name) @class
        (struct_declaration name: (_) @name) @struct
        (interface_declaration name: (_) @name) @interface
        (enum_declaration name: (_) @name) @enum
        (delegate_declaration name: (_) @name) @type
        (method_declaration name: (_) @name) @method
        (constructor_declaration name: (_) @name) @method
        (local_function_statement name: (_) @name) @function
        (comment) @comment
        """,
        camel_case=True,
    ),
    Language(
        "dart",
        (".dart",),
        interpreters=("dart",),
        grammar="dart",
        query="""
        (class_definition name: (_) @name) @class
        (mixin_declaration (identifier) @name) @trait
        (extension_declaration name: (_) @name) @impl
        (enum_declaration name: (_) @name) @enum
        ((method_signature (function_signature name: (_) @name)) @function
          . (function_body) @body)
        ((function_signature name: (_) @name) @function . (function_body) @body)
        ((method_signature (constructor_signature name: (_) @name)) @method . (function_body) @body)
        [(comment) (documentation_comment)] @comment
        (annotation) @prefix
        """,
        camel_case=True,
    ),
)
