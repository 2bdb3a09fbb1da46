"""Files of a git repository at a commit, without checking it out."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from qidf.errors import InputError

_REGULAR = (b"100644", b"100755")


def list_files(repository: Path, commit: str) -> dict[str, tuple[str, int]]:
    """Every regular file at a commit: its path, the id of its content, its size in bytes."""
    listing = _git(repository, ["ls-tree", "-r", "-z", "-l", "--full-tree", commit])
    files = {}
    for entry in listing.split(b"\0")[:-1]:
        description, _, path = entry.partition(b"\t")
        mode, _, content, size = description.split()
        if mode in _REGULAR:
            files[path.decode("utf-8", "replace")] = (content.decode(), int(size))
    return files


def has_commit(repository: Path, commit: str) -> bool:
    """Whether a commit is in the repository."""
    return _run(repository, ["cat-file", "-e", f"{commit}^{{commit}}"]).returncode == 0


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
    # Whoever unpacked the repository may not be who reads it, and nothing in it is run.
    command = ["git", "-c", "safe.directory=*", "-C", str(repository), *arguments]
    try:
        return subprocess.run(
            command,
            input=None if given is None else given.encode(),
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise InputError("git is not installed; install it to read repositories") from None
