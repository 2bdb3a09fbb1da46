"""RepoBench-R's task on Debian's Python packages: the imported snippet that the next line needs.

After Liu et al. 2023, section 3: a line that uses a definition imported from another file of the
repository is to be completed; the candidates are all definitions the file imports so, the right one
is the one the line uses. In the setting cross-file first (cff) the file uses it there for the first
time, in cross-file random (cfr) it has used it before. Easy cells have 5 to 9 candidates, hard ones
10 and more.

Differences to the original: a repository is a Debian package, snippets are whole definitions, a
line that uses several candidates isn't taken, one line of each kind is taken from a file.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.corpora import contents, filters
from benchmarks.corpora.languages import LANGUAGES
from benchmarks.lookalikes.imports import (
    Imported,
    Module,
    code_before,
    import_statements,
    imported_definitions,
    read_modules,
    used_lines,
)

EASY, HARD = 5, 10
# A query needs something to go by.
MIN_CODE_LINES = 3
# So that no package makes up a cell.
MAX_PER_PACKAGE = 10
_FOLDER = "tianyang/repobench-r"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the original's table."""

    file_path: str
    context: list[str]
    import_statement: str
    code: str
    next_line: str
    golden_snippet_index: int

    @property
    def level(self) -> str:
        """Easy or hard, by the number of candidates."""
        return "easy" if len(self.context) < HARD else "hard"


def rows_of_package(archive: Path, seed: int) -> Iterator[tuple[str, Row]]:
    """A package's rows, with their setting."""
    language = LANGUAGES["python"]
    files = [
        (path, data)
        for path, data in contents.source_files(archive, language.suffixes)
        if filters.file_verdict(language, path, data) == "kept"
    ]
    modules = read_modules(files)
    taken: Counter[str] = Counter()
    names = sorted(modules)
    random.Random(f"{seed} {archive.name}").shuffle(names)
    for name in names:
        for setting, row in rows_of_module(modules[name], modules, seed):
            if taken[setting] < MAX_PER_PACKAGE:
                taken[setting] += 1
                yield setting, row


def rows_of_module(
    module: Module, modules: dict[str, Module], seed: int
) -> Iterator[tuple[str, Row]]:
    """At most one row of each setting."""
    imported = imported_definitions(module, modules)
    if len(imported) < EASY:
        return
    draw = random.Random(f"{seed} {module.path}")
    draw.shuffle(imported)
    settings: dict[str, list[tuple[int, str]]] = {"cff": [], "cfr": []}
    used: set[str] = set()
    for line, names in sorted(used_lines(module, imported).items()):
        if len(names) == 1:
            [name] = names
            settings["cfr" if name in used else "cff"].append((line, name))
        used |= names
    for setting, lines in settings.items():
        if not lines:
            continue
        line, name = draw.choice(lines)
        row = _row(module, imported, line, name)
        if row.code.count("\n") + 1 >= MIN_CODE_LINES:
            yield setting, row


def _row(module: Module, imported: list[Imported], line: int, used: str) -> Row:
    return Row(
        module.path,
        [each.source for each in imported],
        import_statements(module),
        code_before(module, line),
        module.lines[line - 1],
        [each.local for each in imported].index(used),
    )


def distinct(rows: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, Row]]:
    """The first of rows whose code and next line are the same: packages copy from one another."""
    seen: set[bytes] = set()
    for setting, row in rows:
        text = f"{setting}\0{row.code}\0{row.next_line}"
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        if digest not in seen:
            seen.add(digest)
            yield setting, row


def write_cells(rows: Iterable[tuple[str, Row]], folder: Path, most: int) -> dict[str, int]:
    """Write Parquet files where the reader of the original looks for them; return their sizes."""
    import pyarrow
    import pyarrow.parquet

    cells: dict[str, list[Row]] = {}
    for setting, row in rows:
        kept = cells.setdefault(f"python_{setting}/test_{row.level}", [])
        if len(kept) < most:
            kept.append(row)
    for cell, found in sorted(cells.items()):
        path = folder / _FOLDER / cell / "0000.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([asdict(row) for row in found]), path)
    return {cell: len(found) for cell, found in sorted(cells.items())}
