"""Rankings of many queries, from an index, from any searcher, or from TREC run files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np

from qidf.datasets import Dataset
from qidf.datasets.records import numbered_lines
from qidf.errors import DuplicateIdError, InputError, InvalidArgumentError
from qidf.evaluation.collection import DEFAULT_TIES, Collection, Ties
from qidf.index.results import Ranking
from qidf.weighting import AUTO, Weighting

# A query's text in, pairs of a document id and a score out, best first.
Search = Callable[[str], Iterable[tuple[str, float]]]

_COLUMNS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Row r ranks query_ids[r]: documents doc_ids[positions[r, i]] with scores, padded with -1.

    `failed` holds the queries that broke, with the reason. They have no value in any measure: a
    tool that fails is not one that ranks badly.
    """

    tag: str
    query_ids: Sequence[str]
    doc_ids: Sequence[str]
    positions: np.ndarray
    scores: np.ndarray
    failed: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the shapes, and make the failures read-only."""
        if self.positions.shape != self.scores.shape or len(self.positions) != len(self.query_ids):
            raise InvalidArgumentError(
                f"a run of {len(self.query_ids)} queries can't have positions of shape"
                f" {self.positions.shape} and scores of shape {self.scores.shape}"
            )
        object.__setattr__(self, "failed", MappingProxyType(dict(self.failed)))

    @property
    def depth(self) -> int:
        """How many documents a row has room for."""
        return int(self.positions.shape[1])

    def for_queries(self, collection: Collection) -> Run:
        """The same rankings for a collection's queries in its order, hidden documents taken out.

        Queries that the run doesn't have are failed ones.
        """
        asked = collection.dataset.queries.ids
        rows = {query_id: row for row, query_id in enumerate(self.query_ids)}
        wanted = np.array([rows.get(query_id, -1) for query_id in asked])
        there = wanted >= 0
        positions = np.full((len(asked), self.depth), -1, np.int64)
        scores = np.zeros((len(asked), self.depth), self.scores.dtype)
        positions[there], scores[there] = self.positions[wanted[there]], self.scores[wanted[there]]
        numbers = {doc_id: at for at, doc_id in enumerate(self.doc_ids)}
        own = np.array([numbers.get(query_id, -1) for query_id in asked])
        return Run(
            self.tag,
            asked,
            self.doc_ids,
            *without_hidden(np.where(collection.hidden >= 0, own, -1), positions, scores),
            {
                query_id: self.failed.get(query_id, "it is not in the run")
                for query_id, row in zip(asked, wanted, strict=True)
                if row < 0 or query_id in self.failed
            },
        )

    def ranks(self, collection: Collection) -> np.ndarray:
        """The rank of each of the collection's relevant pairs, 0 where it isn't found.

        For a run that is the collection's: made from it, or by `for_queries`.
        """
        if self.doc_ids is collection.doc_ids:
            return collection.relevance.ranks_in(self.positions)
        numbers = {doc_id: at for at, doc_id in enumerate(collection.doc_ids)}
        # A document that isn't in the collection is -1 like the padding, and keeps its rank.
        known = np.array([numbers.get(doc_id, -1) for doc_id in self.doc_ids] + [-1], np.int64)
        return collection.relevance.ranks_in(known[self.positions])


def rank_index(
    collection: Collection,
    depth: int,
    weighting: Weighting = AUTO,
    *,
    tag: str = "qidf",
) -> Run:
    """Rank the collection's queries to a depth; hidden documents don't show up."""
    texts = list(collection.dataset.queries.texts)
    more = depth + bool(collection.num_hidden)
    ranking = collection.index.rank(texts, more, weighting=weighting)
    return from_ranking(collection, ranking, depth, tag)


def from_ranking(collection: Collection, ranking: Ranking, depth: int, tag: str) -> Run:
    """Take rankings of the collection's queries, one deeper than needed where some are hidden."""
    positions, scores = without_hidden(collection.hidden, *ranking)
    return Run(
        tag,
        collection.dataset.queries.ids,
        collection.doc_ids,
        positions[:, :depth],
        scores[:, :depth],
    )


