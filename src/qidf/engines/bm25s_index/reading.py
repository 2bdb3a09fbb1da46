"""bm25s's files, held to what they can be before anything runs over them.

bm25s stores no checksums and looks at nothing it loads, and its compiled loops follow whatever the
arrays say. Pickles are never read.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidf.engines.bm25s_index.matrix import Retriever, ScoreMatrix
from qidf.errors import CorruptIndexError, IndexNotFoundError, MissingExtraError, QidfError
from qidf.index.files import open_regular, read_regular

PARAMS_NAME, VOCAB_NAME = "params.index.json", "vocab.index.json"
DATA_NAME, INDICES_NAME, INDPTR_NAME = (
    f"{name}.csc.index.npy" for name in ("data", "indices", "indptr")
)
NONOCCURRENCE_NAME = "nonoccurrence_array.index.npy"
# A dozen numbers and names.
_MOST_PARAMS_BYTES = 1 << 20
# Documents without a word take room for a score too: more of them than this can't be meant.
_WORDLESS_DOCS, _WORDLESS_DOCS_A_POSTING = 1_000_000, 1_000
_HEADERS: dict[tuple[int, int], Callable[..., Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def load_checked(folder: Path, *, mmap: bool, **options: Any) -> Any:
    """Load with `bm25s.BM25.load`; a damaged folder is refused in one sentence."""
    try:
        import bm25s
    except ImportError:
        raise MissingExtraError("bm25s", "bm25s") from None
    params = folder / options.get("params_name", PARAMS_NAME)
    if not params.exists():
        raise IndexNotFoundError(f"There is no bm25s index in {folder}; check the path.")
    if options.get("allow_pickle"):
        raise CorruptIndexError(
            f"{folder} can't be loaded with allow_pickle, which runs whatever a file says; build"
            " the index again without it."
        )
    _check_params(params)
    for name, default, kinds in (
        ("data_name", DATA_NAME, "f"),
        ("indices_name", INDICES_NAME, "iu"),
        ("indptr_name", INDPTR_NAME, "iu"),
    ):
        read_header(folder / options.get(name, default), kinds)
    absent = folder / options.get("nnoc_name", NONOCCURRENCE_NAME)
    if absent.exists():
        read_header(absent, "f")
    if options.get("load_vocab", True):
        _opened(folder / options.get("vocab_name", VOCAB_NAME)).close()
    try:
        retriever = bm25s.BM25.load(folder, mmap=mmap, **options)
        num_columns = len(retriever.scores["indptr"]) - 1
        problem = _problem(retriever) or _vocabulary_problem(retriever.vocab_dict, num_columns)
    except (QidfError, ImportError):
        raise
    # Whatever its parsers and constructors raise: the library has many, and says little.
    except Exception as error:
        problem = f"bm25s can't load it: {type(error).__name__}"
    if problem is not None:
        raise damaged(folder, problem)
    return retriever


def damaged(path: Path, what: str) -> CorruptIndexError:
    """What to say of a file or folder that isn't what it should be."""
    return CorruptIndexError(f"{path} is damaged ({what}); build the bm25s index again.")


def read_array(file: Path, *, mmap: bool) -> NDArray[np.floating[Any]]:
    """Read an array of scores, which has one dimension and no objects in it."""
    read_header(file, "f")
    array: NDArray[np.floating[Any]] = np.load(
        file, mmap_mode="r" if mmap else None, allow_pickle=False
    )
    return array


def read_header(file: Path, kinds: str) -> tuple[np.dtype[Any], int]:
    """The type and length of an array of one of these kinds, checked against the file's size."""
    with _opened(file) as opened:
        try:
            version = np.lib.format.read_magic(opened)
            shape, fortran_order, dtype = _HEADERS[version](opened)
        # numpy reads headers with Python's own parser, which raises whatever it likes.
        except Exception:
            raise damaged(file, "it doesn't begin as an array of numpy does") from None
        begin, size = opened.tell(), os.fstat(opened.fileno()).st_size
    if len(shape) != 1 or dtype.kind not in kinds or not dtype.isnative or fortran_order:
        raise damaged(file, f"it holds {dtype} of shape {shape}"[:200])
    if begin + shape[0] * dtype.itemsize != size:
        raise damaged(file, f"it has {size} bytes for {shape[0]} numbers of {dtype}")
    return dtype, shape[0]


