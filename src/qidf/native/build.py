"""Compiling the library: `python -m qidf.native.build`, and the build hook of the package.

It is compiled by the machine's own C compiler and, where there is none, by the one that the package
`ziglang` carries, which also compiles for other machines.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
# One name on every system, all of which load a library by its path.
LIBRARY = "kernels.so"

# Contraction of a * b + c into one rounding, which some machines do by default, would give other
# bits than numpy's.
FLAGS = ["-O3", "-std=c11", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
SANITIZED = ["-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"]
SANITIZED += ["-fno-sanitize-recover=all"]


class CompilerError(Exception):
    """There is no compiler, or it fails."""


class Target(NamedTuple):
    """A machine that wheels are made for: as the compiler names it, and as pip does."""

    compiler: str
    tag: str


# The oldest systems that numpy's own wheels run on, or older.
TARGETS = {
    "linux-x86_64": Target("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64"),
    "linux-arm64": Target("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64"),
    "macos-x86_64": Target("x86_64-macos.11.0", "macosx_11_0_x86_64"),
    "macos-arm64": Target("aarch64-macos.11.0", "macosx_11_0_arm64"),
    "windows-x86_64": Target("x86_64-windows-gnu", "win_amd64"),
}


def sources() -> list[Path]:
    """What is compiled."""
    return sorted(FOLDER.glob("*.c"))


def machine_compiler() -> list[str] | None:
    """The command of this machine's C compiler, if one runs."""
    named = shlex.split(os.environ.get("CC", ""))
    for command in [named] if named else [["cc"], ["gcc"], ["clang"]]:
        # A name on PATH may be a shim that only offers to install a compiler.
        if shutil.which(command[0]) and _runs([*command, "--version"]):
            return command
    return None


def compiler(target: str | None = None) -> list[str]:
    """The command to compile with, for this machine or for another."""
    found = None if target else machine_compiler()
    if found is not None:
        return found
    if find_spec("ziglang") is None:
        wanted = f"to compile for {target}" if target else "there is no C compiler"
        raise CompilerError(
            f"{wanted}: install the package ziglang, which brings one, and run"
            " `python -m qidf.native.build` again"
        )
    # By default it would use instructions that only this very processor may have.
    chosen = ["-target", TARGETS[target].compiler] if target else ["-mcpu=baseline"]
    return [sys.executable, "-m", "ziglang", "cc", *chosen]


def build(
    output: Path, *, target: str | None = None, strict: bool = False, sanitized: bool = False
) -> None:
    """Compile the library to a file, all at once: who loads it meanwhile has the old or the new."""
    windows = target.startswith("windows") if target else sys.platform == "win32"
    command = compiler(target) + FLAGS
    command += [] if windows else ["-fPIC"]
    command += (STRICT if strict else []) + (SANITIZED if sanitized else [])
    with tempfile.TemporaryDirectory(prefix=".building-", dir=output.parent) as folder:
        made = Path(folder) / output.name
        done = subprocess.run(
            [*command, *map(str, sources()), "-o", str(made)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise CompilerError(f"{shlex.join(command)} failed:\n{done.stdout}{done.stderr}")
        os.replace(made, output)


def refresh(output: Path) -> None:
    """Compile the library unless it is newer than every source of it."""
    inputs = [*sources(), FOLDER / "qidf.h", Path(__file__)]
    newest = max(os.stat(path).st_mtime_ns for path in inputs)
    if not output.exists() or os.stat(output).st_mtime_ns <= newest:
        try:
            build(output)
        except OSError as error:
            raise CompilerError(
                f"the compiled part of qidf can't be built in this source tree ({error}); make"
                f" {output.parent} writable and run `python -m qidf.native.build`"
            ) from None


def wheel_tag(target: str | None) -> str:
    """The tag of a wheel: any Python 3 on one kind of machine."""
    if target:
        return f"py3-none-{TARGETS[target].tag}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform}"


def _runs(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main() -> None:
    """Build the library beside its sources, for a source tree."""
    parser = argparse.ArgumentParser(prog="python -m qidf.native.build", description=main.__doc__)
    parser.add_argument("--strict", action="store_true", help="take warnings for errors")
    parser.add_argument("--sanitized", action="store_true", help="check addresses while it runs")
    chosen = parser.parse_args()
    try:
        build(FOLDER / LIBRARY, strict=chosen.strict, sanitized=chosen.sanitized)
    except CompilerError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
