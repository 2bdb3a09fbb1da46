"""A dataset indexed for evaluation: who is relevant, in which order documents tie, what is hidden.

Equal scores are common at small q, where one rare word decides, so the order among them is part of
the result. The index breaks ties by document order; each rule below is therefore the order in which
documents are indexed, exact at every depth and free at query time:

- `trec`: by id, descending, as trec_eval does it; a written run file then scores the same there;
- `id`: by id, ascending;
- `index`: in the order of the dataset's files;
- `hash`: by a digest of the id, which no order of relevance can have leaked into.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from qidf.analysis import Analyzer, parse_analyzer
from qidf.datasets import Dataset
from qidf.errors import InvalidArgumentError
from qidf.evaluation.relevance import Relevance
from qidf.index import Index
from qidf.index.build import build_segment
from qidf.index.directory import Snapshot
from qidf.index.maintenance import with_segment
from qidf.index.segment import Segment

Ties = Literal["trec", "id", "index", "hash"]
TIES: tuple[Ties, ...] = get_args(Ties)
DEFAULT_TIES: Ties = "trec"


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Documents in the order that breaks ties; everything else refers to their positions in it.

    `hidden` is, for each query, the document with the query's own id, or -1: BEIR's convention
    drops it from the ranking, since a document is no answer to itself.
    """

    dataset: Dataset
    index: Index
    segment: Segment
    doc_ids: Sequence[str]
    relevance: Relevance
    hidden: np.ndarray
    ties: Ties

    @classmethod
    def build(
        cls,
        dataset: Dataset,
        *,
        analyzer: str | Analyzer = "generic",
        ties: Ties = DEFAULT_TIES,
        keep_identical: bool = False,
    ) -> Collection:
        """Index a dataset's documents."""
        chosen = parse_analyzer(analyzer)
        order = _order(dataset.documents.ids, ties)
        ids, texts = dataset.documents.ids, dataset.documents.texts
        doc_ids = [ids[at] for at in order]
        segment = build_segment([texts[at] for at in order], chosen, next_position=0)
        positions = dict(zip(doc_ids, range(len(doc_ids)), strict=True))
        query_ids = dataset.queries.ids
        hidden = np.full(len(query_ids), -1, np.int64)
        if not keep_identical:
            hidden[:] = [positions.get(query_id, -1) for query_id in query_ids]
        return cls(
            dataset,
            Index(with_segment(Snapshot(str(chosen)), segment)),
            segment,
            doc_ids,
            Relevance.from_judgements(dataset.judgements, query_ids, positions),
            hidden,
            ties,
        )

    @property
    def num_hidden(self) -> int:
        """How many queries have a document of their own id, which they don't get to see."""
        return int((self.hidden >= 0).sum())

    @property
    def htok(self) -> float:
        """The share of tokens that occur once, which q is predicted from."""
        return self.index.stats.htok


def _order(ids: Sequence[str], ties: str) -> list[int]:
    """Positions in a dataset, in the order that breaks ties."""
    at = range(len(ids))
    if ties == "index":
        return list(at)
    if ties == "hash":
        return sorted(at, key=lambda each: hashlib.blake2b(_encoded(ids[each])).digest())
    if ties in ("trec", "id"):
        # Code points compare as the bytes of UTF-8 do, which is what trec_eval's strcmp sees.
        return sorted(at, key=ids.__getitem__, reverse=ties == "trec")
    raise InvalidArgumentError(f"ties can't be broken by {ties!r}; choose from {', '.join(TIES)}")


def _encoded(identifier: str) -> bytes:
    return identifier.encode("utf-8", "surrogatepass")
