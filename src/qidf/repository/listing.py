"""Which files belong to a repository: in a work tree, those that `git ls-files` would list.

That is what is tracked, and what no ignore file rules out. The walk finds the files, and git's own
files only choose among them, so whatever those name, nothing outside is ever looked at.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from qidf.corpora.folder import is_index
from qidf.index.directory import MANIFEST
from qidf.records import dataclass
from qidf.repository.git import GIT, WorkTree
from qidf.repository.ignoring import GITIGNORE, QIDFIGNORE, Patterns, Rules, read_patterns

SYMLINK, SPECIAL = "symlinks", "special files"
UNREADABLE = "unreadable"
HIDDEN = "hidden"
OTHER_WORKTREE = "other work trees of the same repository"
IGNORED_HERE = f"ignored by {QIDFIGNORE}"
AN_INDEX = "qidf indexes"
BEYOND_LIMIT = "beyond the limit of files"

# A home folder or a whole disk by mistake; the largest monorepos that people clone have half a
# million files.
MAX_FILES = 1_000_000

# Changed when an ignore file changes: modification, size, inode.
Signature = tuple[int, int, int]
ABSENT: Signature = (-1, -1, -1)


@dataclass(slots=True)
class Listing:
    """Files by path relative to the root, with all that would change the list if it changed.

    `folders` are those that were looked into, ignored ones left out; a file can't come or go
    without changing the modification time of one of them. `sources` are ignore files and git's
    index: they decide which files count.
    """

    files: dict[str, os.stat_result] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    sources: dict[str, Signature] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)


def signature(path: str | Path) -> Signature:
    """What tells one state of a file from another without reading it."""
    try:
        found = os.stat(path)
    except OSError:
        return ABSENT
    return found.st_mtime_ns, found.st_size, found.st_ino


def list_repository(root: Path, *, max_files: int = MAX_FILES) -> Listing:
    """List a repository's files, those of its submodules and of repositories inside it."""
    lister = _Lister(root, max_files)
    lister.tree("", Rules())
    listing = lister.listing
    listing.files = dict(sorted(listing.files.items()))
    _drop_indexes(root, listing)
    return listing


def _drop_indexes(root: Path, listing: Listing) -> None:
    """Leave out what `qidf index -o` has put into the work tree: it repeats what is there."""
    manifests = [path for path in listing.files if path.rpartition("/")[2] == MANIFEST]
    for manifest in manifests:
        folder = _parent(manifest)
        with suppress(OSError):
            if folder and is_index(iter(os.listdir(root / folder))):
                inside = [path for path in listing.files if _parent(path) == folder]
                listing.skipped[AN_INDEX] += 1
                for path in inside:
                    del listing.files[path]


class _Lister:
    def __init__(self, root: Path, max_files: int) -> None:
        self.root = root
        self.max_files = max_files
        self.listing = Listing()
        # Repositories met so far, by the directory that their work trees share.
        self.repositories: set[Path] = set()

    def tree(self, top: str, ours: Rules) -> None:
        """One work tree or plain folder; `ours` are the rules of .qidfignore files above it."""
        pending = [(top, ours)]
        while pending:
            folder, rules = pending.pop()
            path = self.root / folder
            work_tree = WorkTree(path) if os.path.lexists(path / GIT) else None
            common = None if work_tree is None else work_tree.common
            if common in self.repositories:
                self.listing.skipped[OTHER_WORKTREE] += 1
                continue
            if common is not None:
                self.repositories.add(common)
            pending.extend(self._walk(folder, rules, work_tree))

    def _walk(self, top: str, ours: Rules, work_tree: WorkTree | None) -> list[tuple[str, Rules]]:
        """List a tree's files; returns repositories inside.

        Outside of repositories, what is hidden belongs to programs rather than to people.
        """
        nested: list[tuple[str, Rules]] = []
        for source in () if work_tree is None else work_tree.sources:
            self._source(source)
        # Without rules: a folder that is ignored, and yet holds what is tracked.
        pending: list[tuple[str, Rules | None, Rules]] = [(top, _outer_rules(top, work_tree), ours)]
        while pending:
            folder, theirs, ours = pending.pop()
            path = self.root / folder
            try:
                modified = os.stat(path).st_mtime_ns
                with os.scandir(path) as found:
                    entries = sorted(found, key=lambda entry: entry.name)
            except OSError:
                self.listing.skipped[UNREADABLE] += 1
                continue
            self.listing.folders[folder] = modified
            names = {entry.name for entry in entries}
            if folder != top and GIT in names:
                nested.append((folder, ours))
                continue
            for name in names & {GITIGNORE, QIDFIGNORE}:
                self._source(path / name)
            if GITIGNORE in names and theirs is not None:
                theirs = theirs.below(folder, _patterns(path / GITIGNORE, work_tree))
            if QIDFIGNORE in names:
                ours = ours.below(folder, _patterns(path / QIDFIGNORE, work_tree))
            for entry in entries:
                full = _join(folder, entry.name)
                try:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if entry.name == GIT:
                        continue
                    ignored = theirs is None or (
                        bool(theirs.lists) and theirs.ignores(full, is_folder=is_folder)
                    )
                    if ignored and not _is_tracked(full, top, work_tree):
                        continue
                    if entry.name.startswith(".") and work_tree is None:
                        self.listing.skipped[HIDDEN] += 1
                    elif ours.lists and ours.ignores(full, is_folder=is_folder):
                        self.listing.skipped[IGNORED_HERE] += 1
                    elif is_folder:
                        pending.append((full, None if ignored else theirs, ours))
                    else:
                        self._file(full, entry.stat(follow_symlinks=False))
                except OSError:
                    self.listing.skipped[UNREADABLE] += 1
        return nested

    def _file(self, path: str, found: os.stat_result) -> None:
        if stat.S_ISLNK(found.st_mode):
            self.listing.skipped[SYMLINK] += 1
        elif not stat.S_ISREG(found.st_mode):
            self.listing.skipped[SPECIAL] += 1
        elif len(self.listing.files) >= self.max_files:
            self.listing.skipped[BEYOND_LIMIT] += 1
        else:
            self.listing.files[path] = found

    def _source(self, path: str | Path) -> None:
        self.listing.sources[str(path)] = signature(path)


def is_ignored(top: Path, folder: str) -> bool:
    """Whether git ignores a folder of a work tree, given relative to it."""
    work_tree = WorkTree(top)
    rules, parts = _outer_rules("", work_tree), folder.split("/")
    for depth in range(len(parts)):
        above, below = "/".join(parts[:depth]), "/".join(parts[: depth + 1])
        rules = rules.below(above, _patterns(top / above / GITIGNORE, work_tree))
        if rules.ignores(below, is_folder=True):
            return not work_tree.tracks(folder)
    return False


def _outer_rules(top: str, work_tree: WorkTree | None) -> Rules:
    """The rules that a work tree at `top` has from outside of it."""
    rules = Rules()
    for source in () if work_tree is None else work_tree.excludes:
        rules = rules.below(top, _patterns(source, work_tree, links=True))
    return rules


def _patterns(path: Path, work_tree: WorkTree | None, *, links: bool = False) -> Patterns | None:
    ignore_case = work_tree is not None and work_tree.ignores_case
    return read_patterns(path, ignore_case=ignore_case, links=links)


def _is_tracked(path: str, top: str, work_tree: WorkTree | None) -> bool:
    return work_tree is not None and work_tree.tracks(path[len(top) + 1 :] if top else path)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
