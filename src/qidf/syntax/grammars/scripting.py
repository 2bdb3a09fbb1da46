"""Languages of scripts: Python, Ruby, PHP, Lua, Perl, shells, Vim."""

from __future__ import annotations

from qidf.syntax.language import C_MARKS, HASH_MARKS, Language

SCRIPTING = (
    Language(
        "python",
        (".py", ".pyi", ".pyw", ".pyx", ".bzl", ".star"),
        filenames=("SConstruct", "SConscript", "wscript", "BUILD", "BUILD.bazel", "WORKSPACE"),
        interpreters=("python", "pypy"),
        grammar="python",
        query="""
        (function_definition name: (identifier) @name) @function
        (function_definition name: (identifier) @name
          body: (block . (string) @doc)) @function
        (class_definition name: (identifier) @name) @class
        (class_definition name: (identifier) @name
          body: (block . (string) @doc)) @class
        (comment) @comment
        (decorator) @prefix
        """,
        marks=('r"""', "r'''", 'u"""', '"""', "'''", 'r"', '"', "'", *HASH_MARKS),
    ),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec", ".ru", ".rbw", ".podspec"),
        filenames=("Rakefile", "Gemfile", "Vagrantfile", "Podfile", "Brewfile", "Guardfile"),
        interpreters=("ruby", "jruby"),
        grammar="ruby",
        query="""
        (method name: (_) @name) @function
        (singleton_method name: (_) @name) @function
        (class name: (_) @name) @class
        (module name: (_) @name) @module
        (comment) @comment
        """,
        separator="::",
        marks=("=begin", "=end", *HASH_MARKS),
    ),
    Language(
        "php",
        (".php", ".phtml", ".php3", ".php4", ".php5", ".phps"),
        interpreters=("php",),
        grammar="php",
        query="""
        (function_definition name: (name) @name) @function
        (method_declaration name: (name) @name) @method
        (class_declaration name: (name) @name) @class
        (interface_declaration name: (name) @name) @interface
        (trait_declaration name: (name) @name) @trait
        (enum_declaration name: (name) @name) @enum
        (comment) @comment
        """,
        separator="::",
        marks=(*C_MARKS, *HASH_MARKS),
        camel_case=True,
    ),
    Language(
        "lua",
        (".lua", ".rockspec"),
        interpreters=("lua", "luajit"),
        grammar="lua",
        query="""
        (function_declaration name: (_) @name) @function
        (assignment_statement
          (variable_list . name: (_) @name)
          (expression_list . value: (function_definition))) @function
        (comment) @comment
        """,
        marks=("--[[", "---", "--", "]]"),
    ),
    Language(
        "perl",
        (".pl", ".pm", ".t", ".psgi"),
        interpreters=("perl",),
        grammar="perl",
        query="""
        (subroutine_declaration_statement name: (_) @name) @function
        (method_declaration_statement name: (_) @name) @method
        (class_statement name: (_) @name) @class
        (comment) @comment
        (pod) @comment
        """,
        separator="::",
        marks=("=cut", *HASH_MARKS),
    ),
    Language(
        "bash",
        (".sh", ".bash", ".zsh", ".ksh", ".ebuild", ".eclass", ".bats"),
        filenames=("PKGBUILD", ".bashrc", ".bash_profile", ".profile", ".zshrc"),
        interpreters=("sh", "bash", "zsh", "dash", "ksh", "ash"),
        grammar="bash",
        query="""
        (function_definition name: (word) @name) @function
        (comment) @comment
        """,
        marks=HASH_MARKS,
    ),
    Language(
        "powershell",
        (".ps1", ".psm1"),
        interpreters=("pwsh",),
        grammar="powershell",
        query="""
        (function_statement (function_name) @name) @function
        (class_statement . (simple_name) @name) @class
        (class_method_definition (simple_name) @name) @method
        (comment) @comment
        """,
        marks=("<#", "#>", *HASH_MARKS),
        camel_case=True,
    ),
    Language(
        "vim",
        (".vim",),
        filenames=(".vimrc", "vimrc"),
        grammar="vim",
        query="""
        (function_definition (function_declaration name: (_) @name)) @function
        (comment) @comment
        """,
        marks=('"',),
    ),
)
