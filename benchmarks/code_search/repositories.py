"""Real repositories that come as source packages, pinned by digest."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).parent.parent / ".cache" / "code_search"


@dataclass(frozen=True, slots=True)
class SourceRepository:
    """A repository: the packages it comes in, with SHA-256, and the folder of them that counts.

    A package is `deb:NAME=VERSION`, `pypi:NAME==VERSION` or `npm:NAME@VERSION`.
    """

    name: str
    packages: tuple[tuple[str, str], ...]
    folder: str


_RAILS = "2:6.1.7.10+dfsg-1~deb12u3"
REPOSITORIES = (
    SourceRepository(
        "go",
        (
            (
                "deb:golang-1.19-src=1.19.8-2",
                "2dfa82fe4f08f4e0193c532e561af4c91871f5235608f04f2bb8d57bb288df5a",
            ),
        ),
        "usr/share/go-1.19",
    ),
    SourceRepository(
        "rust",
        (
            (
                "deb:rust-src=1.63.0+dfsg1-2",
                "410b8c6d464cabbe5fb3154ab8c3d374980dd597fbe7e3b7bb3ed8dd1bf11e25",
            ),
        ),
        "usr/src/rustc-1.63.0/library",
    ),
    SourceRepository(
        "rails",
        (
            (
                f"deb:ruby-actioncable={_RAILS}",
                "a2ea8f9ad25d55da21d0aee4d91026593fc81003b8006aabcbfe818371ed0449",
            ),
            (
                f"deb:ruby-actionpack={_RAILS}",
                "1e27db5205aedcc743e91b8b4b08d3ef31fbb2f3947373df1858318bf651ec72",
            ),
            (
                f"deb:ruby-actionview={_RAILS}",
                "005f9524827c5b0ef85133cefec1d529abb5ff338c268acad598c8ae080ccd91",
            ),
            (
                f"deb:ruby-activejob={_RAILS}",
                "e95a7562b3bb7d289b634800954ce207c9aff7e75bf3da8a858d7928b13d3b94",
            ),
            (
                f"deb:ruby-activemodel={_RAILS}",
                "933fa551931451e555c060d2a80d6115e9464958f8c810bab1cee84644e1ff2e",
            ),
            (
                f"deb:ruby-activerecord={_RAILS}",
                "c5efd4808d025b9e186815cfe0cb56897229a7bdecdeb168191fdc15dcd08636",
            ),
            (
                f"deb:ruby-activestorage={_RAILS}",
                "ea9cc5b627f6e9eb8bdc75d95e01660f95b13fd408cb216ea9798e199a77c887",
            ),
            (
                f"deb:ruby-activesupport={_RAILS}",
                "788468e005814fe073d47dc2e63206611a6040882d0350f93c37dbd6c2998750",
            ),
            (
                f"deb:ruby-railties={_RAILS}",
                "c36d1b589d2e588a2a8372e4fb05c11397e1d6cad1ae26679cc274be9109ef14",
            ),
        ),
        "usr/share/rubygems-integration",
    ),
    SourceRepository(
        "django",
        (
            (
                "deb:python3-django=3:3.2.25-0+deb12u7",
                "9ad8ed29d9026207970777e194f658c39b3a7a96a932967f043503fc25bdc319",
            ),
        ),
        "usr/lib/python3/dist-packages/django",
    ),
    SourceRepository(
        "sympy",
        (
            (
                "pypi:sympy==1.13.3",
                "54612cf55a62755ee71824ce692986f23c88ffa77207b30c1368eda4a7060f73",
            ),
        ),
        "sympy",
    ),
    SourceRepository(
        "webpack",
        (
            (
                "npm:webpack@5.112.2",
                "fb618a5eba0f16fa43ed720cc4634df4e88c65d594c0e0ad2c5c0c9be4057dfe",
            ),
        ),
        "package",
    ),
)


def prepare(repository: SourceRepository) -> Path:
    """Download and unpack a repository's packages, once; the folder that counts."""
    target = CACHE / "sources" / repository.name
    folder = target / repository.folder
    if folder.is_dir():
        return folder
    downloads = CACHE / "packages"
    downloads.mkdir(parents=True, exist_ok=True)
    for package, digest in repository.packages:
        archive = _fetched(package, digest, downloads)
        target.mkdir(parents=True, exist_ok=True)
        if package.startswith("deb:"):
            subprocess.run(["dpkg-deb", "-x", str(archive), str(target)], check=True)
        elif package.startswith("pypi:"):
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(target)
        else:
            with tarfile.open(archive) as tar:
                tar.extractall(target, filter="data")
    return folder


def _fetched(package: str, digest: str, downloads: Path) -> Path:
    """The package's archive, downloaded by its own tool unless it is there already."""
    for path in downloads.iterdir():
        if _digest(path) == digest:
            return path
    scratch = downloads / f"{digest[:12]}.new"
    scratch.mkdir(exist_ok=True)
    kind, _, name = package.partition(":")
    commands = {
        "deb": ["apt-get", "download", name],
        "pypi": ["pip", "download", "--no-deps", name],
        "npm": ["npm", "pack", name],
    }
    subprocess.run(commands[kind], cwd=scratch, check=True, capture_output=True)
    (archive,) = scratch.iterdir()
    if _digest(archive) != digest:
        raise SystemExit(f"{package} is not the package that was measured: its digest differs")
    kept = downloads / archive.name
    shutil.move(archive, kept)
    scratch.rmdir()
    return kept


def _digest(path: Path) -> str:
    if not path.is_file():
        return ""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
