"""The whole chain for one language: pinned list in, BEIR folder and its manifest out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import beir, duplicates, pinned
from benchmarks.corpora.download import Downloaded, Fetch, download, http_fetch
from benchmarks.corpora.extraction import extract, rules_checksum
from benchmarks.corpora.filters import FILE_STEPS, FUNCTION_STEPS
from benchmarks.corpora.functions import Function
from benchmarks.corpora.languages import LANGUAGES
from benchmarks.corpora.manifest import Manifest
from benchmarks.corpora.pinned import PinnedPackage
from benchmarks.corpora.registries import debian, npm
from benchmarks.corpora.sample import SEED, draw
from qidf.errors import InputError

CACHE = Path(__file__).parents[1] / ".cache" / "corpora"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to keep things and how to get them."""

    cache: Path = CACHE
    archive: str | None = None
    allow_missing: bool = False
    processes: int = 2
    progress: bool = True
    part: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Size:
    """How many documents and queries, drawn with which seed."""

    num_docs: int
    num_queries: int
    seed: int = SEED
    # Take all there are when they are fewer, instead of refusing.
    or_fewer: bool = False


def fetchers(packages: Sequence[PinnedPackage], archive: str | None) -> dict[str, Fetch]:
    """How to get the files of each registry that the list names."""
    known: dict[str, Callable[[], Fetch]] = {
        debian.REGISTRY: lambda: http_fetch(
            [archive.rstrip("/") + "/"] if archive else debian.archive_roots()
        ),
        npm.REGISTRY: lambda: http_fetch([npm.registry_root()]),
    }
    return {name: known[name]() for name in {package.registry for package in packages}}


def fetch(packages: Sequence[PinnedPackage], settings: Settings) -> Downloaded:
    """Every pinned file on disk, or the reasons why not."""
    return download(
        packages,
        settings.cache / "downloads",
        fetchers(packages, settings.archive),
        progress=settings.progress,
    )


def deduplicate(
    language: str, functions: list[Function], steps: dict[str, int], say: Say
) -> list[Function]:
    """Drop duplicates by rule after rule, adding to `steps` what each leaves."""
    versions = LANGUAGES[language].versions_are_places
    rules: tuple[tuple[str, Callable[[list[Function]], list[Function]]], ...] = (
        (
            "same_place",
            lambda left: duplicates.without_same_place(left, versions_are_places=versions),
        ),
        ("exact_doc", lambda left: duplicates.without_exact(left, "documentation")),
        ("exact_code", lambda left: duplicates.without_exact(left, "stripped")),
        ("near_code", duplicates.without_near),
    )
    for name, rule in rules:
        functions = rule(functions)
        steps[name] = len(functions)
        say(f"{name}: {len(functions)} left")
    return functions


def _replace_folder(new: Path, target: Path) -> None:
    """Put a finished folder in place; readers see the old one or the new one, whole."""
    old = target.with_name(target.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        os.replace(target, old)
    os.replace(new, target)
    shutil.rmtree(old, ignore_errors=True)


def build(language: str, size: Size, output: Path, settings: Settings, say: Say) -> Manifest:
    """Make the corpus of one language; equal arguments give equal bytes."""
    packages = pinned.part(pinned.read(pinned.list_path(language)), *settings.part)
    got = fetch(packages, settings)
    for reason in got.failures.values():
        say(reason)
    if got.failures and not settings.allow_missing:
        raise InputError(
            f"{len(got.failures)} of {len(packages)} pinned packages are missing; "
            "give --allow-missing to build a different corpus without them"
        )
    present = [(package, got.paths[package]) for package in packages if package in got.paths]
    functions, counts = extract(
        language,
        present,
        settings.cache / "functions",
        processes=settings.processes,
        progress=settings.progress,
    )
    steps = {step: counts[step] for step in FUNCTION_STEPS}
    functions = deduplicate(language, functions, steps, say)
    num_docs = size.num_docs
    if size.or_fewer and len(functions) < num_docs:
        say(f"{len(functions)} functions pass the filters, fewer than {num_docs}; all are taken")
        num_docs = len(functions)
    sample = draw(functions, num_docs, size.num_queries, size.seed)
    partial = output.with_name(output.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    files = beir.write(sample, partial)
    manifest = Manifest(
        language=language,
        num_docs=num_docs,
        num_queries=size.num_queries,
        seed=size.seed,
        num_packages=len(present),
        package_bytes=sum(package.size for package, _ in present),
        package_list_sha256=pinned.checksum(packages),
        missing=sorted(f"{package.name} {package.version}" for package in got.failures),
        rules=rules_checksum(language),
        file_steps={step: counts[step] for step in FILE_STEPS},
        function_steps=steps,
        files_sha256=files,
    )
    manifest.write(partial / "manifest.json")
    _replace_folder(partial, output)
    return manifest
