"""Which packages `pin` lists for each language, and how many pairs the paper has of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.corpora.pinned import FOLDER, PinnedPackage
from benchmarks.corpora.registries.debian import (
    RELEASES,
    Binaries,
    Sources,
    binary_packages,
    index,
    source_packages,
)
from benchmarks.corpora.registries.npm import Npm, registry_root, select

# Documents and queries of CoIR CodeSearchNet's test splits, as in the paper's corpus table.
PAPER_SIZES = {
    "go": (182_440, 8_122),
    "java": (180_866, 10_955),
    "javascript": (64_854, 3_291),
    "php": (267_725, 14_014),
    "python": (280_310, 14_918),
    "ruby": (27_570, 1_261),
}

_LATEST = RELEASES[-1:]

SELECTIONS: dict[str, tuple[Binaries | Npm | Sources, ...]] = {
    "go": (
        # Clouds' clients are generated from their API descriptions, file after file.
        Binaries(r"golang-.*-dev", unless=r"golang-github-(aws-aws|azure-azure)-sdk-.*"),
        Binaries(r"golang-1\.\d+-src", releases=_LATEST),
        Sources(
            build_depends=r"\b(golang-any|golang-go|dh-golang|dh-sequence-golang)\b",
            unless=r"golang-.*",
        ),
    ),
    "java": (
        Sources(
            build_depends=r"\b(default-jdk|javahelper|(maven|gradle)-debian-helper|maven-repo-helper)",
            max_bytes=2_000_000,  # small packages hold more than the paper's number
        ),
        Sources(r"openjdk-25", max_bytes=100_000_000),
    ),
    "javascript": (
        Binaries(r"(node|libjs)-.*", unless=r"libjs-of-ocaml.*|.*-doc"),
        Sources(
            build_depends=r"\b(nodejs|dh-nodejs|dh-sequence-nodejs|pkg-js-tools)\b",
            max_bytes=5_000_000,
        ),
        Npm(FOLDER / "npm-names.txt"),
    ),
    "php": (
        Binaries(
            r".*",
            depends=r"\bphp\b|\bphp-common\b|\bphp-cli\b",
            unless=r".*-doc",
            max_bytes=60_000_000,  # mediawiki
        ),
        Binaries(r"php-.*|libphp-.*", unless=r".*-doc"),
    ),
    "python": (
        Binaries(r"python3-.*|libpython3\.\d+-(minimal|stdlib)", unless=r".*-(dbg|dev|doc)"),
    ),
    "ruby": (Binaries(r"ruby-.*|libruby\d.*", unless=r".*-doc"),),
}

Say = Callable[[str], None]


def _listed(roots: list[str], release: str, selection: Binaries | Sources) -> list[PinnedPackage]:
    if isinstance(selection, Binaries):
        listed = index(roots, f"dists/{release}/main/binary-amd64/Packages.xz")
        return binary_packages(listed, selection)
    listed = index(roots, f"dists/{release}/main/source/Sources.xz")
    return source_packages(listed, selection)


def pin(language: str, roots: list[str], downloads: Path, say: Say) -> list[PinnedPackage]:
    """The packages of a language as the registries hold them now, each file once."""
    chosen: dict[str, PinnedPackage] = {}
    for selection in SELECTIONS[language]:
        if isinstance(selection, Npm):
            found = select(registry_root(), selection, downloads)
        else:
            found = [
                package
                for release in selection.releases
                for package in _listed(roots, release, selection)
            ]
        new = {package.sha256: package for package in found if package.sha256 not in chosen}
        chosen |= new
        size = sum(package.size for package in new.values()) / 1e6
        say(f"{selection}: {len(new)} packages, {size:.0f} MB")
    return list(chosen.values())
