"""Files without definitions: prose, markup, data and settings; cut into windows."""

from __future__ import annotations

from qidf.syntax.language import Language

PLAIN = (
    Language(
        "markdown",
        (".md", ".markdown", ".mdx", ".mkd"),
        prose=True,
    ),
    Language("rst", (".rst", ".rest"), prose=True),
    Language(
        "text",
        (".txt", ".text", ".adoc", ".asciidoc", ".org", ".tex", ".latex", ".pod", ".man"),
        filenames=(
            "README",
            "LICENSE",
            "COPYING",
            "NEWS",
            "AUTHORS",
            "CHANGES",
            "ChangeLog",
            "INSTALL",
            "TODO",
            "CODEOWNERS",
        ),
        prose=True,
    ),
    Language("html", (".html", ".htm", ".xhtml", ".vue", ".svelte", ".astro")),
    Language("css", (".css", ".scss", ".sass", ".less")),
    Language("xml", (".xml", ".xsd", ".xsl", ".svg", ".plist", ".csproj", ".props", ".targets")),
    Language("json", (".json", ".json5", ".jsonc", ".jsonl", ".ndjson", ".webmanifest")),
    Language("yaml", (".yaml", ".yml")),
    Language(
        "toml",
        (".toml",),
        filenames=("Pipfile", "Cargo.lock", "poetry.lock", "uv.lock"),
    ),
    Language("ini", (".ini", ".cfg", ".conf", ".properties", ".editorconfig", ".env")),
    Language(
        "make",
        (".mk", ".mak"),
        filenames=("Makefile", "makefile", "GNUmakefile"),
        interpreters=("make",),
    ),
    Language("cmake", (".cmake",), filenames=("CMakeLists.txt",)),
    Language("dockerfile", (".dockerfile",), filenames=("Dockerfile", "Containerfile")),
    Language("groovy", (".groovy", ".gradle"), filenames=("Jenkinsfile",), camel_case=True),
    Language("assembly", (".s", ".S", ".asm")),
    Language("csv", (".csv", ".tsv")),
    Language("diff", (".diff", ".patch")),
)
