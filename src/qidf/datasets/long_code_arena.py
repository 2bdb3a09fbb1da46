"""Long Code Arena's bug localisation: find the files that the fix of an issue changes.

Layout after the dataset card of JetBrains-Research/lca-bug-localization: in
<language>/<split>-*.parquet a row is an issue, with the commit before its fix (`base_sha`) and the
files the fix changes, a Python list written as a string; repos/<language>/<owner>__<name>.tar.gz
are the repositories, with their history.
"""

from __future__ import annotations

import ast
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from qidf.datasets.beir import DEFAULT_SPLIT
from qidf.datasets.dataset import Dataset, Texts
from qidf.datasets.git_objects import has_commit, list_files, read_contents
from qidf.datasets.hub import read_parquet, take_snapshot
from qidf.datasets.task import Task
from qidf.errors import InputError, InvalidArgumentError

# The card's names, and the endings of files that are documents.
LANGUAGES = {"python": ("py", ".py"), "java": ("java", ".java"), "kotlin": ("kt", ".kt")}
# The paper leaves out repositories that take more on disk (sec. Long Code Arena).
MAX_REPOSITORY_BYTES = 500_000_000
# As `qidf index` has it: beyond are dumps and generated tables.
MAX_FILE_BYTES = 1_000_000
_REPO = "JetBrains-Research/lca-bug-localization"
_COLUMNS = (
    "repo_owner", "repo_name", "issue_url", "issue_title", "issue_body", "base_sha",
    "changed_files",
)  # fmt: skip
# All that reading objects takes; hooks and settings of a stranger stay in the archive.
_GIT_PARTS = ("HEAD", "packed-refs", "shallow", "objects", "refs")

TOO_LARGE = "the repository takes more than the limit on disk"
NO_COMMIT = "the commit before the fix isn't in the repository"
NO_GOLD = "no file that the fix changes is among the documents"


class LongCodeArena(Task):
    """Every issue is a dataset: its title and body ask for the files that its fix changes.

    Repositories are looked for in `repos` as <owner>__<name>, clones or not, and unpacked there
    from the hub's archives where they are missing. Documents are the files of the language at the
    commit before the fix.
    """

    def __init__(
        self,
        language: str,
        repos: str | Path,
        *,
        split: str = DEFAULT_SPLIT,
        hub_folder: str | Path | None = None,
        max_repository_bytes: int = MAX_REPOSITORY_BYTES,
    ) -> None:
        """Choose a language: python, java or kotlin."""
        if language not in LANGUAGES:
            raise InvalidArgumentError(
                f"Long Code Arena has no language {language!r}; choose from {', '.join(LANGUAGES)}"
            )
        self._folder, self._suffix = LANGUAGES[language]
        self._repos = Path(repos)
        self._split = split
        self._hub_folder = hub_folder
        self._max_repository_bytes = max_repository_bytes
        name = f"lca:{language}"
        super().__init__(
            name if split == DEFAULT_SPLIT else f"{name}/{split}", f"{_REPO}, {language}, {split}"
        )

    def __iter__(self) -> Iterator[Dataset]:
        """Read issue by issue."""
        self.skipped.clear()
        patterns = (f"{self._folder}/{self._split}-*.parquet",)
        snapshot = take_snapshot(_REPO, patterns, folder=self._hub_folder)
        columns = read_parquet(snapshot.files(*patterns), _COLUMNS)
        for values in zip(*columns.values(), strict=True):
            issue = dict(zip(_COLUMNS, values, strict=True))
            repository = self._repository(f"{issue['repo_owner']}__{issue['repo_name']}")
            if repository is None:
                self.skipped[TOO_LARGE] += 1
            elif not has_commit(repository, issue["base_sha"]):
                self.skipped[NO_COMMIT] += 1
            else:
                yield from self._datasets(issue, repository, f"{self.provenance}, {snapshot}")

    def _datasets(
        self, issue: Mapping[str, Any], repository: Path, provenance: str
    ) -> Iterator[Dataset]:
        """The issue's dataset, if its fix changes a file that is there."""
        files = {
            path: content
            for path, (content, size) in list_files(repository, issue["base_sha"]).items()
            if path.endswith(self._suffix) and size <= MAX_FILE_BYTES
        }
        changed = [path for path in _changed(issue) if path in files]
        if not changed:
            self.skipped[NO_GOLD] += 1
            return
        texts = [
            data.decode("utf-8", "replace")
            for data in read_contents(repository, list(files.values()))
        ]
        query = str(issue["issue_url"])
        asked = f"{issue['issue_title'] or ''}\n{issue['issue_body'] or ''}"
        yield Dataset(
            self.name,
            provenance,
            Texts(list(files), texts),
            Texts([query], [asked]),
            {query: dict.fromkeys(changed, 1)},
        )

    def _repository(self, name: str) -> Path | None:
        """The repository, unpacked first where it must be; None where it is too large."""
        for path in (self._repos / name, self._repos / f"{name}.git"):
            if path.is_dir():
                size = sum(each.lstat().st_size for each in path.rglob("*") if each.is_file())
                return path if size <= self._max_repository_bytes else None
        pattern = f"repos/{self._folder}/{name}.tar.gz"
        snapshot = take_snapshot(_REPO, (pattern,), folder=self._hub_folder)
        return self._unpack(snapshot.files(pattern)[0], self._repos / f"{name}.git")

    def _unpack(self, archive: Path, target: Path) -> Path | None:
        """Take a repository's objects out of an archive, and nothing else."""
        try:
            with tarfile.open(archive) as tar:
                members = [member for member in tar.getmembers() if member.isfile()]
                if sum(member.size for member in members) > self._max_repository_bytes:
                    return None
                unfinished = target.with_name(f"{target.name}.part")
                found = 0
                for member in members:
                    parts = Path(member.name).parts
                    if ".git" not in parts[:2] or ".." in parts:
                        continue
                    inside = parts[parts.index(".git") + 1 :]
                    data = tar.extractfile(member)
                    if inside and inside[0] in _GIT_PARTS and data is not None:
                        path = unfinished.joinpath(*inside)
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(data.read())
                        found += 1
        except (tarfile.TarError, EOFError, OSError) as error:
            raise InputError(f"{archive} can't be unpacked ({error}); get it again") from error
        if not found:
            raise InputError(f"{archive} holds no git repository; clone it into {target} instead")
        # Git takes a folder for a repository only if these are there, be they empty.
        for needed in ("objects", "refs"):
            (unfinished / needed).mkdir(exist_ok=True)
        unfinished.rename(target)
        return target


def _changed(issue: Mapping[str, Any]) -> list[str]:
    """The files that a fix changes, a list or one written as a string."""
    value = issue["changed_files"]
    try:
        paths = ast.literal_eval(value) if isinstance(value, str) else value
        return [str(path) for path in paths]
    except (ValueError, SyntaxError, TypeError):
        raise InputError(
            f"the changed files of {issue['issue_url']} are no list: {str(value)[:80]!r}; get the"
            " dataset again"
        ) from None
