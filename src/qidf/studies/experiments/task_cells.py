"""What RepoBench-R and Long Code Arena share: one row for each task of many small collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from qidf.evaluation import Evaluation, QlogSystem, evaluate
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
            systems = [QlogSystem(q), AUTO]
            evaluation = evaluate(source.open(), systems, bench.settings, name=source.name)
            rows.append(_row(cell, evaluation, papers.get(cell, {})))
            raw.append(_per_query(cell, number, evaluation))
    return rows, raw


def _row(cell: str, evaluation: Evaluation, paper: Mapping[str, Cell]) -> dict[str, Cell]:
    """A cell's figures with the paper's beside them."""
    name = str(evaluation.settings.measures[0])
    fixed, auto = evaluation.rows
    bm25 = evaluation.baseline.mean(name)
    return {
        "cell": cell,
        "data": evaluation.dataset,
        "num_queries": evaluation.num_queries,
        "pool": evaluation.num_docs / evaluation.num_queries,
        "bm25": bm25,
        "qlog": fixed.mean(name),
        "relative": ratio(fixed.mean(name), bm25),
        "delta": fixed.comparison.delta,
        "ci95": interval(fixed.comparison.ci95),
        "ties": float(np.mean(fixed.values[name] == evaluation.baseline.values[name])),
        "q_pred": evaluation.q_pred,
        "auto": auto.mean(name),
        "auto_ci95": interval(auto.comparison.ci95),
        **paper,
    }


def _per_query(cell: str, number: int, evaluation: Evaluation) -> Table:
    """Every query's NDCG, for those who want to check."""
    name = str(evaluation.settings.measures[0])
    fixed, auto = evaluation.rows
    values = [row.values[name].round(6).tolist() for row in (evaluation.baseline, fixed, auto)]
    stem = "-".join(["queries", *cell.split("/"), *([str(number)] if number else [])])
    return Table(
        stem,
        f"NDCG of each query of {evaluation.dataset}",
        (Column("query_id"), Column("bm25"), Column(fixed.name), Column("predicted")),
        tuple(zip(evaluation.query_ids, *values, strict=True)),
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
