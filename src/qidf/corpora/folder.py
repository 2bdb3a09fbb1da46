"""A folder of files: one document a file, the path its id."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from qidf.corpora.confinement import open_below
from qidf.corpora.corpus import Corpus
from qidf.errors import InputError
from qidf.index import Document
from qidf.index.directory import MANIFEST, SUFFIX
from qidf.index.lock import LOCK_NAME

# Source files that people write stay far below; beyond are dumps, bundles and generated tables,
# each of which would weigh on the average length like a hundred ordinary files.
DEFAULT_MAX_BYTES = 1_000_000
# git and ripgrep look for a NUL byte in about as much to call a file binary.
SNIFFED_BYTES = 8_192

HIDDEN = "hidden"
SYMLINK = "symbolic link"
SPECIAL = "not a regular file"
BINARY = "binary"
TOO_LARGE = "too large"
EMPTY = "empty"
UNREADABLE = "unreadable"
VANISHED = "vanished"
AN_INDEX = "a qidf index"


class FileFolder(Corpus):
    """Text files below a folder, in the order of their paths.

    A document's id is its path relative to the folder, with forward slashes; its metadata holds the
    absolute `path`. Bytes that aren't UTF-8 are replaced. Hidden files and folders, symbolic links
    (so that no loop is ever entered), binary, empty and very large files are skipped and counted.
    """

    def __init__(self, path: str | Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        """Read below this folder; nothing is opened until the documents are asked for."""
        super().__init__()
        self.path = Path(path)
        self.max_bytes = max_bytes

    def __iter__(self) -> Iterator[Document]:
        """List all files, then read them one by one."""
        self.restart(total=0)
        names = self._names()
        self.total = len(names)
        root = os.path.abspath(self.path)
        resolved = os.path.realpath(root)
        for name in names:
            identifier = name.replace(os.sep, "/")
            text = self._text(resolved, identifier)
            self.done += 1
            if text is not None:
                yield Document(text, identifier, {"path": os.path.join(root, name)})

    def _names(self) -> list[str]:
        """Paths, relative to the folder, of the files worth opening."""
        names: list[str] = []
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                entries = list(os.scandir(os.path.join(self.path, folder)))
            except OSError as error:
                if not folder:
                    raise InputError(
                        f"the folder {self.path} can't be read ({error.strerror}); check its path"
                        " and permissions"
                    ) from error
                self.skipped[VANISHED if isinstance(error, FileNotFoundError) else UNREADABLE] += 1
                continue
            if folder and is_index(entry.name for entry in entries):
                self.skipped[AN_INDEX] += 1
                continue
            for entry in entries:
                name = os.path.join(folder, entry.name)
                if entry.name.startswith("."):
                    self.skipped[HIDDEN] += 1
                elif entry.is_symlink():
                    self.skipped[SYMLINK] += 1
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                elif entry.is_file(follow_symlinks=False):
                    names.append(name)
                else:
                    self.skipped[SPECIAL] += 1
        return sorted(names)

    def _text(self, root: str, name: str) -> str | None:
        """A file's text; None, with the reason counted, where it isn't one."""
        try:
            with open(open_below(root, name), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                # One byte past the limit shows a file that grew since its size was taken.
                data = b"" if size > self.max_bytes else file.read(self.max_bytes + 1)
        except FileNotFoundError:
            self.skipped[VANISHED] += 1
            return None
        except OSError:
            self.skipped[UNREADABLE] += 1
            return None
        if size > self.max_bytes or len(data) > self.max_bytes:
            self.skipped[TOO_LARGE] += 1
        elif not data:
            self.skipped[EMPTY] += 1
        elif b"\0" in data[:SNIFFED_BYTES]:
            self.skipped[BINARY] += 1
        else:
            return data.decode("utf-8", errors="replace")
        return None


def is_index(names: Iterator[str]) -> bool:
    """Whether a folder with these entries is a qidf index; other tools have manifests too."""
    found = set(names)
    return MANIFEST in found and any(name == LOCK_NAME or name.endswith(SUFFIX) for name in found)
