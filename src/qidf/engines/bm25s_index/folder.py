"""A rescaled bm25s index on disk: bm25s's own files, and a sidecar that remembers the rest.

bm25s refuses unknown keys in its parameter file, so q lives in a file of its own beside it, with
the original scores; unmodified bm25s sees neither.

Saving replaces scores as one (`replacing`), and the sidecar tells which scores it speaks of. The
originals are written first, under a name of their own; then a sidecar that knows the scores before
and after; then the scores; then one that knows the latter only. A kill at any moment leaves whole
scores, a sidecar that knows them, and the originals it names.
"""

from __future__ import annotations

import functools
import json
import os
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.engines.bm25s_index.original import (
    Original,
    checked_formula,
    checksum,
    keep_original,
    original_of,
)
from qidf.engines.bm25s_index.reading import (
    DATA_NAME,
    NONOCCURRENCE_NAME,
    PARAMS_NAME,
    damaged,
    load_checked,
    read_array,
)
from qidf.engines.bm25s_index.replacing import DRAFT, replace_files, staged
from qidf.errors import CorruptIndexError, IndexFormatError, InvalidArgumentError
from qidf.index.files import is_plain_name, read_regular, sync_folder, written
from qidf.weights import parse_formula

SIDECAR_NAME = "qidf.json"
ORIGINAL_PREFIX = "qidf.original-"
FORMAT_VERSION = 2
# Scores looked at to see whether the sidecar belongs to the score file, so that opening a
# memory-mapped index doesn't read it all.
FINGERPRINT_SCORES = 4_096
_MOST_SIDECAR_BYTES = 1 << 20

# What a sidecar says of scores it knows: formula, a fingerprint, and the originals unless q is 1.
State = Mapping[str, Any]


def save(retriever: Retriever, directory: str | os.PathLike[str], **options: Any) -> None:
    """Save with bm25s's own `save` (which takes the options), and the sidecar if it is rescaled.

    Once a retriever was rescaled, its own `save` method does the same. An index that is there
    already stays whole until the new one is.
    """
    write_sidecar_on_save(retriever)
    cast(Any, retriever).save(directory, **options)


def save_scores(retriever: Retriever, directory: str | os.PathLike[str]) -> None:
    """Save the scores alone, and the sidecar, to the folder that the retriever was loaded from."""
    folder = Path(directory)
    with staged(folder) as stage:
        _write_array(stage / DATA_NAME, ScoreMatrix.of(retriever).data)
        if retriever.nonoccurrence_array is not None:
            _write_array(stage / NONOCCURRENCE_NAME, retriever.nonoccurrence_array)
        _commit(folder, stage, retriever, DATA_NAME, PARAMS_NAME)


def load(directory: str | os.PathLike[str], *, mmap: bool = False, **options: Any) -> Any:
    """Load with `bm25s.BM25.load` (which takes the options); a rescaled index knows its q again.

    What is loaded is checked first, so that a damaged folder is refused in one sentence.
    """
    folder = Path(directory)
    retriever = load_checked(folder, mmap=mmap, **options)
    original = _read_original(folder, retriever, mmap=mmap)
    if original is not None:
        keep_original(retriever, original)
    write_sidecar_on_save(retriever)
    return retriever


def write_sidecar_on_save(retriever: Retriever) -> None:
    """Make the retriever's own `save` write or remove the sidecar, by a subclass of its class.

    A subclass, rather than a function put on the instance, keeps copies and pickles right.
    """
    if not isinstance(retriever, _SavesSidecar):
        retriever.__class__ = _saving_class(type(retriever))


