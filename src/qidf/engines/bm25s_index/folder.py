"""A rescaled bm25s index on disk: bm25s's own files, and a sidecar that remembers the rest.

bm25s refuses unknown keys in its parameter file, so q lives in a file of its own beside it, with
the original scores; unmodified bm25s sees neither.
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.engines.bm25s_index.original import Original, checksum, keep_original, original_of
from qidf.errors import (
    CorruptIndexError,
    IndexFormatError,
    IndexNotFoundError,
    MissingExtraError,
)
from qidf.weights import QlogRsj

SIDECAR_NAME = "qidf.json"
ORIGINAL_DATA_NAME = "qidf.original.npy"
ORIGINAL_NONOCCURRENCE_NAME = "qidf.original-nonoccurrence.npy"
FORMAT_VERSION = 1
# Scores looked at to see whether the sidecar belongs to the score file, so that opening a
# memory-mapped index doesn't read it all.
FINGERPRINT_SCORES = 4_096


def save(retriever: Retriever, directory: str | os.PathLike[str], **options: Any) -> None:
    """Save with bm25s's own `save` (which takes the options), and the sidecar if it is rescaled.

    Once a retriever was rescaled, its own `save` method does the same.
    """
    write_sidecar_on_save(retriever)
    cast(Any, retriever).save(directory, **options)


def load(directory: str | os.PathLike[str], *, mmap: bool = False, **options: Any) -> Any:
    """Load with `bm25s.BM25.load` (which takes the options); a rescaled index knows its q again."""
    try:
        import bm25s
    except ImportError:
        raise MissingExtraError("bm25s", "bm25s") from None
    folder = Path(directory)
    if not (folder / options.get("params_name", "params.index.json")).is_file():
        raise IndexNotFoundError(f"There is no bm25s index in {folder}; check the path.")
    retriever = bm25s.BM25.load(folder, mmap=mmap, **options)
    sidecar = folder / SIDECAR_NAME
    if sidecar.is_file():
        keep_original(retriever, _read_sidecar(sidecar, retriever, mmap=mmap))
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
        """Save as bm25s does, then write the sidecar, or remove one that no longer applies."""
        folder = Path(save_dir)
        retriever = cast(Retriever, self)
        _unmap(retriever, folder)
        # The sidecar goes first and comes last, so that it never describes other scores.
        (folder / SIDECAR_NAME).unlink(missing_ok=True)
        cast(Any, super()).save(save_dir, *args, **options)
        original = original_of(retriever)
        if original is not None:
            _write_sidecar(folder, retriever, original.verified())
        else:
            (folder / ORIGINAL_DATA_NAME).unlink(missing_ok=True)
            (folder / ORIGINAL_NONOCCURRENCE_NAME).unlink(missing_ok=True)

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


def _unmap(retriever: Retriever, folder: Path) -> None:
    """Read arrays into memory that are mapped from files about to be overwritten."""

    def in_memory(array: Any) -> Any:
        if not isinstance(array, np.memmap) or array.filename is None:
            return array
        mapped = Path(array.filename)
        return np.array(array) if mapped.parent == folder.resolve() else array

    for key in ("data", "indices", "indptr"):
        retriever.scores[key] = in_memory(retriever.scores[key])
    original = original_of(retriever)
    if original is not None:
        data = in_memory(original.data)
        kept = Original(
            original.q, original.delta, data, original.nonoccurrence, original.crc32, original.file
        )
        keep_original(retriever, kept)


def _write_sidecar(folder: Path, retriever: Retriever, original: Original) -> None:
    np.save(folder / ORIGINAL_DATA_NAME, original.data, allow_pickle=False)
    if original.nonoccurrence is not None:
        np.save(folder / ORIGINAL_NONOCCURRENCE_NAME, original.nonoccurrence, allow_pickle=False)
    record = {
        "format_version": FORMAT_VERSION,
        "q": original.q,
        "delta": original.delta,
        "formula": repr(QlogRsj(original.q, original.delta)),
        "scores": _fingerprint(ScoreMatrix.of(retriever).data),
        "original_crc32": checksum(original.data),
    }
    draft = folder / (SIDECAR_NAME + ".tmp")
    draft.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    draft.replace(folder / SIDECAR_NAME)


def _read_sidecar(sidecar: Path, retriever: Retriever, *, mmap: bool) -> Original:
    try:
        record = json.loads(sidecar.read_text(encoding="utf-8"))
        version = record["format_version"]
    except (ValueError, KeyError, TypeError):
        raise CorruptIndexError(
            f"{sidecar} is not a qidf sidecar; build the index again."
        ) from None
    if version != FORMAT_VERSION:
        raise IndexFormatError(
            f"{sidecar} has format version {version} and this qidf reads {FORMAT_VERSION};"
            " install the qidf that wrote it."
        )
    data = ScoreMatrix.of(retriever).data
    try:
        formula = QlogRsj(record["q"], record["delta"])
        scores, crc32 = record["scores"], int(record["original_crc32"])
    except (ValueError, KeyError, TypeError):
        raise CorruptIndexError(
            f"{sidecar} lacks what a qidf sidecar holds; build the index again."
        ) from None
    if scores != _fingerprint(data):
        raise CorruptIndexError(
            f"{sidecar} belongs to other scores than the folder holds; delete it if bm25s has"
            " rebuilt the index since."
        )
    file = sidecar.with_name(ORIGINAL_DATA_NAME)
    original = _read_array(file, mmap=mmap)
    if original.shape != data.shape or original.dtype != data.dtype:
        raise CorruptIndexError(f"{file} doesn't fit the index beside it; build it again.")
    nonoccurrence = None
    if getattr(retriever, "nonoccurrence_array", None) is not None:
        nonoccurrence = _read_array(sidecar.with_name(ORIGINAL_NONOCCURRENCE_NAME), mmap=False)
    return Original(formula.q, formula.delta, original, nonoccurrence, crc32, str(file))


def _read_array(file: Path, *, mmap: bool) -> NDArray[np.floating[Any]]:
    try:
        array: NDArray[np.floating[Any]] = np.load(file, mmap_mode="r" if mmap else None)
    except (OSError, ValueError, EOFError):
        raise CorruptIndexError(
            f"{file} is missing or damaged, so the original scores can't come back; build the"
            " index again."
        ) from None
    return array


def _fingerprint(data: NDArray[np.floating[Any]]) -> dict[str, int]:
    """Describe a score array by its length and a checksum over evenly spaced scores."""
    step = max(1, data.size // FINGERPRINT_SCORES)
    return {"length": int(data.size), "crc32_of_sample": checksum(data[::step])}
