"""The build hook: a wheel carries the library compiled for one kind of machine."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NATIVE = Path(__file__).parent / "src" / "qidf" / "native"
# The package's own builder, which imports nothing but the standard library.
BUILDER = runpy.run_path(str(NATIVE / "build.py"))
TARGET = os.environ.get("QIDF_TARGET") or None


class NativeBuildHook(BuildHookInterface):
    """Compiles `src/qidf/native`; QIDF_TARGET names another machine to compile for."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """A compiler from the package index, only where this machine has none that will do."""
        needed = TARGET is not None or BUILDER["machine_compiler"]() is None
        return ["ziglang"] if needed else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, into the source tree for an editable install."""
        name = BUILDER["LIBRARY"]
        if version == "editable":
            BUILDER["refresh"](NATIVE / name)
        else:
            folder = Path(self.directory)
            folder.mkdir(parents=True, exist_ok=True)
            self.made = folder / f"{TARGET or 'native'}-{name}"
            BUILDER["build"](self.made, target=TARGET)
            build_data["force_include"][str(self.made)] = f"qidf/native/{name}"
        build_data["tag"] = BUILDER["wheel_tag"](TARGET)
        build_data["pure_python"] = False

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing but the wheel."""
        if version != "editable":
            self.made.unlink()
