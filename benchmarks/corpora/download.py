"""Resumable downloads: a file is kept only when its SHA-256 is the pinned one."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora.pinned import PinnedPackage

# Archives ask for few connections from one client; eight saturate a home line.
CONNECTIONS = 8
ATTEMPTS = 3
CHUNK = 1 << 20

Fetch = Callable[[PinnedPackage, Path], None]


class GoneError(Exception):
    """The registry no longer holds the pinned file."""


@dataclass(frozen=True, slots=True)
class Downloaded:
    """What is on disk after a fetch, and why the rest isn't."""

    paths: dict[PinnedPackage, Path]
    failures: dict[PinnedPackage, str]


def sha256_of(path: Path) -> str:
    """Checksum of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def stored_path(folder: Path, package: PinnedPackage) -> Path:
    """Where a package is kept: its checksum makes the name unique, its filename readable."""
    return (
        folder / package.registry / package.sha256[:2] / f"{package.sha256[:16]}-{package.filename}"
    )


def is_intact(path: Path, package: PinnedPackage) -> bool:
    """Whether the stored file is the pinned one, byte for byte."""
    return (
        path.exists() and path.stat().st_size == package.size and sha256_of(path) == package.sha256
    )


def http_fetch(roots: Sequence[str]) -> Fetch:
    """A fetch that tries each root in turn and continues a partial file where it stopped."""

    def fetch(package: PinnedPackage, partial: Path) -> None:
        for root in roots:
            have = partial.stat().st_size if partial.exists() else 0
            if have >= package.size:
                partial.unlink()
                have = 0
            request = urllib.request.Request(root + package.location)
            if have:
                request.add_header("Range", f"bytes={have}-")
            try:
                with urllib.request.urlopen(request, timeout=120) as response:
                    mode = "ab" if response.status == 206 else "wb"
                    with partial.open(mode) as out:
                        while chunk := response.read(CHUNK):
                            out.write(chunk)
                return
            except urllib.error.HTTPError as error:
                if error.code not in (403, 404, 410):
                    raise
        raise GoneError

    return fetch


def _obtain(package: PinnedPackage, folder: Path, fetch: Fetch) -> str | None:
    """Bring one package to disk; the reason when it can't be."""
    target = stored_path(folder, package)
    if is_intact(target, package):
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    partial = target.with_name(target.name + ".part")
    reason = ""
    for attempt in range(ATTEMPTS):
        try:
            fetch(package, partial)
        except GoneError:
            return (
                f"{package.name} {package.version} is no longer in the archive; give --archive "
                "the URL of an archive that keeps old versions, or pin the list again"
            )
        except OSError as error:
            reason = f"{package.name} {package.version} could not be fetched ({error}); run again"
            time.sleep(attempt)
            continue
        if is_intact(partial, package):
            os.replace(partial, target)
            return None
        partial.unlink(missing_ok=True)
        reason = (
            f"{package.name} {package.version} came with a checksum that is not the pinned one; "
            "pin the list again if the archive replaced it"
        )
    return reason


def download(
    packages: Sequence[PinnedPackage],
    folder: Path,
    fetch_by_registry: dict[str, Fetch],
    *,
    progress: bool = True,
) -> Downloaded:
    """Fetch what is missing or damaged; every other file is left as it is."""
    total = sum(package.size for package in packages)
    paths: dict[PinnedPackage, Path] = {}
    failures: dict[PinnedPackage, str] = {}
    lock = threading.Lock()
    last = [0.0]

    def one(package: PinnedPackage) -> None:
        reason = _obtain(package, folder, fetch_by_registry[package.registry])
        with lock:
            if reason is None:
                paths[package] = stored_path(folder, package)
            else:
                failures[package] = reason
            done = len(paths) + len(failures)
            if progress and (time.monotonic() - last[0] > 1 or done == len(packages)):
                last[0] = time.monotonic()
                size = sum(package.size for package in paths) / 1e6
                print(
                    f"\rdownload {done}/{len(packages)} packages, {size:.0f}/{total / 1e6:.0f} MB",
                    end="\n" if done == len(packages) else "",
                    file=sys.stderr,
                    flush=True,
                )

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(one, packages))
    return Downloaded(paths, failures)
