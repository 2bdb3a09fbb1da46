"""Debian's archive: the packages of a release, reached where apt is configured to reach it."""

from __future__ import annotations

import lzma
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.corpora.pinned import PinnedPackage
from qidf.errors import InputError

REGISTRY = "debian"
# Two releases that stay in the archive for years; what both hold is dropped as a duplicate.
RELEASES = ("bookworm", "trixie")
NEVER = r"(?!)"
# Larger packages are data, fonts or browsers with a little code beside.
MAX_BYTES = 40_000_000


@dataclass(frozen=True, slots=True)
class Binaries:
    """Binary packages by whole name and by what they depend on."""

    name: str
    depends: str = ""
    unless: str = NEVER
    max_bytes: int = MAX_BYTES
    releases: tuple[str, ...] = RELEASES


@dataclass(frozen=True, slots=True)
class Sources:
    """Source packages by whole name and by what builds them.

    Left out when one of their binaries matches `unless`: those are pinned as binaries already.
    """

    name: str = ".*"
    build_depends: str = ""
    unless: str = NEVER
    max_bytes: int = MAX_BYTES
    # One release: a tarball's paths begin with its version, so no place is seen twice.
    releases: tuple[str, ...] = RELEASES[-1:]


def archive_roots() -> list[str]:
    """The archives apt reads package lists from, each ending in a slash."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise InputError(
            f"apt can't say where Debian's archive is ({error}); give --archive URL"
        ) from error
    roots = {root.rstrip("/") + "/" for root in done.stdout.split()}
    # Shortest first: the main archive before its security sibling and before other vendors'.
    return sorted(roots, key=lambda root: (len(root), root))


def paragraphs(text: str) -> Iterator[dict[str, str]]:
    """The fields of each paragraph of a Debian control file, continuation lines joined."""
    for block in text.split("\n\n"):
        found: dict[str, str] = {}
        key = ""
        for line in block.splitlines():
            if line[:1] in " \t":
                found[key] += "\n" + line
            else:
                key, _, value = line.partition(":")
                found[key] = value.strip()
        if found:
            yield found


def index(roots: list[str], location: str) -> list[dict[str, str]]:
    """The paragraphs of one compressed index file, from the first root that has it."""
    for root in roots:
        try:
            with urllib.request.urlopen(root + location, timeout=120) as response:
                return list(paragraphs(lzma.decompress(response.read()).decode("utf-8")))
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
    raise InputError(f"no archive of apt's configuration has {location}; give --archive URL")


def binary_packages(listed: list[dict[str, str]], selection: Binaries) -> list[PinnedPackage]:
    """The binary packages a selection names."""
    return [
        PinnedPackage(
            REGISTRY,
            found["Package"],
            found["Version"],
            found["Filename"],
            int(found["Size"]),
            found["SHA256"],
        )
        for found in listed
        if re.fullmatch(selection.name, found["Package"])
        and not re.fullmatch(selection.unless, found["Package"])
        and re.search(selection.depends, found.get("Depends", ""))
        and int(found["Size"]) <= selection.max_bytes
    ]


def source_packages(listed: list[dict[str, str]], selection: Sources) -> list[PinnedPackage]:
    """The upstream tarballs of the source packages a selection names."""
    chosen: list[PinnedPackage] = []
    for found in listed:
        needs = found.get("Build-Depends", "") + found.get("Build-Depends-Indep", "")
        binaries = re.split(r"[,\s]+", found.get("Binary", ""))
        if (
            not re.fullmatch(selection.name, found["Package"])
            or not re.search(selection.build_depends, needs)
            or any(re.fullmatch(selection.unless, binary) for binary in binaries)
        ):
            continue
        for line in filter(str.strip, found["Checksums-Sha256"].split("\n")):
            sha256, size, name = line.split()
            # `.orig.tar.*`, or the one tarball of a package that is native to Debian.
            is_tarball = re.search(r"\.tar\.\w+$", name) and ".debian.tar" not in name
            is_main = is_tarball and not re.search(r"\.orig-.*\.tar", name)
            if is_main and int(size) <= selection.max_bytes:
                location = f"{found['Directory']}/{name}"
                chosen.append(
                    PinnedPackage(
                        REGISTRY, found["Package"], found["Version"], location, int(size), sha256
                    )
                )
    return chosen
