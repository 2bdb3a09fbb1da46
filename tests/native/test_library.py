"""The library: it compiles without a warning, is never out of date, and is declared as it is."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from qidf.native import build, library

SOURCES = Path(library.__file__).parent
POINTERS = {
    "uint8_t": np.uint8,
    "uint16_t": np.uint16,
    "uint32_t": np.uint32,
    "uint64_t": np.uint64,
    "int8_t": np.int8,
    "int16_t": np.int16,
    "int32_t": np.int32,
    "int64_t": np.int64,
    "float": np.float32,
    "double": np.float64,
}
NUMBERS = {
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "int32_t": ctypes.c_int32,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
}


def prototypes() -> dict[str, tuple[str, list[str]]]:
    """Every function of the header: what it returns, and its arguments without their names."""
    text = re.sub(r"/\*.*?\*/", "", (SOURCES / "qidf.h").read_text(encoding="utf-8"), flags=re.S)
    found = {}
    for result, name, arguments in re.findall(r"QIDF_API (\w+) (\w+)\((.*?)\);", text, re.S):
        kinds = [re.sub(r"\bconst\b|\w+\s*$", "", one).strip() for one in arguments.split(",")]
        found[name] = (result, kinds)
    return found


def agrees(kind: str, declared: object) -> bool:
    """Whether an argument is declared as the header has it."""
    if not kind.endswith("*"):
        return declared is NUMBERS[kind]
    if declared is library.ADDRESS:
        return True
    pointed = POINTERS.get(kind.removesuffix("*").strip())
    return isinstance(declared, library.Elements) and declared.dtype == pointed


def test_every_function_is_declared_as_the_header_has_it() -> None:
    declared = {}
    for path in SOURCES.glob("*.py"):
        if path.with_suffix(".c").exists():
            module = import_module(f"qidf.native.{path.stem}")
            functions = [item for item in vars(module).values() if hasattr(item, "argtypes")]
            declared.update({function.__name__: function for function in functions})
    assert declared.keys() == prototypes().keys()
    for name, (result, kinds) in prototypes().items():
        function = declared[name]
        assert len(kinds) == len(function.argtypes), name
        for kind, argument in zip(kinds, function.argtypes, strict=True):
            assert agrees(kind, argument), (name, kind)
        assert function.restype is (None if result == "void" else NUMBERS[result]), name


def test_an_array_of_another_type_or_layout_is_refused() -> None:
    from qidf.native.resampling import draw

    for rows in (np.empty(4, np.int64), np.empty((4, 2), np.int32)[:, 0]):
        with pytest.raises(ctypes.ArgumentError, match="expected contiguous int32"):
            draw(1, 0, rows, len(rows))


@pytest.mark.skipif(build.machine_compiler() is None, reason="there is no C compiler")
def test_it_compiles_without_a_warning(tmp_path: Path) -> None:
    build.build(tmp_path / "strict.so", strict=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree of its own, with nothing compiled in it yet."""
    package = SOURCES.parent
    copy = tmp_path / "src" / "qidf"
    shutil.copytree(SOURCES, copy / "native", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in ("__init__.py", "errors.py"):
        shutil.copy(package / name, copy / name)
    return tmp_path


def load(tree: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import qidf.native.resampling; print('loaded')"],
        env={**os.environ, "PYTHONPATH": str(tree / "src"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(build.machine_compiler() is None, reason="there is no C compiler")
def test_in_a_source_tree_it_is_compiled_when_it_is_missing_or_older_than_a_source(
    tree: Path,
) -> None:
    made = tree / "src" / "qidf" / "native" / "kernels.so"
    assert load(tree).stdout == "loaded\n"
    first = made.stat().st_mtime_ns
    assert load(tree).stdout == "loaded\n"
    assert made.stat().st_mtime_ns == first
    os.utime(made.with_name("qidf.h"))
    assert load(tree).stdout == "loaded\n"
    assert made.stat().st_mtime_ns > first
    assert [path.name for path in made.parent.glob(".building*")] == []


def test_without_a_compiler_the_error_says_what_to_install(tree: Path) -> None:
    (tree / "src" / "ziglang.py").write_text("raise SystemExit(1)\n", encoding="utf-8")
    hidden = "import sys; sys.modules['ziglang'] = None\n"
    (tree / "src" / "sitecustomize.py").write_text(hidden, encoding="utf-8")
    error = load(tree, PATH="", CC="").stderr.splitlines()[-1]
    assert error == (
        "qidf.errors.QidfError: there is no C compiler: install the package ziglang, which brings"
        " one, and run `python -m qidf.native.build` again"
    )


@pytest.mark.skipif(build.machine_compiler() is None, reason="there is no C compiler")
def test_a_source_that_does_not_compile_is_shown(tree: Path) -> None:
    (tree / "src" / "qidf" / "native" / "broken.c").write_text("int f(", encoding="utf-8")
    shown = load(tree)
    assert "broken.c" in shown.stderr
    assert "Traceback" in shown.stderr


def test_an_installed_library_that_does_not_load_says_how_to_mend_it(tree: Path) -> None:
    native = tree / "src" / "qidf" / "native"
    (native / "qidf.h").unlink()
    (native / "kernels.so").write_bytes(b"not a library")
    assert "install qidf again" in load(tree).stderr