class _SavesSidecar:
    """What is mixed into a retriever's class."""

    def save(self, save_dir: str | os.PathLike[str], *args: Any, **options: Any) -> None:
        """Save as bm25s does, as one step, with the sidecar or without one."""
        folder = Path(save_dir)
        with staged(folder) as stage:
            cast(Any, super()).save(stage, *args, **options)
            data, params = (
                options.get(option, default)
                for option, default in (("data_name", DATA_NAME), ("params_name", PARAMS_NAME))
            )
            _commit(folder, stage, cast(Retriever, self), data, params)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle as the class underneath."""
        return _revive, (type(self).__mro__[2], dict(self.__dict__))


@functools.cache
def _saving_class(base: type) -> type:
    names = {"__module__": base.__module__, "__qualname__": base.__qualname__}
    return type(base.__name__, (_SavesSidecar, base), names)


def _revive(base: type, attributes: dict[str, Any]) -> Any:
    retriever: Any = object.__new__(_saving_class(base))
    retriever.__dict__.update(attributes)
    return retriever


def _commit(folder: Path, stage: Path, retriever: Retriever, data_name: str, last: str) -> None:
    """Put staged files in place, so that some sidecar knows the scores at every moment."""
    former = _former_states(folder, folder / data_name)
    state: State = {"q": 1.0, "scores": _fingerprint(ScoreMatrix.of(retriever).data)}
    original = original_of(retriever)
    if original is not None:
        state = {**state, **_write_originals(folder, original.verified())}
    if original is not None or (folder / SIDECAR_NAME).exists():
        _write_sidecar(folder, [state, *former])
    replace_files(folder, stage, last)
    if original is not None:
        _write_sidecar(folder, [state])
    else:
        (folder / SIDECAR_NAME).unlink(missing_ok=True)
    sync_folder(folder)
    _remove_originals(folder, state)


def _former_states(folder: Path, data: Path) -> list[State]:
    """What is known of the scores that are there now; nothing if they can't be read."""
    try:
        scores = _fingerprint(read_array(data, mmap=True))
        known = _read_sidecar(folder / SIDECAR_NAME)
    except (CorruptIndexError, IndexFormatError):
        return []
    if known is None:
        return [{"q": 1.0, "scores": scores}]
    return [state for state in known if state["scores"] == scores]


def _write_originals(folder: Path, original: Original) -> State:
    """Write the original scores, unless they are there already, and say where they are."""
    arrays = {"data": original.data, "nonoccurrence": original.nonoccurrence}
    written_to: dict[str, Any] = {
        name: _write_original(folder, array) for name, array in arrays.items() if array is not None
    }
    sync_folder(folder)
    return {"q": original.idf.q, "formula": original.formula, "original": written_to}


def _write_original(folder: Path, array: NDArray[np.floating[Any]]) -> dict[str, Any]:
    """Keep an array in a file named by its content, so that none is ever written over."""
    crc32 = checksum(array)
    file = folder / f"{ORIGINAL_PREFIX}{crc32:08x}.npy"
    try:
        there = read_array(file, mmap=True)
        kept = there.dtype == array.dtype and len(there) == len(array) and checksum(there) == crc32
    except (CorruptIndexError, OSError):
        kept = False
    if not kept:
        draft = folder / f"{DRAFT}{uuid.uuid4().hex[:8]}"
        _write_array(draft, array)
        os.replace(draft, file)
    return {"file": file.name, "crc32": crc32}


def _write_array(file: Path, array: NDArray[Any]) -> None:
    """Write an array as numpy does, to a new file, flushed."""
    array = np.ascontiguousarray(array)
    with written(file) as opened:
        header = np.lib.format.header_data_from_array_1_0(array)
        np.lib.format.write_array_header_1_0(opened, header)
        opened.write(array.data.cast("B") if array.size else b"")


def _write_sidecar(folder: Path, states: Sequence[State]) -> None:
    draft = folder / f"{DRAFT}{uuid.uuid4().hex[:8]}"
    record = {"format_version": FORMAT_VERSION, "states": states}
    with written(draft) as file:
        file.write((json.dumps(record, indent=2) + "\n").encode())
    os.replace(draft, folder / SIDECAR_NAME)
    sync_folder(folder)


def _remove_originals(folder: Path, state: State) -> None:
    """Remove originals that are no longer needed."""
    needed = {each["file"] for each in state.get("original", {}).values()}
    for path in folder.glob(f"{ORIGINAL_PREFIX}*.npy"):
        if path.name not in needed:
            with suppress(OSError):
                path.unlink()


