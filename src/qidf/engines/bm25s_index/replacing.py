"""Files of a folder replaced as one: a kill at any moment leaves all of the old or all of the new.

One file is renamed into place. For several there is no such call. They become links through one
link, which leads to their old versions; that link is renamed; and then they become files again:

    data.npy -> qidf.current/data.npy      qidf.current -> qidf.former-1f3a, then qidf.staged-9c02

Whoever reads the folder finds the same at every step but that one. What a kill leaves behind,
`settle` finishes or takes back.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from qidf.errors import IndexLockedError
from qidf.index.files import is_plain_name, sync_folder

CURRENT, STAGED, FORMER, DRAFT = "qidf.current", "qidf.staged-", "qidf.former-", "qidf.draft-"


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A folder within the folder to write new versions into; it is gone afterwards.

    One process at a time: whoever comes second is told so.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        settle(folder)
        stage = folder / f"{STAGED}{uuid.uuid4().hex[:8]}"
        stage.mkdir()
        try:
            yield stage
        except OSError as error:
            if error.filename is None:
                error.filename = str(stage)
            raise
        finally:
            # Not just the stage: an error may have come when names already lead to it.
            with suppress(OSError):
                settle(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder itself, which leaves no file behind; where that can't be, go without."""
    if os.name == "nt":  # pragma: no cover
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise IndexLockedError(
                f"somebody else is writing to {folder}; try again when they are done."
            ) from error
        except OSError:
            pass
        yield
    finally:
        os.close(handle)


def replace_files(folder: Path, stage: Path, last: str) -> None:
    """Put the files of `stage` into a folder as one, flushed to disk.

    Where there is no file called `last` yet, nothing is replaced, and that one comes last.
    """
    for path in stage.iterdir():
        _sync_file(path)
    sync_folder(stage)
    changed = sorted(path.name for path in stage.iterdir() if not _same(path, folder / path.name))
    new = not (folder / last).exists()
    if new:
        changed.sort(key=last.__eq__)
    if new or len(changed) <= 1 or not _replace_linked(folder, stage, changed):
        for name in changed:
            os.replace(stage / name, folder / name)
    sync_folder(folder)


def settle(folder: Path) -> None:
    """Finish or take back what a kill interrupted; the files read the same before and after."""
    current = folder / CURRENT
    if current.is_symlink():
        target = os.readlink(current)
        if is_plain_name(target) and target.startswith((STAGED, FORMER)):
            _unlink_names(folder, folder / target)
        current.unlink()
        sync_folder(folder)
    for path in sorted(folder.iterdir()):
        if path.name.startswith((STAGED, FORMER)) and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name.startswith(DRAFT):
            with suppress(OSError):
                path.unlink()


def _replace_linked(folder: Path, stage: Path, names: Sequence[str]) -> bool:
    """Replace several files by renaming one link; False where there are no links."""
    former = folder / f"{FORMER}{uuid.uuid4().hex[:8]}"
    former.mkdir()
    for name in names:
        if (folder / name).exists():
            _copy(folder / name, former / name)
    sync_folder(former)
    try:
        os.symlink(former.name, folder / CURRENT)
    except (OSError, NotImplementedError):
        shutil.rmtree(former, ignore_errors=True)
        return False
    for name in names:
        draft = folder / f"{DRAFT}{uuid.uuid4().hex[:8]}"
        os.symlink(os.path.join(CURRENT, name), draft)
        os.replace(draft, folder / name)
    sync_folder(folder)
    draft = folder / f"{DRAFT}{uuid.uuid4().hex[:8]}"
    os.symlink(stage.name, draft)
    # The one step: all names lead to the old files before it, and to the new ones after it.
    os.replace(draft, folder / CURRENT)
    sync_folder(folder)
    _unlink_names(folder, stage)
    (folder / CURRENT).unlink()
    shutil.rmtree(former, ignore_errors=True)
    return True


def _unlink_names(folder: Path, target: Path) -> None:
    """Make names that lead through the one link regular files again."""
    for path in sorted(folder.iterdir()):
        if not path.is_symlink() or os.readlink(path) != os.path.join(CURRENT, path.name):
            continue
        source = target / path.name
        if source.exists():
            draft = folder / f"{DRAFT}{uuid.uuid4().hex[:8]}"
            _copy(source, draft)
            os.replace(draft, path)
        else:
            path.unlink()
    sync_folder(folder)


def _copy(source: Path, target: Path) -> None:
    """A second name for a file's content, or a copy of it where a file has only one."""
    try:
        os.link(os.path.realpath(source), target)
    except (OSError, NotImplementedError):
        shutil.copyfile(source, target)
        _sync_file(target)


def _same(first: Path, second: Path) -> bool:
    return second.is_file() and filecmp.cmp(first, second, shallow=False)


def _sync_file(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
