"""Files of datasets on the Hugging Face hub: downloaded, or found where the user put them.

A dataset's files come through `huggingface_hub`, which keeps them in its cache, or from a folder
that holds a copy of each repository under its name, `FOLDER/owner/name/...`, for machines without
network. Readers say which files they need by pattern, after the published dataset cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from qidf.datasets.dataset import Texts
from qidf.datasets.records import Columns, read_jsonl
from qidf.errors import InputError, MissingExtraError

_SITE = "https://huggingface.co/datasets"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Files of one dataset repository at one revision, in a folder."""

    repo: str
    folder: Path
    revision: str

    def __str__(self) -> str:
        """Say where the files came from, well enough to get them again."""
        return f"{self.repo} at {self.revision}"

    def files(self, *patterns: str) -> list[Path]:
        """Files whose path in the repository matches a pattern, in order; never none."""
        found = [
            path
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and _matches(path.relative_to(self.folder).as_posix(), patterns)
        ]
        if not found:
            raise InputError(
                f"there is no {' or '.join(patterns)} in {self.folder}; put the files of"
                f" {_SITE}/{self.repo} there"
            )
        return found


def take_snapshot(
    repo: str, patterns: Sequence[str], *, folder: str | Path | None = None, revision: str = "main"
) -> Snapshot:
    """Get a repository's files that match, from `folder`/owner/name or from the hub."""
    if folder is not None:
        local = Path(folder) / repo
        if not local.is_dir():
            raise InputError(
                f"there is no folder {local}; put {', '.join(patterns)} of {_SITE}/{repo} there"
            )
        return Snapshot(repo, local, f"the copy in {local}")
    try:
        import huggingface_hub
    except ImportError:
        raise MissingExtraError("huggingface_hub", "hub") from None
    try:
        path = Path(
            huggingface_hub.snapshot_download(
                repo, repo_type="dataset", allow_patterns=list(patterns), revision=revision
            )
        )
    # The hub's client raises errors of its own, of its transport and of the system.
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(
            f"{repo} can't be had from the Hugging Face hub ({reason}); check the network, or put"
            f" {', '.join(patterns)} of {_SITE}/{repo} into FOLDER/{repo} and name FOLDER as the"
            " hub folder (--hub-folder)"
        ) from error
    return Snapshot(repo, path, path.name)


def read_parquet(files: Iterable[Path], columns: Sequence[str]) -> dict[str, list[Any]]:
    """Read columns of one table that is spread over files.

    Dashes and underscores are the same in a name, and `a|b` is whichever of the two there is.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "hub") from None
    values: dict[str, list[Any]] = {name: [] for name in columns}
    for path in files:
        try:
            file = pyarrow.parquet.ParquetFile(path)
            names = [_stored(name, file.schema_arrow.names, path) for name in columns]
            table = file.read(columns=names)
        except (pyarrow.ArrowException, OSError) as error:
            raise InputError(
                f"{path} is not a readable parquet file ({error}); get it again"
            ) from error
        for name, at in zip(columns, names, strict=True):
            values[name].extend(table.column(at).to_pylist())
    return values


def _stored(wanted: str, names: Sequence[str], path: Path) -> str:
    """What a column is called in a file."""
    known = {name.replace("-", "_"): name for name in names}
    for name in wanted.replace("-", "_").split("|"):
        if name in known:
            return known[name]
    raise InputError(
        f"{path} has no column {wanted!r}, only {', '.join(names)}; get the file again or report"
        " that its layout has changed"
    )


def read_texts(files: Sequence[Path], what: str, *, titled: bool = False) -> Texts:
    """Read ids and texts, and titles if asked, from parquet files or from one of JSON Lines."""
    if len(files) == 1 and files[0].suffix != ".parquet":
        return read_jsonl(files[0], what, titled=titled)
    columns = Columns(what, titled)
    for path in files:
        values = read_parquet([path], ["_id", "text", *(["title"] if titled else [])])
        titles = values.get("title", [None] * len(values["text"]))
        rows = zip(values["_id"], titles, values["text"], strict=True)
        for row, (identifier, title, text) in enumerate(rows, 1):
            columns.add(identifier, title, text, path, row)
    return columns.done()


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(path, pattern) for pattern in patterns)