def _read_sidecar(sidecar: Path) -> list[State] | None:
    """The scores a sidecar knows, each record checked; None where there is no sidecar."""
    try:
        record = json.loads(read_regular(sidecar, _MOST_SIDECAR_BYTES, follow=True))
        version = record["format_version"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged(sidecar, "it is not a qidf sidecar") from None
    if version != FORMAT_VERSION:
        raise IndexFormatError(
            f"{sidecar} has format version {version!r:.20} and this qidf reads {FORMAT_VERSION};"
            " install the qidf that wrote it."
        )
    try:
        states: list[State] = [_checked_state(state) for state in record["states"]]
    except (ValueError, KeyError, TypeError, AttributeError, InvalidArgumentError):
        raise damaged(sidecar, "it lacks what a qidf sidecar holds") from None
    return states


def _checked_state(state: State) -> State:
    scores = {name: state["scores"][name] for name in ("length", "crc32_of_sample", "crc32")}
    if any(type(value) is not int for value in scores.values()):
        raise ValueError
    if state["q"] == 1.0:
        return {"q": 1.0, "scores": scores}
    formula = checked_formula(parse_formula(state["formula"]))
    kept = {name: state["original"][name] for name in state["original"]}
    for each in kept.values():
        name = each["file"]
        if not is_plain_name(name) or not name.startswith(ORIGINAL_PREFIX):
            raise ValueError
        if type(each["crc32"]) is not int:
            raise ValueError
    if not {"data"} <= set(kept) <= {"data", "nonoccurrence"}:
        raise ValueError
    return {
        "q": formula.q,
        "formula": repr(formula),
        "original": kept,
        "scores": scores,
    }


def _read_original(folder: Path, retriever: Retriever, *, mmap: bool) -> Original | None:
    """What the sidecar says of the loaded scores; None if they are bm25s's own."""
    sidecar = folder / SIDECAR_NAME
    states = _read_sidecar(sidecar)
    if states is None:
        return None
    data = ScoreMatrix.of(retriever).data
    sample = _sample(data)
    states = [state for state in states if _sample_of(state) == sample]
    if len(states) > 1:
        scores = _fingerprint(data)
        states = [state for state in states if state["scores"] == scores]
    if not states:
        raise CorruptIndexError(
            f"{sidecar} belongs to other scores than the folder holds; delete it if bm25s has"
            " rebuilt the index since."
        )
    state = states[0]
    if state["q"] == 1.0:
        return None
    kept = state["original"]
    file = folder / kept["data"]["file"]
    original = _original_array(file, data, mmap=mmap)
    nonoccurrence = getattr(retriever, "nonoccurrence_array", None)
    if nonoccurrence is not None:
        if "nonoccurrence" not in kept:
            raise damaged(sidecar, "it lacks what a qidf sidecar holds")
        absent = folder / kept["nonoccurrence"]["file"]
        nonoccurrence = _original_array(absent, nonoccurrence, mmap=False)
        if checksum(nonoccurrence) != kept["nonoccurrence"]["crc32"]:
            raise damaged(
                absent, "it is not what was saved, so the original scores can't come back"
            )
    crc32 = kept["data"]["crc32"]
    return Original(state["formula"], original, nonoccurrence, crc32, str(file))


def _original_array(
    file: Path, like: NDArray[np.floating[Any]], *, mmap: bool
) -> NDArray[np.floating[Any]]:
    array = read_array(file, mmap=mmap)
    if array.shape != like.shape or array.dtype != like.dtype:
        raise damaged(file, "it doesn't fit the index beside it")
    return array


def _fingerprint(data: NDArray[np.floating[Any]]) -> dict[str, int]:
    """Describe scores by their number and checksums, of an evenly spaced sample and of all."""
    return {**_sample(data), "crc32": checksum(data)}


def _sample(data: NDArray[np.floating[Any]]) -> dict[str, int]:
    step = max(1, data.size // FINGERPRINT_SCORES)
    return {"length": int(data.size), "crc32_of_sample": checksum(data[::step])}


def _sample_of(state: State) -> dict[str, int]:
    return {name: state["scores"][name] for name in ("length", "crc32_of_sample")}
