"""Pinned package lists: which file of which registry, with its size and SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from qidf.errors import InputError, InvalidArgumentError

FOLDER = Path(__file__).parent / "packages"


@dataclass(frozen=True, slots=True, order=True)
class PinnedPackage:
    """One file of a registry; `location` is its path there, so the list names no host."""

    registry: str
    name: str
    version: str
    location: str
    size: int
    sha256: str

    def __post_init__(self) -> None:
        if len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise InvalidArgumentError(
                f"{self.name} has the SHA-256 {self.sha256!r}, which is not 64 hex digits; "
                "pin the list again"
            )

    @property
    def filename(self) -> str:
        """The last part of the location, which keeps the archive's extension."""
        return self.location.rsplit("/", 1)[-1]


HEADER = "\t".join(field.name for field in fields(PinnedPackage))


def list_path(language: str) -> Path:
    """Where the pinned list of a language is committed."""
    return FOLDER / f"{language}.tsv"


def render(packages: Iterable[PinnedPackage]) -> str:
    """The list as TSV, sorted, so that pinning again gives a readable diff."""
    rows = ["\t".join(map(str, astuple(package))) for package in sorted(packages)]
    return "\n".join([HEADER, *rows]) + "\n"


def read(path: Path) -> list[PinnedPackage]:
    """The packages of a pinned list."""
    if not path.exists():
        raise InputError(f"{path} is missing; make it with the `pin` command")
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    if header != HEADER:
        raise InputError(f"{path} line 1 is not the header {HEADER!r}; pin the list again")
    packages = []
    for number, line in enumerate(lines, start=2):
        parts = line.split("\t")
        if len(parts) != 6 or not parts[4].isdigit():
            raise InputError(f"{path} line {number} doesn't have six fields; pin the list again")
        registry, name, version, location, size, sha256 = parts
        packages.append(PinnedPackage(registry, name, version, location, int(size), sha256))
    return packages


def checksum(packages: Sequence[PinnedPackage]) -> str:
    """SHA-256 of the list, independent of the order it is given in."""
    return hashlib.sha256(render(packages).encode()).hexdigest()


def part(packages: Iterable[PinnedPackage], low: float, high: float) -> list[PinnedPackage]:
    """The packages whose names fall into a part of all, from 0 to 1, by a digest of the name.

    Parts that don't overlap have no package in common, not even in another version: settings can be
    chosen on one part and measured on another.
    """
    if not 0 <= low < high <= 1:
        raise InvalidArgumentError(f"a part goes from 0 to 1, not from {low:g} to {high:g}")
    return [package for package in packages if low <= _place(package.name) < high]


def _place(name: str) -> float:
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) / 2**32
