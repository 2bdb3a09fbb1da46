"""Which files belong to a repository: git's answer where there is git, our own walk elsewhere."""

from __future__ import annotations

import os
import stat
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from qidf.corpora.folder import is_index
from qidf.index.directory import MANIFEST
from qidf.repository import git
from qidf.repository.git import GIT
from qidf.repository.ignoring import GITIGNORE, QIDFIGNORE, Rules, read_rules

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
        # Folders that are links: git goes on listing what it tracked below one.
        self.links: set[str] = set()

    def tree(self, top: str, ours: Rules) -> None:
        """One work tree or plain folder; `ours` are the rules of .qidfignore files above it."""
        pending = [(top, ours)]
        while pending:
            folder, rules = pending.pop()
            path = self.root / folder
            is_repository = os.path.lexists(path / GIT)
            if is_repository and not self._first_visit(path):
                self.listing.skipped[OTHER_WORKTREE] += 1
                continue
            nested = self._by_git(folder, rules) if is_repository else None
            pending.extend(self._by_walk(folder, rules) if nested is None else nested)

    def _first_visit(self, path: Path) -> bool:
        common = git.common_directory(path)
        if common is None:
            return True
        if common in self.repositories:
            return False
        self.repositories.add(common)
        return True

    # git's list

    def _by_git(self, top: str, ours: Rules) -> list[tuple[str, Rules]] | None:
        """Files by git's list; returns repositories inside, or None if git can't be asked."""
        path = self.root / top
        names = git.list_files(path)
        if names is None:
            return None
        directory = git.git_directory(path)
        excludes = git.global_excludes(path)
        for source in (directory and directory / "index", directory and directory / "config"):
            if source is not None:
                self._source(source)
        common = git.common_directory(path)
        for source in (common and common / "info" / "exclude", excludes):
            if source is not None:
                self._source(source)
        self._look_into(top, {_parent(_join(top, name.rstrip("/"))) for name in names})
        rules = self._our_rules(top, ours)
        nested = []
        for name in names:
            full = _join(top, name.rstrip("/"))
            if self.links and self._behind_link(full):
                continue
            if self._ignored_by_us(full, rules, top):
                self.listing.skipped[IGNORED_HERE] += 1
                continue
            try:
                found = os.lstat(self.root / full)
            except OSError:
                # Tracked, and deleted from the work tree.
                continue
            if stat.S_ISDIR(found.st_mode):
                if os.path.lexists(self.root / full / GIT):
                    nested.append((full, rules[_parent(full)]))
            else:
                self._file(full, found)
        return nested

    def _look_into(self, top: str, listed: set[str]) -> None:
        """Note every folder of a work tree that isn't ignored, those without files included."""
        known: set[str] = set()
        for folder in listed | {top}:
            while folder not in known and len(folder) >= len(top):
                known.add(folder)
                if folder == top:
                    break
                folder = _parent(folder)
        pending = list(known)
        while pending:
            unlisted = []
            for folder in pending:
                for name in self._folders_in(folder):
                    child = _join(folder, name)
                    if child not in known and not os.path.lexists(self.root / child / GIT):
                        unlisted.append(child)
            inside = {child[len(top) + 1 :] if top else child: child for child in unlisted}
            ignored = git.ignored_folders(self.root / top, list(inside))
            pending = [child for name, child in inside.items() if name not in (ignored or ())]
            known.update(pending)

    def _folders_in(self, folder: str) -> list[str]:
        """Note a folder and its ignore files, and name the folders in it."""
        path = self.root / folder
        try:
            found = os.lstat(path)
            if stat.S_ISLNK(found.st_mode) and folder:
                # Counted where git lists the link itself.
                self.links.add(folder)
                return []
            self.listing.folders[folder] = found.st_mtime_ns
            with os.scandir(path) as entries:
                names = []
                for entry in entries:
                    if entry.name in (GITIGNORE, QIDFIGNORE):
                        self._source(entry.path)
                    elif entry.name != GIT and entry.is_dir(follow_symlinks=False):
                        names.append(entry.name)
                return names
        except OSError:
            return []

    def _behind_link(self, path: str) -> bool:
        """Whether a folder on the way to a file is a link."""
        while path := _parent(path):
            if path in self.links:
                return True
        return False

    def _our_rules(self, top: str, ours: Rules) -> dict[str, Rules]:
        """The .qidfignore rules in force in each folder of a work tree, looked up lazily."""
        return _RulesByFolder(self.root, top, ours, self.listing.sources)

    def _ignored_by_us(self, path: str, rules: dict[str, Rules], top: str) -> bool:
        """Whether a .qidfignore excludes a file or a folder above it."""
        if not rules[_parent(path)].lists:
            return False
        ends = [at for at, letter in enumerate(path) if letter == "/" and at > len(top)]
        return any(
            rules[_parent(path[:end])].ignores(path[:end], is_folder=True) for end in ends
        ) or rules[_parent(path)].ignores(path, is_folder=False)

    # our own walk

    def _by_walk(self, top: str, ours: Rules) -> list[tuple[str, Rules]]:
        """Walk a folder without git's help; returns repositories inside.

        Outside of repositories, what is hidden belongs to programs rather than to people.
        """
        nested: list[tuple[str, Rules]] = []
        hidden_counts = os.path.lexists(self.root / top / GIT)
        exclude = self.root / top / GIT / "info" / "exclude"
        theirs = Rules().below(top, read_rules(exclude))
        self._source(exclude)
        pending = [(top, theirs, ours)]
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
            if GITIGNORE in names:
                theirs = theirs.below(folder, read_rules(path / GITIGNORE))
            if QIDFIGNORE in names:
                ours = ours.below(folder, read_rules(path / QIDFIGNORE))
            for entry in entries:
                full = _join(folder, entry.name)
                try:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if entry.name == GIT:
                        continue
                    if theirs.lists and theirs.ignores(full, is_folder=is_folder):
                        continue
                    if entry.name.startswith(".") and not hidden_counts:
                        self.listing.skipped[HIDDEN] += 1
                    elif ours.lists and ours.ignores(full, is_folder=is_folder):
                        self.listing.skipped[IGNORED_HERE] += 1
                    elif is_folder:
                        pending.append((full, theirs, ours))
                    else:
                        self._file(full, entry.stat(follow_symlinks=False))
                except OSError:
                    self.listing.skipped[UNREADABLE] += 1
        return nested

    # both

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


class _RulesByFolder(dict[str, Rules]):
    """Rules of .qidfignore files by folder, made from those of the folder above."""

    def __init__(self, root: Path, top: str, ours: Rules, sources: dict[str, Signature]) -> None:
        super().__init__()
        self._root, self._sources = root, sources
        self._top = top
        self[top] = self._own(top, ours)

    def __missing__(self, folder: str) -> Rules:
        self[folder] = self._own(folder, self[_parent(folder)])
        return self[folder]

    def _own(self, folder: str, rules: Rules) -> Rules:
        path = self._root / folder / QIDFIGNORE
        # Folders were looked into before: one without such a file needs no second look.
        if str(path) not in self._sources:
            return rules
        return rules.below(folder, read_rules(path))


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
