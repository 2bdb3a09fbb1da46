"""Which packages `pin` lists for each language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.corpora.pinned import PinnedPackage
from benchmarks.corpora.registries import debian

# Two releases that stay in the archive for years; what both hold is dropped as a duplicate.
RELEASES = ("bookworm", "trixie")
NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class Binaries:
    """Binary packages by name."""

    name: str
    unless: str = NEVER
    releases: tuple[str, ...] = RELEASES


@dataclass(frozen=True, slots=True)
class Sources:
    """Source packages by what they need to be built."""

    build_depends: str
    unless: str = NEVER
    releases: tuple[str, ...] = RELEASES[-1:]


# Documents and queries of CoIR CodeSearchNet's test splits, as in the paper's corpus table.
PAPER_SIZES = {
    "go": (182_440, 8_122),
    "java": (180_866, 10_955),
    "javascript": (64_854, 3_291),
    "php": (267_725, 14_014),
    "python": (280_310, 14_918),
    "ruby": (27_570, 1_261),
}

SELECTIONS: dict[str, tuple[Binaries | Sources, ...]] = {
    "go": (
        # Clouds' clients are generated from their API descriptions, file after file.
        Binaries(r"golang-.*-dev", unless=r"golang-github-(aws-aws|azure-azure)-sdk-.*"),
        Binaries(r"golang-1\.\d+-src", releases=RELEASES[-1:]),
        Sources(r"\b(golang-any|golang-go|dh-golang|dh-sequence-golang)\b", r"golang-.*"),
    ),
}

Say = Callable[[str], None]


def pin(language: str, roots: list[str], say: Say) -> list[PinnedPackage]:
    """The packages of a language as the archive holds them now, each file once."""
    chosen: dict[str, PinnedPackage] = {}
    indexes: dict[str, list[dict[str, str]]] = {}
    for selection in SELECTIONS[language]:
        for release in selection.releases:
            kind = "binary-amd64/Packages" if isinstance(selection, Binaries) else "source/Sources"
            location = f"dists/{release}/main/{kind}.xz"
            if location not in indexes:
                indexes[location] = debian.index(roots, location)
            if isinstance(selection, Binaries):
                found = debian.binary_packages(indexes[location], selection.name, selection.unless)
            else:
                found = debian.source_packages(
                    indexes[location], selection.build_depends, selection.unless
                )
            new = {package.sha256: package for package in found if package.sha256 not in chosen}
            chosen |= new
            size = sum(package.size for package in new.values()) / 1e6
            say(f"{release} {selection}: {len(new)} packages, {size:.0f} MB")
    return list(chosen.values())
