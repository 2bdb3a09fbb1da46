"""Datasets by name: a folder on disk, a set on the Hugging Face hub, a repository's docstrings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from qidf.datasets.beir import DEFAULT_QUERIES, DEFAULT_SPLIT, read_beir
from qidf.datasets.beir_hub import read_beir_hub
from qidf.datasets.codesearchnet import STRIPPED, read_codesearchnet
from qidf.datasets.dataset import Dataset
from qidf.datasets.long_code_arena import LongCodeArena
from qidf.datasets.records import Progress
from qidf.datasets.repobench import RepoBench
from qidf.datasets.repository_docstrings import read_docstrings
from qidf.datasets.task import Task
from qidf.errors import InputError, InvalidArgumentError

FORMS = (
    "a BEIR folder, beir:nfcorpus (or another of BEIR's), coir:go (or another language),"
    " repobench-r:python/cff/easy (or another cell), lca:python, or docstrings:REPOSITORY"
)


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen about any dataset; each reader takes what it has."""

    split: str = DEFAULT_SPLIT
    queries: str = DEFAULT_QUERIES
    hub_folder: Path | None = None
    repos: Path | None = None
    allow_unknown: bool = False
    progress: Progress | None = None


def open_dataset(name: str | Path, choices: Choices | None = None) -> Dataset | Task:
    """Read the dataset that a path or a name stands for; a task of many is read as it is used."""
    chosen = Choices() if choices is None else choices
    source, colon, what = str(name).partition(":")
    reader = _READERS.get(source) if colon else None
    if reader is not None:
        if chosen.queries != DEFAULT_QUERIES:
            raise InvalidArgumentError(
                f"{name} has one form of queries; {chosen.queries!r} is for BEIR folders"
            )
        return reader(what, chosen)
    if not Path(name).exists():
        raise InputError(f"there is no dataset {name}; give {FORMS}")
    return read_beir(
        name,
        split=chosen.split,
        queries=chosen.queries,
        allow_unknown=chosen.allow_unknown,
        progress=chosen.progress,
    )


def _beir(name: str, chosen: Choices) -> Dataset:
    return read_beir_hub(
        name,
        split=chosen.split,
        hub_folder=chosen.hub_folder,
        allow_unknown=chosen.allow_unknown,
    )


def _coir(name: str, chosen: Choices) -> Dataset:
    return read_codesearchnet(
        name.removesuffix(STRIPPED),
        split=chosen.split,
        stripped=name.endswith(STRIPPED),
        hub_folder=chosen.hub_folder,
        allow_unknown=chosen.allow_unknown,
    )


def _repobench(name: str, chosen: Choices) -> Task:
    cell = name.split("/")
    if len(cell) != 3:
        raise InvalidArgumentError(
            f"{name!r} is no cell of RepoBench-R; write language/setting/level, such as"
            " python/cff/easy"
        )
    return RepoBench(*cell, split=chosen.split, hub_folder=chosen.hub_folder)


def _lca(name: str, chosen: Choices) -> Task:
    if chosen.repos is None:
        raise InvalidArgumentError(
            "Long Code Arena needs a folder for its repositories; say which (--repos)"
        )
    return LongCodeArena(name, chosen.repos, split=chosen.split, hub_folder=chosen.hub_folder)


def _docstrings(name: str, chosen: Choices) -> Dataset:
    return read_docstrings(name, progress=chosen.progress)


_READERS: dict[str, Callable[[str, Choices], Dataset | Task]] = {
    "beir": _beir,
    "coir": _coir,
    "repobench-r": _repobench,
    "lca": _lca,
    "docstrings": _docstrings,
}
