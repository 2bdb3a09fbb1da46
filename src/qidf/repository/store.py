"""The index of one repository and what is known of its files, on disk or, failing that, in memory.

A commit is the index's own: one rename. The state is written after it and names it, so a kill at
any moment leaves an index that is whole, and a state that belongs to it or is recovered from it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from qidf.analysis import parse_analyzer
from qidf.corpora.confinement import read_if_regular
from qidf.errors import (
    CorruptIndexError,
    DuplicateIdError,
    IndexLockedError,
    IndexNotFoundError,
    InputError,
    StoredIndexError,
    UnknownIdError,
)
from qidf.index import Document, Index
from qidf.index import directory as storage
from qidf.index.build import build_segment
from qidf.index.directory import Snapshot
from qidf.index.files import written
from qidf.index.lock import write_lock
from qidf.index.maintenance import delete_positions, settle, with_segment
from qidf.records import dataclass
from qidf.repository.reading import DEFAULT_MAX_BYTES
from qidf.repository.roots import cache_home
from qidf.repository.state import State, fingerprint, read_state, recover_state, write_state

INDEX = "index"
SETTINGS = "settings.json"
# Raised when chunks are cut or described differently, so that indexes made before are made anew.
CHUNKING = 6
# The index holds the words of code that may be private.
_OWNER_ONLY = 0o700
# How often a waiting process asks for the lock: unnoticeable beside any indexing.
_POLL_SECONDS = 0.05
_LOAD_ATTEMPTS = 5
_MOST_SETTINGS_BYTES = 1 << 16

Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a repository is indexed; an analyzer of None is chosen by language."""

    analyzer: str | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    chunking: int = CHUNKING
    parsed: bool = True


