"""Languages that say what there is: SQL, protocol buffers, GraphQL, Terraform, Solidity."""

from __future__ import annotations

from qidf.syntax.language import C_MARKS, HASH_MARKS, Language

DECLARATIVE = (
    Language(
        "sql",
        (".sql", ".ddl", ".psql"),
        grammar="sql",
        query="""
        (create_table (object_reference) @name) @table
        (create_view (object_reference) @name) @view
        (create_materialized_view (object_reference) @name) @view
        (create_function (object_reference) @name) @function
        (create_type (object_reference) @name) @type
        (create_trigger (object_reference) @name) @function
        [(comment) (marginalia)] @comment
        """,
        marks=("--", *C_MARKS),
    ),
    Language(
        "proto",
        (".proto",),
        grammar="proto",
        query="""
        (message (message_name) @name) @struct
        (enum (enum_name) @name) @enum
        (service (service_name) @name) @interface
        (rpc (rpc_name) @name) @method
        (comment) @comment
        """,
    ),
    Language(
        "graphql",
        (".graphql", ".gql", ".graphqls"),
        grammar="graphql",
        query="""
        (object_type_definition (description)? @doc (name) @name) @type
        (interface_type_definition (description)? @doc (name) @name) @interface
        (enum_type_definition (description)? @doc (name) @name) @enum
        (input_object_type_definition (description)? @doc (name) @name) @type
        (union_type_definition (description)? @doc (name) @name) @type
        (scalar_type_definition (description)? @doc (name) @name) @type
        (operation_definition (name) @name) @function
        (fragment_definition (fragment_name) @name) @function
        (comment) @comment
        """,
        marks=('"""', '"', *HASH_MARKS),
        camel_case=True,
    ),
    Language(
        "terraform",
        (".tf", ".tfvars", ".hcl"),
        grammar="terraform",
        query="""
        (body (block . (identifier) . (string_lit) @scope . (string_lit) @name) @block)
        (body (block . (identifier) @scope . (string_lit) @name . (block_start)) @block)
        (body (block . (identifier) @name . (block_start)) @block)
        (comment) @comment
        """,
        marks=(*C_MARKS, *HASH_MARKS),
    ),
    Language(
        "solidity",
        (".sol",),
        grammar="solidity",
        query="""
        (contract_declaration name: (_) @name) @class
        (interface_declaration name: (_) @name) @interface
        (library_declaration name: (_) @name) @class
        (struct_declaration name: (_) @name) @struct
        (enum_declaration name: (_) @name) @enum
        (function_definition name: (_) @name) @function
        (modifier_definition name: (_) @name) @function
        (comment) @comment
        """,
        camel_case=True,
    ),
)
