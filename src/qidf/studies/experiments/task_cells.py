"""What RepoBench-R and Long Code Arena share: one row for each task of many small collections.

A search leaves documents without a positive score out. In a pool of six most words are in half of
the documents, where q-log weights them below zero, so that it leaves many out; the paper ranks with
bm25s, which returns all of a small pool. Both are measured, and the paper's way is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from qidf.evaluation import (
    BASELINE,
    Collection,
    Evaluation,
    QlogSystem,
    Settings,
    evaluate,
    paired_bootstrap,
)
from qidf.studies.figures import Panel, Series
from qidf.studies.sources import Source
from qidf.studies.tables import Cell, Column, Table, interval, ratio, table
from qidf.studies.workbench import Workbench

AUTO = QlogSystem("auto")
NOT_RUN = "not run: not among the datasets"
COLUMNS = (
    Column("cell", "cell"),
    Column("data", "data"),
    Column("num_queries", "queries", ",d"),
    Column("paper_num_queries", "paper", ",d"),
    Column("pool", "documents a query", ",.1f"),
    Column("bm25", "BM25", ".4f"),
    Column("paper_bm25", "paper", ".4f"),
    Column("qlog", "q-log", ".4f"),
    Column("paper_qlog", "paper", ".4f"),
    Column("relative", "relative", "+.1%"),
    Column("paper_relative", "paper", "+.1%"),
    Column("delta", "delta", "+.4f"),
    Column("ci95", "95% interval"),
    Column("paper_ci95", "paper"),
    Column("ties", "ties", ".0%"),
    Column("q_pred", "predicted q, mean", ".3f"),
    Column("auto", "q-log there", ".4f"),
    Column("auto_ci95", "95% interval"),
    Column("bm25_found", "BM25, found only", ".4f"),
    Column("qlog_found", "q-log, found only", ".4f"),
)


def _sources(bench: Workbench, reader: str) -> dict[str, list[Source]]:
    """The datasets that this reader opens, by cell; several may stand for one."""
    found: dict[str, list[Source]] = {}
    for source in bench.sources:
        prefix, _, cell = source.place.partition(":")
        if prefix == reader:
            found.setdefault(cell, []).append(source)
    return found


def measure_cells(
    bench: Workbench, reader: str, q: float, papers: Mapping[str, Mapping[str, Cell]]
) -> tuple[list[dict[str, Cell]], list[Table]]:
    """A row for each cell, with data or without, and every query's NDCG.

    Measured at the paper's q and at the one that is predicted for each collection.
    """
    given = _sources(bench, reader)
    rows: list[dict[str, Cell]] = []
    raw: list[Table] = []
    for cell in bench.track(list(dict.fromkeys([*papers, *given]))):
        if cell not in given:
            rows.append({"cell": cell, "data": NOT_RUN, **papers[cell]})
        for number, source in enumerate(given.get(cell, [])):
            complete = _Complete([BASELINE, QlogSystem(q), AUTO], bench.settings)
            evaluation = evaluate(
                source.open(),
                [QlogSystem(q)],
                bench.settings,
                name=source.name,
                on_collection=complete.add,
            )
            values = complete.values()
            rows.append(_row(cell, evaluation, values, papers.get(cell, {})))
            raw.append(_per_query(cell, number, evaluation, values))
    return rows, raw


class _Complete:
    """NDCG of rankings that hold every document of a collection, by its score, be it negative."""

    def __init__(self, systems: Sequence[QlogSystem], settings: Settings) -> None:
        self._systems = systems
        self._measure = settings.measures[0]
        self._parts: list[list[np.ndarray]] = [[] for _ in systems]

    def add(self, collection: Collection) -> None:
        """Rank one more collection's queries."""
        relevance = collection.relevance
        for system, parts in zip(self._systems, self._parts, strict=True):
            ranks = np.zeros(len(relevance.docs), np.int64)
            for query, text in enumerate(collection.dataset.queries.texts):
                scores = collection.index.scores(text, system.q)
                if collection.hidden[query] >= 0:
                    scores[collection.hidden[query]] = -np.inf
                for at in range(relevance.offsets[query], relevance.offsets[query + 1]):
                    ranks[at] = _rank(scores, int(relevance.docs[at]))
            parts.append(self._measure.per_query(relevance, ranks))

    def values(self) -> np.ndarray:
        """A row of values for each system."""
        return np.array([np.concatenate(parts) for parts in self._parts])


def _rank(scores: np.ndarray, doc: int) -> int:
    """A document's rank, equal scores in the order that breaks ties; 0 for one that isn't there."""
    if doc < 0 or not np.isfinite(scores[doc]):
        return 0
    ahead = (scores > scores[doc]).sum() + (scores[:doc] == scores[doc]).sum()
    return int(ahead) + 1


def _row(
    cell: str, evaluation: Evaluation, values: np.ndarray, paper: Mapping[str, Cell]
) -> dict[str, Cell]:
    name = str(evaluation.settings.measures[0])
    bm25, qlog, auto = values.mean(axis=1).tolist()
    compared, auto_compared = paired_bootstrap(
        values[0],
        values[1:],
        resamples=evaluation.settings.resamples,
        seed=evaluation.settings.seed,
    )
    return {
        "cell": cell,
        "data": evaluation.dataset,
        "num_queries": evaluation.num_queries,
        "pool": evaluation.num_docs / evaluation.num_queries,
        "bm25": bm25,
        "qlog": qlog,
        "relative": ratio(qlog, bm25),
        "delta": compared.delta,
        "ci95": interval(compared.ci95),
        "ties": float(np.mean(values[1] == values[0])),
        "q_pred": evaluation.q_pred,
        "auto": auto,
        "auto_ci95": interval(auto_compared.ci95),
        "bm25_found": evaluation.baseline.mean(name),
        "qlog_found": evaluation.rows[0].mean(name),
        **paper,
    }


def _per_query(cell: str, number: int, evaluation: Evaluation, values: np.ndarray) -> Table:
    """Every query's NDCG, for those who want to check."""
    stem = "-".join(["queries", *cell.split("/"), *([str(number)] if number else [])])
    return Table(
        stem,
        f"NDCG of each query of {evaluation.dataset}",
        (Column("query_id"), Column("bm25"), Column(evaluation.rows[0].name), Column("predicted")),
        tuple(zip(evaluation.query_ids, *values.round(6).tolist(), strict=True)),
        shown=False,
        packed=True,
    )


def main_table(name: str, title: str, rows: Iterable[Mapping[str, Cell]], note: str) -> Table:
    """All cells; those without data show what the paper has."""
    return table(name, title, COLUMNS, list(rows), note=note)


def panel(title: str, rows: Iterable[Mapping[str, Cell]], q: float) -> Panel:
    """BM25 and q-log for each cell, ours and the paper's."""
    shown = list(rows)
    series = []
    for label, key, colour, paper in (
        ("BM25", "bm25", 6, False),
        (f"q = {q:g}", "qlog", 0, False),
        ("BM25, paper", "paper_bm25", 6, True),
        (f"q = {q:g}, paper", "paper_qlog", 0, True),
    ):
        known = [row for row in shown if row.get(key) is not None]
        if known:
            names = tuple(str(row["cell"]) for row in known)
            values = tuple(float(row[key] or 0.0) for row in known)
            series.append(Series(label, "bars", names, values, colour, paper=paper))
    return Panel(title, "", "NDCG@10", tuple(series))
