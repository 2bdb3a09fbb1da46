"""A Python package as a repository: what a file imports from others, and where it uses it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, eq=False)
class Module:
    """One file: its dotted name, whether it is a package's `__init__`, and its lines."""

    name: str
    is_package: bool
    path: str
    text: str
    tree: ast.Module

    @cached_property
    def lines(self) -> list[str]:
        """As the parser counts them."""
        return self.text.split("\n")

    @cached_property
    def definitions(self) -> Mapping[str, str]:
        """The source of every function and class at the top of the file."""
        return {
            node.name: "\n".join(self.lines[_first_line(node) - 1 : node.end_lineno])
            for node in self.tree.body
            if isinstance(node, Definition)
        }


@dataclass(frozen=True, slots=True)
class Imported:
    """A name as a file has it, and the definition in another file that it stands for."""

    local: str
    module: str
    symbol: str
    source: str


def read_modules(files: Iterable[tuple[str, bytes]]) -> dict[str, Module]:
    """The files of a package that this Python can parse, by dotted name."""
    found: dict[str, Module] = {}
    for path, data in files:
        parts = path.removesuffix(".py").split("/")
        if "dist-packages" in parts:
            parts = parts[parts.index("dist-packages") + 1 :]
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        try:
            text = data.decode("utf-8").replace("\r\n", "\n")
            with warnings.catch_warnings():
                # Escapes that newer Pythons frown at are none of our business.
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        # A form feed is a line to str.splitlines and none to the parser.
        if name and "\r" not in text:
            found.setdefault(name, Module(name, is_package, path, text, tree))
    return found


def imported_definitions(module: Module, modules: Mapping[str, Module]) -> list[Imported]:
    """What a file imports by name from other files of the package, each definition once."""
    found: dict[tuple[str, str], Imported] = {}
    for node in module.tree.body:
        if not isinstance(node, ast.ImportFrom):
            continue
        target = modules.get(_target(node, module))
        if target is None or target.name == module.name:
            continue
        for alias in node.names:
            source = target.definitions.get(alias.name)
            if source is not None:
                key = (target.name, alias.name)
                found.setdefault(key, Imported(alias.asname or alias.name, *key, source))
    return list(found.values())


def used_lines(module: Module, imported: Iterable[Imported]) -> dict[int, set[str]]:
    """Lines that use imported names, with the names; imports themselves don't count."""
    names = {each.local for each in imported}
    lines: dict[int, set[str]] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id in names:
            lines.setdefault(node.lineno, set()).add(node.id)
    return lines


def code_before(module: Module, line: int) -> str:
    """The file up to a line, without its import statements."""
    dropped: set[int] = set()
    for node in module.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            dropped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    kept = [
        text for number, text in enumerate(module.lines[: line - 1], 1) if number not in dropped
    ]
    return "\n".join(kept).strip("\n")


def import_statements(module: Module) -> str:
    """The import statements at the top level of a file."""
    return "\n".join(
        ast.unparse(node)
        for node in module.tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def _target(node: ast.ImportFrom, module: Module) -> str:
    """The dotted name of the module that an import names."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    up = node.level - 1 if module.is_package else node.level
    return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])


def _first_line(node: Definition) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])
