"""Long Code Arena's task on Debian's patches: the files that a described fix changes.

A patch stands for an issue with its fix: its description asks, the upstream sources before it are
the documents, the files it changes are right. Tests and packaging are no fixes, so that patches
which change nothing else are left out; so are those that touch many files and those of few words.

Differences to the original: descriptions are written by those who know the fix, not by those who
met the bug, and every patch is taken to apply to the upstream sources as they are.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.corpora import contents
from benchmarks.corpora.languages import LANGUAGES
from benchmarks.corpora.patches import Patch, read_patches
from benchmarks.corpora.pinned import PinnedPackage
from benchmarks.corpora.registries import debian

MIN_WORDS = 5
MAX_CHANGED = 5
MIN_FILES = 10
# Later ones of a package are about the same few files.
MAX_PER_PACKAGE = 3
MAX_SOURCE_BYTES = 3_000_000
# A debian.tar below has no room for patches.
MIN_DEBIAN_BYTES = 4_000
BUILT_WITH = {
    "python": r"dh-python|dh-sequence-python3|pybuild",
    "java": r"javahelper|maven-debian-helper|maven-repo-helper|gradle-debian-helper",
}
_FOLDERS = {"python": "py", "java": "java"}
_PACKAGING = re.compile(r"(^|/)(setup|conf|versioneer|conftest)\.py$|(^|/)(docs?|debian|examples)/")
_ORIGINAL, _DEBIAN = re.compile(r"\.orig\.tar\.\w+$"), re.compile(r"\.debian\.tar\.\w+$")


@dataclass(frozen=True, slots=True)
class Source:
    """A source package: its upstream sources and Debian's additions."""

    original: PinnedPackage
    debian: PinnedPackage


@dataclass(frozen=True, slots=True)
class Issue:
    """A row of the original's table."""

    repo_owner: str
    repo_name: str
    issue_url: str
    issue_title: str
    issue_body: str
    base_sha: str
    changed_files: str


def list_sources(listed: Iterable[dict[str, str]], language: str) -> list[Source]:
    """Packages of a language that may have patches, in the order of their checksums."""
    found = []
    for fields in listed:
        needs = fields.get("Build-Depends", "") + fields.get("Build-Depends-Indep", "")
        if "quilt" in fields.get("Format", "") and re.search(BUILT_WITH[language], needs):
            pinned = _files(fields)
            if pinned is not None:
                found.append(pinned)
    return sorted(found, key=lambda each: each.debian.sha256)


def pair(packages: Iterable[PinnedPackage]) -> list[Source]:
    """The sources of a pinned list, which names both files of each."""
    halves: dict[tuple[str, str], dict[bool, PinnedPackage]] = {}
    for package in packages:
        is_debian = _DEBIAN.search(package.location) is not None
        halves.setdefault((package.name, package.version), {})[is_debian] = package
    return [Source(both[False], both[True]) for both in halves.values() if len(both) == 2]


def fixes(language: str, archive: Path) -> list[Patch]:
    """The patches of a debian.tar that describe a fix of the language's sources."""
    suffixes = LANGUAGES[language].suffixes
    found = []
    for patch in read_patches(archive):
        sources = [path for path in patch.changed if path.endswith(suffixes)]
        mended = [path for path in sources if not _is_beside(language, path)]
        words = re.findall(r"\w+", f"{patch.title} {patch.body}")
        if mended and len(patch.changed) <= MAX_CHANGED and len(words) >= MIN_WORDS:
            found.append(replace(patch, changed=tuple(mended)))
    return found[:MAX_PER_PACKAGE]


def issues(
    language: str, source: Source, original: Path, patches: list[Patch], repos: Path
) -> Iterator[Issue]:
    """A package's issues, with its upstream sources as a repository of one commit."""
    files = _upstream(original, LANGUAGES[language].suffixes)
    known = [patch for patch in patches if set(patch.changed) <= files.keys()]
    if len(files) < MIN_FILES or not known:
        return
    name = source.original.name
    commit = write_repository(repos / f"debian__{name}.git", files)
    for patch in known:
        yield Issue(
            "debian",
            name,
            f"debian:{name}/{source.original.version}/{patch.name}",
            patch.title,
            patch.body,
            commit,
            repr(list(patch.changed)),
        )


def write_repository(folder: Path, files: dict[str, bytes]) -> str:
    """Make a bare repository with these files in one commit; the same files give the same one."""
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    stream = [b"commit refs/heads/main\ncommitter a <a@b.c> 0 +0000\ndata 0\n"]
    for path, data in sorted(files.items()):
        quoted = path.replace("\\", "\\\\").replace('"', '\\"')
        stream.append(f'M 100644 inline "{quoted}"\ndata {len(data)}\n'.encode() + data + b"\n")
    command = ["git", "-C", str(folder), "fast-import", "--quiet"]
    subprocess.run(command, input=b"".join(stream), check=True)
    command = ["git", "-C", str(folder), "rev-parse", "refs/heads/main"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write_table(found: list[Issue], folder: Path, language: str) -> Path:
    """Write the issues where the reader of the original looks for them."""
    import pyarrow
    import pyarrow.parquet

    path = (
        folder
        / "JetBrains-Research/lca-bug-localization"
        / _FOLDERS[language]
        / "test-00000-of-00001.parquet"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    names = Issue.__slots__
    rows = [{name: getattr(issue, name) for name in names} for issue in found]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def _is_beside(language: str, path: str) -> bool:
    rules = LANGUAGES[language]
    return bool(_PACKAGING.search(path) or rules.tests.search(path.lower()))


def _files(fields: dict[str, str]) -> Source | None:
    found: dict[re.Pattern[str], PinnedPackage] = {}
    for line in filter(str.strip, fields["Checksums-Sha256"].split("\n")):
        sha256, size, name = line.split()
        for kind in (_ORIGINAL, _DEBIAN):
            if kind.search(name):
                found[kind] = PinnedPackage(
                    debian.REGISTRY,
                    fields["Package"],
                    fields["Version"],
                    f"{fields['Directory']}/{name}",
                    int(size),
                    sha256,
                )
    if len(found) < 2 or found[_ORIGINAL].size > MAX_SOURCE_BYTES:
        return None
    if found[_DEBIAN].size < MIN_DEBIAN_BYTES:
        return None
    return Source(found[_ORIGINAL], found[_DEBIAN])


def _upstream(archive: Path, suffixes: tuple[str, ...]) -> dict[str, bytes]:
    """The sources of an upstream tarball by path, without the folder that all of it is in."""
    return {
        path.partition("/")[2]: data
        for path, data in contents.source_files(archive, suffixes)
        if path.partition("/")[2] and "\n" not in path
    }
