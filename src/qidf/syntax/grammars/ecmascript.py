"""JavaScript and TypeScript, whose functions are as often values as declarations."""

from __future__ import annotations

from qidf.syntax.language import Language

_JAVASCRIPT = """
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression left: [(member_expression) (identifier)] @name
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: [(member_expression) (identifier)] @name right: (class)) @class
(pair key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(comment) @comment
(decorator) @prefix
"""

_TYPESCRIPT = f"""
{_JAVASCRIPT}
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(function_signature name: (_) @name) @function
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: (arrow_function)) @method
"""

_FIELDS = "(field_definition property: (_) @name value: (arrow_function)) @method"

ECMASCRIPT = (
    Language(
        "javascript",
        (".js", ".jsx", ".mjs", ".cjs", ".es6"),
        filenames=("Jakefile",),
        interpreters=("node", "nodejs", "bun", "deno"),
        grammar="javascript",
        query=_JAVASCRIPT + _FIELDS,
        camel_case=True,
    ),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        interpreters=("ts-node", "tsx"),
        grammar="typescript",
        query=_TYPESCRIPT,
        camel_case=True,
    ),
    Language("tsx", (".tsx",), grammar="tsx", query=_TYPESCRIPT, camel_case=True),
)