class Store:
    """A repository's index and state; `directory` is None once it lives in memory only."""

    def __init__(self, root: Path, directory: Path, notify: Notify) -> None:
        """Load what is stored, or start empty."""
        self.root = root
        self.directory: Path | None = directory
        self.settings: Settings | None = None
        self.snapshot: Snapshot | None = None
        self.index: Index | None = None
        self.state = State()
        self.commit = ""
        self._notify = notify
        self._home = directory
        self.load()

    # reading

    def load(self) -> None:
        """Take up the last commit, with the state that belongs to it."""
        if self.directory is None:
            return
        folder = self.directory / INDEX
        for _ in range(_LOAD_ATTEMPTS):
            commit = fingerprint(folder)
            if commit and commit == self.commit:
                return
            try:
                settings = _read_settings(self.directory)
                snapshot = storage.read_snapshot(folder)
                state = read_state(self.directory, commit)
            except IndexNotFoundError:
                self._start_empty()
                return
            except (StoredIndexError, ValueError, KeyError, TypeError) as error:
                self._notify(f"The index was damaged and is built anew ({_first_clause(error)}).")
                self._start_empty()
                return
            # Another process may have committed between these reads.
            if fingerprint(folder) != commit:
                continue
            if settings is None:
                self._notify("The index's settings were missing, so it is built anew.")
                self._start_empty()
                return
            if state is None or not _fits(state, snapshot):
                try:
                    state = recover_state(_stored_chunks(snapshot))
                except (StoredIndexError, ValueError, KeyError, TypeError, OverflowError):
                    self._notify("The index was damaged and is built anew.")
                    self._start_empty()
                    return
            self._adopt(snapshot, folder)
            self.settings, self.state, self.commit = settings, state, commit
            return
        self._start_empty()

    def is_current(self) -> bool:
        """Whether no other process has committed since this store was loaded."""
        return self.directory is None or fingerprint(self.directory / INDEX) == self.commit

    # writing

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from changing the index; waits for one that is at it."""
        if self.directory is None:
            yield
            return
        with ExitStack() as stack:
            try:
                self._prepare(self.directory)
                self._acquire(stack, self.directory)
            except (OSError, InputError, StoredIndexError) as error:
                self.leave_disk(error)
            else:
                self.load()
            yield

    def _prepare(self, directory: Path) -> None:
        home = directory.parent
        home.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=_OWNER_ONLY, exist_ok=True)
        if home == cache_home():
            # The names of repositories are nobody else's business either; a folder of the caller's
            # choice stays as it was made.
            for folder in (home, directory):
                if (mode := folder.stat().st_mode) & ~_OWNER_ONLY & 0o777:
                    folder.chmod(mode & _OWNER_ONLY)
        (directory / INDEX).mkdir(mode=_OWNER_ONLY, exist_ok=True)
        storage.prepare(directory / INDEX)

    def _acquire(self, stack: ExitStack, directory: Path) -> None:
        waiting = False
        while True:
            try:
                stack.enter_context(write_lock(directory))
                return
            except IndexLockedError:
                if not waiting:
                    self._notify("Waiting for another qidf that is indexing this repository.")
                waiting = True
                time.sleep(_POLL_SECONDS)

    def begin(self, settings: Settings, analyzer: str) -> None:
        """Forget everything and index with these settings from now on."""
        self._start_empty()
        self.settings = settings
        self._adopt(Snapshot(str(parse_analyzer(analyzer))), None)

    def apply(self, outdated: Iterable[str], documents: Iterable[Document]) -> None:
        """Delete chunks by id and add others, as one commit; call `keep` with the state after."""
        if self.snapshot is None or self.index is None:
            raise InputError("the repository isn't indexed yet; call refresh first")
        snapshot = self.snapshot
        try:
            positions = [self.index.position(each) for each in outdated]
            segment = build_segment(documents, self.index.analyzer, snapshot.next_position)
            if positions:
                snapshot = delete_positions(snapshot, np.array(positions, np.int64))
            snapshot = settle(with_segment(snapshot, segment))
        except (UnknownIdError, DuplicateIdError) as error:
            raise CorruptIndexError("the index holds other spans than its files have") from error
        if self.directory is None:
            self._adopt(snapshot, None)
            return
        folder = self.directory / INDEX
        try:
            with write_lock(folder):
                _write_settings(self.directory, self.settings)
                snapshot = storage.commit(folder, snapshot)
        except (OSError, StoredIndexError) as error:
            self._adopt(snapshot, None)
            self.leave_disk(error)
            return
        self._adopt(snapshot, folder)
        self.commit = fingerprint(folder)

    def keep(self, state: State, touched: Collection[str] | None = None) -> None:
        """Remember the files that the index now holds, `touched` being those that differ."""
        self.state = state
        if self.directory is None or not self.commit:
            return
        try:
            write_state(self.directory, state, self.commit, touched)
        except OSError as error:
            self.leave_disk(error)

    def leave_disk(self, error: Exception) -> None:
        """Go on in memory, and say why."""
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        self._notify(
            f"The index can't be stored in {self._home} ({_first_clause(why)});"
            " it is kept in memory for this run."
        )
        if self.snapshot is not None:
            self._adopt(self.snapshot, None)
        self.directory = None

    def _start_empty(self) -> None:
        self.snapshot = self.index = self.settings = None
        self.state, self.commit = State(), ""

    def _adopt(self, snapshot: Snapshot, folder: Path | None) -> None:
        self.snapshot = snapshot
        self.index = Index(snapshot, folder)

    @property
    def size_bytes(self) -> int:
        """What the stored index takes on disk."""
        if self.directory is None:
            return 0
        total = 0
        for folder, _, names in os.walk(self.directory):
            for name in names:
                with suppress(OSError):
                    total += os.stat(os.path.join(folder, name)).st_size
        return total


def remove(directory: Path) -> bool:
    """Delete a stored index, when no process is writing it any more; say whether there was one."""
    if not (directory / SETTINGS).exists() and not (directory / INDEX).exists():
        return False
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(write_lock(directory))
                break
            except IndexLockedError:
                time.sleep(_POLL_SECONDS)
        # It loads compressors, which no search needs.
        import shutil

        shutil.rmtree(directory)
    return True


def _stored_chunks(snapshot: Snapshot) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for stored in snapshot.segments:
        segment = stored.segment
        deleted = None if segment.deletions is None else segment.deletions.deleted
        for doc in range(segment.size):
            if deleted is None or not deleted[doc]:
                yield str(segment.ids[doc]), segment.metadata[doc]


def _read_settings(directory: Path) -> Settings | None:
    data = read_if_regular(directory / SETTINGS, _MOST_SETTINGS_BYTES)
    if data is None:
        return None
    try:
        settings = Settings(**json.loads(data))
    except RecursionError as error:
        raise ValueError("settings.json is nested too deep") from error
    if not (
        (settings.analyzer is None or isinstance(settings.analyzer, str))
        and type(settings.max_bytes) is type(settings.chunking) is int
        and settings.max_bytes >= 0
        and type(settings.parsed) is bool
    ):
        raise ValueError("settings.json holds other settings than there are")
    if settings.analyzer is not None:
        parse_analyzer(settings.analyzer)
    return settings


def _fits(state: State, snapshot: Snapshot) -> bool:
    """Whether a state's files have as many spans as the index; which ones, a change will tell."""
    return sum(state.files.span_counts()) == snapshot.totals.num_docs


def _write_settings(directory: Path, settings: Settings | None) -> None:
    if settings is None:
        return
    data = json.dumps(asdict(settings)).encode()
    path = directory / SETTINGS
    if read_if_regular(path, _MOST_SETTINGS_BYTES) == data:
        return
    temporary = directory / f"{SETTINGS}.tmp"
    # One that a kill left behind, or that somebody put there to lead elsewhere.
    temporary.unlink(missing_ok=True)
    with written(temporary) as file:
        file.write(data)
    os.replace(temporary, path)


def _first_clause(message: object) -> str:
    return str(message).partition(";")[0]
