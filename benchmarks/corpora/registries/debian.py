"""Debian's archive: the packages of a release, reached where apt is configured to reach it."""

from __future__ import annotations

import lzma
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator

from benchmarks.corpora.pinned import PinnedPackage
from qidf.errors import InputError

REGISTRY = "debian"


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


def binary_packages(listed: list[dict[str, str]], name: str, unless: str) -> list[PinnedPackage]:
    """Binary packages whose whole name matches `name` and not `unless`."""
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
        if re.fullmatch(name, found["Package"]) and not re.fullmatch(unless, found["Package"])
    ]


def source_packages(
    listed: list[dict[str, str]], build_depends: str, unless: str
) -> list[PinnedPackage]:
    """Upstream tarballs of source packages by what builds them.

    Left out when one of their binaries matches `unless`: those are pinned as binaries already.
    """
    chosen: list[PinnedPackage] = []
    for found in listed:
        needs = found.get("Build-Depends", "") + found.get("Build-Depends-Indep", "")
        binaries = re.split(r"[,\s]+", found.get("Binary", ""))
        if not re.search(build_depends, needs) or any(re.fullmatch(unless, b) for b in binaries):
            continue
        for line in found["Checksums-Sha256"].split("\n"):
            sha256, size, name = line.split() if line.strip() else ("", "0", "")
            # `.orig.tar.*`, or the one tarball of a package that is native to Debian.
            if re.search(r"\.tar\.\w+$", name) and not re.search(
                r"\.debian\.tar|\.orig-[^/]*\.tar", name
            ):
                location = f"{found['Directory']}/{name}"
                chosen.append(
                    PinnedPackage(
                        REGISTRY, found["Package"], found["Version"], location, int(size), sha256
                    )
                )
    return chosen
