"""Smaller versions of a dataset, each contained in the next larger one.

Documents are put in one order: first the relevant documents of the queries, queries by a digest of
their ids, then all others by a digest of theirs. The version of size N holds the first N documents
and the queries whose relevant documents are all among them. With one relevant document to a query
this gives the paper's ladder (tab. Go scaling): N queries while N is less than the number of
queries, all of them after that, and only the fill grows. A digest knows nothing of a text, so that
each version is a random sample, and the same one on every machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from qidf.datasets import Dataset, Texts
from qidf.errors import InvalidArgumentError

# The sizes of the paper's Go and Python ladders; the whole dataset follows.
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)


def sizes_below(num_docs: int, sizes: Iterable[int] = SIZES) -> list[int | None]:
    """The sizes that a dataset is larger than, and None for the whole of it."""
    return [*(size for size in sizes if size < num_docs), None]


def subset(dataset: Dataset, size: int | None) -> Dataset:
    """A dataset's version of a size; None, or a size it doesn't exceed, is the dataset itself."""
    if size is None or size >= dataset.num_docs:
        return dataset
    if size < 1:
        raise InvalidArgumentError(f"a dataset has at least one document, not {size}")
    documents, queries = dataset.documents, dataset.queries
    numbers = {doc_id: at for at, doc_id in enumerate(documents.ids)}
    by_digest = sorted(range(len(queries)), key=lambda at: _digest(queries.ids[at]))
    chosen: dict[int, None] = {}
    for at in by_digest:
        for doc_id, grade in sorted(dataset.judgements[queries.ids[at]].items()):
            if grade > 0 and doc_id in numbers:
                chosen[numbers[doc_id]] = None
    if len(chosen) < size:
        rest = (at for at in range(len(documents)) if at not in chosen)
        chosen.update(dict.fromkeys(sorted(rest, key=lambda at: _digest(documents.ids[at]))))
    kept = set(list(chosen)[:size])
    ids = {documents.ids[at] for at in kept}
    asked = [
        at
        for at, query_id in enumerate(queries.ids)
        if all(
            doc_id in ids
            for doc_id, grade in dataset.judgements[query_id].items()
            if grade > 0 and doc_id in numbers
        )
    ]
    if not asked:
        raise InvalidArgumentError(
            f"no query of {dataset.name} has all its relevant documents among {size:,}; ask for"
            " more documents"
        )
    order = sorted(kept)
    return Dataset(
        f"{dataset.name}, {size:,} documents",
        dataset.provenance,
        Texts([documents.ids[at] for at in order], [documents.texts[at] for at in order]),
        Texts([queries.ids[at] for at in asked], [queries.texts[at] for at in asked]),
        {
            queries.ids[at]: {
                doc_id: grade
                for doc_id, grade in dataset.judgements[queries.ids[at]].items()
                if doc_id in ids or doc_id not in numbers
            }
            for at in asked
        },
        dataset.notes,
    )


def _digest(identifier: str) -> bytes:
    return hashlib.blake2b(identifier.encode("utf-8", "surrogatepass"), digest_size=16).digest()
