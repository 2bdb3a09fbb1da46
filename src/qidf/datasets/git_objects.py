"""Files of a git repository at a commit, without checking it out."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from qidf.errors import InputError
from qidf.repository.git import WorkTree

_REGULAR = (b"100644", b"100755")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NOTHING_ELSE = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# The largest listings take seconds.
_TIMEOUT_SECONDS = 300


def list_files(repository: Path, commit: str) -> dict[str, tuple[str, int]]:
    """Every regular file at a commit: its path, the id of its content, its size in bytes."""
    listing = _git(repository, ["ls-tree", "-r", "-z", "-l", "--full-tree", commit])
    files = {}
    for entry in listing.split(b"\0")[:-1]:
        description, _, path = entry.partition(b"\t")
        mode, _, content, size = description.split()
        if mode in _REGULAR and not size.isdigit():
            raise InputError(
                f"{repository} lacks the object {content.decode()}; get the repository again"
            )
        if mode in _REGULAR:
            files[path.decode("utf-8", "replace")] = (content.decode(), int(size))
    return files


def has_commit(repository: Path, commit: str) -> bool:
    """Whether a commit, by its whole id, is in the repository."""
    return (
        bool(_COMMIT.fullmatch(commit))
        and _run(repository, ["cat-file", "-e", f"{commit}^{{commit}}"]).returncode == 0
    )


def read_contents(repository: Path, contents: Sequence[str]) -> Iterator[bytes]:
    """The contents with these ids, in order."""
    data = _git(repository, ["cat-file", "--batch"], "".join(f"{each}\n" for each in contents))
    at = 0
    for each in contents:
        end = data.index(b"\n", at)
        heading = data[at:end].split()
        if len(heading) != 3:
            raise InputError(f"{repository} lacks the object {each}; get the repository again")
        size = int(heading[2])
        yield data[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


def _git(repository: Path, arguments: Sequence[str], given: str | None = None) -> bytes:
    result = _run(repository, arguments, given)
    if result.returncode:
        reason = " ".join(result.stderr.decode("utf-8", "replace").split())
        raise InputError(f"git can't read {repository} ({reason}); get the repository again")
    return result.stdout


def _run(
    repository: Path, arguments: Sequence[str], given: str | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run git on a repository's objects and on nothing else of it.

    It gets a git directory of its own, so that no configuration of the repository's is read: that
    could name programs to run and places to fetch what is missing from.
    """
    with TemporaryDirectory(prefix="qidf-") as own:
        # As much as makes a folder a git directory.
        Path(own, "HEAD").write_text("ref: refs/heads/none\n")
        for needed in ("objects", "refs"):
            Path(own, needed).mkdir()
        environment = {name: os.environ[name] for name in os.environ if not name.startswith("GIT_")}
        environment |= _NOTHING_ELSE | {
            "GIT_DIR": own,
            "GIT_OBJECT_DIRECTORY": str(_objects(repository)),
        }
        try:
            return subprocess.run(
                ["git", *arguments],
                input=None if given is None else given.encode(),
                capture_output=True,
                check=False,
                cwd=own,
                env=environment,
                timeout=_TIMEOUT_SECONDS,
            )
        except FileNotFoundError:
            raise InputError("git is not installed; install it to read repositories") from None
        except subprocess.TimeoutExpired:
            raise InputError(
                f"git can't read {repository} in {_TIMEOUT_SECONDS} s; get the repository again"
            ) from None


@lru_cache(maxsize=64)
def _objects(repository: Path) -> Path:
    """The folder of a repository's objects, once nothing in it can keep git waiting."""
    tree = WorkTree(repository)
    objects = (repository if tree.common is None else tree.common).resolve() / "objects"
    pending = [str(objects)]
    try:
        while pending:
            for entry in list(os.scandir(pending.pop())):
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    raise InputError(f"{entry.path} is no regular file; get the repository again")
    except OSError as error:
        raise InputError(
            f"{objects} can't be read ({error.strerror}); get the repository again"
        ) from error
    return objects