def run_search(search: Search, dataset: Dataset, depth: int, *, tag: str = "search") -> Run:
    """Ask a searcher every query; one that raises has failed, and the others go on."""
    numbers: dict[str, int] = {}
    failed: dict[str, str] = {}
    rows: list[list[tuple[int, float]]] = []
    for query_id, text in dataset.queries:
        row: list[tuple[int, float]] = []
        try:
            for doc_id, score in search(text):
                row.append((numbers.setdefault(doc_id, len(numbers)), float(score)))
                if len(row) == depth:
                    break
        # Whatever a searcher breaks with is what its query failed with.
        except Exception as error:
            failed[query_id] = f"{type(error).__name__}: {error}"
            row = []
        rows.append(row)
    return Run(tag, dataset.queries.ids, list(numbers), *_padded(rows, depth), failed)


def write_run(run: Run, path: str | Path, *, append: bool = False) -> None:
    """Write a run as TREC has it: query, Q0, document, rank, score, tag."""
    for what, names in (("query", run.query_ids), ("document", run.doc_ids), ("tag", [run.tag])):
        bad = next((name for name in names if name.split() != [name]), None)
        if bad is not None:
            raise InputError(
                f"the {what} {bad!r} is empty or holds blanks, which separate the columns of a run"
                " file; give it another name"
            )
    with open(path, "a" if append else "w", encoding="utf-8") as file:
        for query_id, positions, scores in zip(
            run.query_ids, run.positions.tolist(), run.scores, strict=True
        ):
            for rank, (at, score) in enumerate(zip(positions, scores, strict=True), 1):
                if at < 0:
                    break
                # A float's shortest digits read back as the same float, so that ties stay ties.
                file.write(f"{query_id} Q0 {run.doc_ids[at]} {rank} {score!s} {run.tag}\n")


def read_run(path: str | Path, *, ties: Ties = DEFAULT_TIES) -> Run:
    """Read a TREC run file; scores decide the order and `ties` does among equal ones.

    As in trec_eval, the rank column is of no account; `index` and `hash` leave equal scores in the
    order of the file. A query that the file doesn't mention has not been answered, and counts as
    failed wherever it is asked for.
    """
    rows: dict[str, list[tuple[str, float]]] = {}
    tag = ""
    for number, raw in numbered_lines(Path(path)):
        columns = raw.decode("utf-8", "surrogateescape").split()
        if len(columns) != _COLUMNS:
            raise InputError(
                f"{path}, line {number}: the line has {len(columns)} columns; write query, Q0,"
                " document, rank, score and tag"
            )
        query_id, _, doc_id, _, score, tag = columns
        rows.setdefault(query_id, []).append((doc_id, _score(score, path, number)))
    if not rows:
        raise InputError(f"{path} ranks no document; check that it is a TREC run file")
    numbers: dict[str, int] = {}
    ordered: list[list[tuple[int, float]]] = []
    for query_id, pairs in rows.items():
        if len({doc_id for doc_id, _ in pairs}) < len(pairs):
            raise DuplicateIdError(
                f"{path} ranks a document twice for the query {query_id!r}; keep one of the lines"
            )
        if ties in ("trec", "id"):
            pairs.sort(key=lambda pair: pair[0], reverse=ties == "trec")
        pairs.sort(key=lambda pair: pair[1], reverse=True)
        ordered.append(
            [(numbers.setdefault(doc_id, len(numbers)), score) for doc_id, score in pairs]
        )
    depth = max(map(len, ordered))
    return Run(tag, list(rows), list(numbers), *_padded(ordered, depth))


def _score(text: str, path: str | Path, number: int) -> float:
    """A score as a float32, as in trec_eval, so that what is equal there is equal here."""
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if math.isnan(score):
        raise InputError(
            f"{path}, line {number}: the score {text!r} is not a number; mend the line"
        )
    with np.errstate(over="ignore"):
        return float(np.float32(score))


def _padded(rows: Sequence[Sequence[tuple[int, float]]], depth: int) -> Ranking:
    """Rows of pairs as two arrays."""
    positions = np.full((len(rows), depth), -1, np.int64)
    scores = np.zeros((len(rows), depth), np.float32)
    for at, row in enumerate(rows):
        if row:
            positions[at, : len(row)], scores[at, : len(row)] = zip(*row, strict=True)
    return Ranking(positions, scores)


def without_hidden(
    hidden: np.ndarray, positions: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rankings without the document each query is not to find, the rest moved up."""
    found = (positions == hidden[:, None]) & (positions >= 0)
    if not found.any():
        return positions, scores
    order = np.argsort(found, axis=1, kind="stable")
    return (
        np.take_along_axis(np.where(found, -1, positions), order, axis=1),
        np.take_along_axis(np.where(found, 0, scores), order, axis=1),
    )
