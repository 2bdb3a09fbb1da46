"""A stand-in for RepoBench-R: what is imported, where it is used, and what the reader takes."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from benchmarks.lookalikes.imports import (
    code_before,
    import_statements,
    imported_definitions,
    read_modules,
    used_lines,
)
from benchmarks.lookalikes.repobench import distinct, rows_of_module, rows_of_package, write_cells

from qidf.datasets import RepoBench

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon")
PARTS = "\n\n".join(f"def {name}(x):\n    return x + '{name}'" for name in NAMES)
USER = f'''"""Uses parts."""

import os
from .parts import {", ".join(NAMES)}
from pkg.shapes import Shape as Form
from elsewhere import alpha as other


class User:
    def run(self):
        first = alpha(1)
        second = Form(first)
        both = beta(gamma(second))
        again = alpha(both)
        return again
'''
FILES = [
    ("usr/lib/python3/dist-packages/pkg/__init__.py", b"from .parts import alpha\n"),
    ("usr/lib/python3/dist-packages/pkg/parts.py", PARTS.encode()),
    ("usr/lib/python3/dist-packages/pkg/shapes.py", b"@frozen\nclass Shape:\n    sides = 4\n"),
    ("usr/lib/python3/dist-packages/pkg/user.py", USER.encode()),
    ("usr/lib/python3/dist-packages/pkg/broken.py", b"def (:\n"),
]


def test_modules_are_named_as_python_names_them() -> None:
    modules = read_modules(FILES)
    assert set(modules) == {"pkg", "pkg.parts", "pkg.shapes", "pkg.user"}
    assert modules["pkg"].is_package


def test_definitions_are_found_through_relative_and_absolute_imports() -> None:
    modules = read_modules(FILES)
    found = imported_definitions(modules["pkg.user"], modules)
    assert [(each.local, each.module, each.symbol) for each in found] == [
        *((name, "pkg.parts", name) for name in NAMES),
        ("Form", "pkg.shapes", "Shape"),
    ]
    assert found[-1].source == "@frozen\nclass Shape:\n    sides = 4"
    [own] = imported_definitions(modules["pkg"], modules)
    assert own.source == "def alpha(x):\n    return x + 'alpha'"


def test_lines_that_use_a_name_are_not_those_that_import_it() -> None:
    modules = read_modules(FILES)
    user = modules["pkg.user"]
    lines = used_lines(user, imported_definitions(user, modules))
    assert [(user.lines[at - 1].strip(), names) for at, names in sorted(lines.items())] == [
        ("first = alpha(1)", {"alpha"}),
        ("second = Form(first)", {"Form"}),
        ("both = beta(gamma(second))", {"beta", "gamma"}),
        ("again = alpha(both)", {"alpha"}),
    ]


def test_the_code_so_far_has_no_imports() -> None:
    user = read_modules(FILES)["pkg.user"]
    code = code_before(user, user.lines.index("        second = Form(first)") + 1)
    assert code.startswith('"""Uses parts."""')
    assert code.endswith("first = alpha(1)")
    assert "import" not in code
    assert import_statements(user).startswith("import os\nfrom .parts import alpha, beta")


@pytest.mark.parametrize("seed", range(6))
def test_first_and_later_uses_are_told_apart(seed: int) -> None:
    modules = read_modules(FILES)
    rows = dict(rows_of_module(modules["pkg.user"], modules, seed))
    assert set(rows) == {"cff", "cfr"}
    assert rows["cff"].next_line.strip() in ("first = alpha(1)", "second = Form(first)")
    assert rows["cfr"].next_line.strip() == "again = alpha(both)"
    right = rows["cfr"].context[rows["cfr"].golden_snippet_index]
    assert right.startswith("def alpha")
    assert sorted(rows["cff"].context) == sorted(rows["cfr"].context)
    assert rows["cff"].level == "easy"


def test_a_package_becomes_cells_that_the_reader_of_the_original_takes(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    archive = tmp_path / "pkg.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for path, data in FILES:
            member = tarfile.TarInfo(path)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    rows = list(rows_of_package(archive, 1))
    assert len(list(distinct([*rows, *rows]))) == len(rows) == 2
    sizes = write_cells(distinct([*rows, *rows]), tmp_path / "hub", 10)
    assert sizes == {"python_cff/test_easy": 1, "python_cfr/test_easy": 1}
    [dataset] = RepoBench("python", "cfr", "easy", hub_folder=tmp_path / "hub")
    [(_, query)] = dataset.queries
    assert query.endswith("both = beta(gamma(second))")
    [answers] = dataset.judgements.values()
    assert dict(dataset.documents)[next(iter(answers))].startswith("def alpha")
