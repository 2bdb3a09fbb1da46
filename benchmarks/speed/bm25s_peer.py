"""bm25s in the forms that could be its fastest; the run measures them and keeps the best."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Retriever = Any


def tokenizers(texts: list[str]) -> dict[str, Callable[[], Any]]:
    """Each way bm25s has of turning texts into token ids; all give the same tokens."""
    import bm25s
    from bm25s.tokenization import Tokenizer

    return {
        "bm25s tokenize, function": lambda: bm25s.tokenize(texts, show_progress=False),
        "bm25s tokenize, class": lambda: Tokenizer().tokenize(
            texts,
            update_vocab=True,
            return_as="tuple",
            show_progress=False,
            allow_empty=False,
        ),
    }


def indexers(tokens: Any, backend: str) -> dict[str, Callable[[], Any]]:
    """Each way bm25s has of building its matrix, compiled already where it compiles."""
    import bm25s

    ways = {"numpy": bm25s.BM25(backend=backend)}
    if backend == "numba":
        ways["numba"] = bm25s.BM25(backend=backend)
        ways["numba"].activate_numba_csc()
        # On its own retriever: bm25s compiles anew for each.
        ways["numba"].index(_fresh(tokens, 64), show_progress=False)
    # scipy is bm25s's own extra, and qidf doesn't need it.
    with contextlib.suppress(ImportError):
        ways["scipy"] = bm25s.BM25(backend=backend, csc_backend="scipy")
    return {
        f"bm25s index, {name} csc": _index_call(retriever, tokens)
        for name, retriever in ways.items()
    }


def _index_call(retriever: Retriever, tokens: Any) -> Callable[[], Any]:
    return lambda: retriever.index(_fresh(tokens), show_progress=False)


def _fresh(tokens: Any, count: int | None = None) -> Any:
    """Tokens with a vocabulary of their own, since `index` adds an empty token to it."""
    return type(tokens)(tokens.ids[:count], dict(tokens.vocab))


def build(texts: list[str], backend: str) -> Retriever:
    """An index to search."""
    import bm25s

    retriever = bm25s.BM25(backend=backend)
    tokens = bm25s.tokenize(texts, show_progress=False)
    retriever.index(tokens, show_progress=False)
    return retriever


def at_q(retriever: Retriever, q: float) -> Retriever:
    """A second retriever over the same postings, rescaled to q."""
    from qidf.engines.bm25s_index import rescale

    other = copy.copy(retriever)
    other.scores = dict(retriever.scores)
    rescale(other, q, weighting="paper")
    return other


def token_ids(retriever: Retriever, queries: Sequence[Sequence[str]]) -> list[list[int]]:
    """Queries as ids of the index's vocabulary; unknown tokens fall out, as in bm25s."""
    return [retriever.get_tokens_ids(list(query)) for query in queries]


def text_tokens(texts: list[str]) -> Any:
    """Texts as the tokens that bm25s takes for queries."""
    import bm25s

    return bm25s.tokenize(texts, return_ids=False, show_progress=False)


def retrieve(retriever: Retriever, queries: Sequence[Sequence[Any]], k: int) -> Any:
    """Top k on one thread."""
    return retriever.retrieve(queries, k=k, n_threads=0, show_progress=False)


def scores(retriever: Retriever, queries: Sequence[Sequence[Any]], k: int) -> np.ndarray:
    """Top-k scores, highest first."""
    return np.asarray(retrieve(retriever, queries, k).scores)


def save(retriever: Retriever, folder: Path) -> None:
    """Store the index without its corpus."""
    retriever.save(str(folder), corpus=None, show_progress=False)
