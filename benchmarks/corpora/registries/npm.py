"""npm's registry as npm is configured to reach it: the latest version of named packages."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpora.download import CONNECTIONS, stored_path
from benchmarks.corpora.pinned import PinnedPackage
from qidf.errors import InputError

REGISTRY = "npm"


@dataclass(frozen=True, slots=True)
class Npm:
    """Packages by name, from a file with one name a line."""

    names: Path
    # Larger packages carry their builds, bundles and media.
    max_bytes: int = 10_000_000


def registry_root() -> str:
    """The registry npm is configured to use, ending in a slash."""
    try:
        done = subprocess.run(
            ["npm", "config", "get", "registry"], check=True, capture_output=True, text=True
        )
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise InputError(f"npm can't say where its registry is ({error}); install npm") from error
    return done.stdout.strip().rstrip("/") + "/"


def _latest(root: str, name: str) -> dict[str, Any] | None:
    """The latest version's description, or nothing when the package is gone."""
    url = f"{root}{urllib.parse.quote(name, safe='@')}/latest"
    try:
        with urllib.request.urlopen(url, timeout=60) as response:
            described: dict[str, Any] = json.load(response)
            return described
    except (urllib.error.HTTPError, json.JSONDecodeError):
        return None


def _is_intact(data: bytes, dist: dict[str, str]) -> bool:
    """Whether the tarball is the one its description names."""
    algorithm, _, expected = dist.get("integrity", "").split(" ")[0].partition("-")
    if algorithm in ("sha512", "sha384", "sha256"):
        found = base64.b64encode(hashlib.new(algorithm, data).digest()).decode()
        return found == expected
    return hashlib.sha1(data).hexdigest() == dist.get("shasum")


def _pin(root: str, described: dict[str, Any], folder: Path, limit: int) -> PinnedPackage | None:
    """Fetch one tarball, check it, and keep it under the SHA-256 it turns out to have."""
    name, version = described["name"], described["version"]
    location = f"{name}/-/{name.rsplit('/', 1)[-1]}-{version}.tgz"
    try:
        with urllib.request.urlopen(root + location, timeout=120) as response:
            data = response.read(limit + 1)
    except urllib.error.HTTPError:
        return None
    if len(data) > limit or not _is_intact(data, described["dist"]):
        return None
    sha256 = hashlib.sha256(data).hexdigest()
    package = PinnedPackage(REGISTRY, name, version, location, len(data), sha256)
    target = stored_path(folder, package)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".part")
    partial.write_bytes(data)
    os.replace(partial, target)
    return package


def select(root: str, selection: Npm, folder: Path) -> list[PinnedPackage]:
    """Pin the latest version of each named package."""
    lines = selection.names.read_text(encoding="utf-8").splitlines()
    names = sorted({line.strip() for line in lines if line.strip() and not line.startswith("#")})

    def one(name: str) -> PinnedPackage | None:
        described = _latest(root, name)
        if described is None or "dist" not in described:
            return None
        return _pin(root, described, folder, selection.max_bytes)

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return [package for package in pool.map(one, names) if package is not None]
