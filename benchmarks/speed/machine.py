"""Where and with what a run was made."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("qidf", "bm25s", "tantivy", "numpy", "numba", "llvmlite", "scipy", "click")


def machine() -> dict[str, Any]:
    """Processor, cores, memory and system; nothing that names the host."""
    return {
        "cpu": _proc_field("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        "cores": os.cpu_count(),
        "memory_kb": _kilobytes(_proc_field("/proc/meminfo", "MemTotal")),
        "system": f"{platform.system()} {platform.machine()}",
    }


def load() -> list[float] | None:
    """Load average over 1, 5 and 15 minutes, where the system tells."""
    return [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None


def versions() -> dict[str, str]:
    """Python's and each package's version; packages that are absent are left out."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit() -> dict[str, Any]:
    """The commit that was measured, and whether the package had uncommitted changes."""
    head = _git("rev-parse", "HEAD")
    changed = _git("status", "--porcelain", "--", "src", "benchmarks/speed")
    return {"id": head, "dirty": None if changed is None else bool(changed)}


def peak_rss_kb() -> int:
    """Most memory this process has had resident, in KiB.

    Linux carries ru_maxrss from the parent over fork and exec, so a small child of a large parent
    would report the parent's peak; VmHWM starts anew with the program.
    """
    peak = _kilobytes(_proc_field("/proc/self/status", "VmHWM"))
    if peak is not None:
        return peak
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _proc_field(path: str, name: str) -> str | None:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None


def _kilobytes(field: str | None) -> int | None:
    return None if field is None else int(field.split()[0])
