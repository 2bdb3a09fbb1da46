"""BEIR's form of a test collection: a folder of three files."""

from __future__ import annotations

from pathlib import Path

from qidf.datasets.assembly import assemble
from qidf.datasets.dataset import Dataset
from qidf.datasets.judgements import read_judgements
from qidf.datasets.records import Progress, read_jsonl
from qidf.errors import InputError

DEFAULT_SPLIT = "test"
DEFAULT_QUERIES = "queries"
_GZIPPED = ("", ".gz")


def read_beir(
    folder: str | Path,
    *,
    split: str = DEFAULT_SPLIT,
    queries: str = DEFAULT_QUERIES,
    allow_unknown: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    """Read corpus.jsonl, queries.jsonl and qrels/<split>.tsv, each of them plain or gzipped.

    `queries` names another file of queries, such as "queries.published" for
    queries.published.jsonl.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"there is no folder {root}; give a BEIR folder, with corpus.jsonl in it")
    corpus = _file(root, "corpus", ".jsonl")
    asked = _file(root, queries, ".jsonl")
    judged = _file(root / "qrels", split, ".tsv")
    return assemble(
        _name(root, split, queries),
        f"the BEIR folder {root}, split {split}"
        + (f", {asked.name}" if queries != DEFAULT_QUERIES else ""),
        read_jsonl(corpus, "document", titled=True, progress=progress),
        read_jsonl(asked, "query"),
        read_judgements(judged),
        allow_unknown=allow_unknown,
    )


def _name(root: Path, split: str, queries: str) -> str:
    name = root.resolve().name
    if split != DEFAULT_SPLIT:
        name += f"/{split}"
    form = queries.removeprefix(DEFAULT_QUERIES).strip(".")
    return f"{name} ({form} queries)" if form else name


def _file(folder: Path, stem: str, suffix: str) -> Path:
    for ending in _GZIPPED:
        if (path := folder / f"{stem}{suffix}{ending}").is_file():
            return path
    others = sorted(
        {
            path.name.removesuffix(".gz").removesuffix(suffix)
            for path in (folder.iterdir() if folder.is_dir() else ())
            if path.name.removesuffix(".gz").endswith(suffix)
        }
    )
    there = f"; there is {', '.join(others)}" if others else ""
    raise InputError(
        f"there is no {stem}{suffix} or {stem}{suffix}.gz in {folder}{there}; put it there or give"
        " another folder"
    )