def _opened(file: Path) -> Any:
    try:
        # Links are followed: a folder fetched from a hub consists of them.
        return open_regular(file, follow=True)
    except FileNotFoundError:
        raise damaged(file, "it is missing") from None


def _check_params(path: Path) -> None:
    """Refuse parameters that no index of bm25s can have."""
    try:
        params = json.loads(read_regular(path, _MOST_PARAMS_BYTES, follow=True))
        sound = (
            isinstance(params, dict)
            and all(_is_number(params[name]) for name in ("k1", "b", "delta"))
            and params["k1"] >= 0
            and 0 <= params["b"] <= 1
            and all(isinstance(params[name], str) for name in ("method", "idf_method"))
            and np.dtype(params["dtype"]).kind == "f"
            and np.dtype(params["int_dtype"]).kind in "iu"
            and isinstance(params["dtype"], str)
            and isinstance(params["int_dtype"], str)
            and _is_size(params.get("num_docs", 0))
        )
    except (ValueError, KeyError, TypeError, RecursionError, SyntaxError):
        sound = False
    if not sound:
        raise damaged(path, "these are not the parameters of a bm25s index")


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(float(str(value)))


def _is_size(value: object) -> bool:
    return value is None or (type(value) is int and 0 <= value < 2**31)


def _problem(retriever: Retriever) -> str | None:
    """What is wrong with a loaded matrix, or None."""
    matrix = ScoreMatrix.of(retriever)
    indptr = np.asarray(matrix.indptr).astype(np.int64)
    postings = len(matrix.data)
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != postings:
        return "its columns don't span its scores"
    if len(matrix.indices) != postings or (np.diff(indptr) < 0).any():
        return "its arrays don't fit together"
    if matrix.num_docs > _WORDLESS_DOCS + _WORDLESS_DOCS_A_POSTING * postings:
        return f"it can't have {matrix.num_docs} documents"
    if np.dtype(retriever.dtype) != matrix.data.dtype:
        return f"its scores are of {matrix.data.dtype} and not of {retriever.dtype}"
    for block in matrix.blocks():
        rows = np.asarray(matrix.indices[block.postings]).astype(np.int64)
        if len(rows) and (rows.min() < 0 or rows.max() >= matrix.num_docs):
            return "a score belongs to a document that doesn't exist"
        columns = np.repeat(np.arange(len(block.lengths), dtype=np.int64), block.lengths)
        places = columns * matrix.num_docs + rows
        if (np.diff(places) <= 0).any() and len(np.unique(places)) < len(places):
            return "a document has two scores for one term"
        if not np.isfinite(matrix.data[block.postings]).all():
            return "a score is no number"
    absent = retriever.nonoccurrence_array
    if absent is not None and (len(absent) != len(indptr) - 1 or not np.isfinite(absent).all()):
        return "its scores of absent terms don't fit its terms"
    return None


def _vocabulary_problem(vocabulary: Any, num_columns: int) -> str | None:
    """What is wrong with a loaded vocabulary, or None; bm25s numbers terms from 0."""
    if not isinstance(vocabulary, dict):
        return "its vocabulary is none"
    numbers = list(vocabulary.values())
    if not set(map(type, numbers)) <= {int}:
        return "its vocabulary has numbers that are none"
    # The empty token has a number beyond the last column.
    if numbers and (min(numbers) < 0 or max(numbers) > num_columns):
        return "its vocabulary names terms that don't exist"
    return None if len(set(numbers)) == len(numbers) else "two of its terms have one number"
