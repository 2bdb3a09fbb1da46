"""Python's own standard library: documented code that every machine has."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

from qidf.corpora.corpus import Corpus
from qidf.errors import InputError
from qidf.index import Document

# Installed packages are not the standard library, and its tests repeat its names.
_LEFT_OUT = frozenset({"site-packages", "dist-packages", "test", "tests", "idle_test"})
# CodeSearchNet's filter: a shorter docstring describes nothing.
MIN_WORDS = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


class StandardLibrary(Corpus):
    """First paragraphs of docstrings as documents, with the function each describes.

    Metadata holds the function's `symbol`, `path`, `line` and its `code` without the docstring, so
    that code can be the query and its own docstring the answer (CodeSearchNet's task). Of equal
    paragraphs the first is kept.
    """

    def __init__(self, root: str | Path | None = None) -> None:
        """Read the running Python's library, or another one below `root`."""
        super().__init__()
        self.root = Path(os.__file__).parent if root is None else Path(root)

    def __iter__(self) -> Iterator[Document]:
        """Parse one module after the other."""
        modules = self._modules()
        if not modules:
            raise InputError(f"there are no Python sources in {self.root}; is its library zipped?")
        self.restart(total=len(modules))
        seen: set[str] = set()
        for module in modules:
            for document in self._documents(module):
                if document.text in seen:
                    self.skipped["repeated docstring"] += 1
                else:
                    seen.add(document.text)
                    yield document
            self.done += 1

    def _modules(self) -> list[Path]:
        found: list[Path] = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name not in _LEFT_OUT]
            found.extend(Path(folder, name) for name in files if name.endswith(".py"))
        return sorted(found)

    def _documents(self, module: Path) -> Iterator[Document]:
        try:
            source = module.read_text(encoding="utf-8")
            with warnings.catch_warnings():
                # Old escapes in old modules; not ours to mend.
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
        except (OSError, SyntaxError, ValueError):
            self.skipped["unreadable module"] += 1
            return
        lines = source.splitlines()
        name = module.relative_to(self.root).as_posix()
        for symbol, function in _functions(tree, ""):
            paragraph = " ".join((ast.get_docstring(function) or "").split("\n\n")[0].split())
            if len(paragraph.split()) < MIN_WORDS:
                self.skipped["function without a docstring"] += 1
                continue
            yield Document(
                paragraph,
                f"{name}:{function.lineno}",
                {
                    "symbol": symbol,
                    "path": str(module),
                    "line": function.lineno,
                    "code": _code(function, lines),
                },
            )


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    """Functions and methods with their qualified names; functions inside functions stay inside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.stmt | ast.excepthandler):
            yield from _functions(child, prefix)


def _code(function: Function, lines: list[str]) -> str:
    """A function's lines without those of its docstring."""
    docstring = function.body[0]
    return "\n".join(
        lines[function.lineno - 1 : docstring.lineno - 1]
        + lines[docstring.end_lineno : function.end_lineno]
    )
