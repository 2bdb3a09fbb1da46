"""NDCG along q, at 50,000 documents and at all of them."""

from __future__ import annotations

from collections.abc import Mapping

from qidf.studies import paper
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.ladder import sizes_below
from qidf.studies.sources import Subject
from qidf.studies.study import Findings, Study, lacks_collections
from qidf.studies.tables import Cell, Column, table
from qidf.studies.workbench import Measured, Workbench, qlog

_COLUMNS = (
    Column("corpus", "corpus"),
    Column("num_docs", "N", ",d"),
    *(Column(f"q={q:g}", f"{q:g}", ".3f") for q in paper.SWEEP_GRID),
    Column("best_q", "best q", "g"),
)


def _run(bench: Workbench) -> Findings:
    jobs = [
        (subject, size)
        for subject in bench.subjects()
        for size in sizes_below(bench.num_docs(subject), [paper.SWEEP_SIZE])
    ]
    rows: list[dict[str, Cell]] = []
    raw: list[dict[str, Cell]] = []
    curves: dict[Subject, list[Measured]] = {}
    for subject, size in bench.track(jobs, lambda job: f"{job[0].name} {job[1] or ''}"):
        measured = bench.measure(subject, qlog(paper.SWEEP_GRID), size=size)
        curves.setdefault(subject, []).append(measured)
        rows.append(_row(subject.name, measured.num_docs, _means(measured)))
        if subject.topic == "go":
            theirs = paper.SWEEP_GO_50K if size else paper.SWEEP_GO_FULL
            rows.append(_row("go, paper", paper.SWEEP_SIZE if size else 182_440, theirs))
        for system in qlog(paper.SWEEP_GRID):
            values = {
                name: measured.mean(system, str(measure))
                for name, measure in zip(
                    ("ndcg", "mrr", "recall"), bench.settings.measures, strict=True
                )
            }
            raw.append(
                {
                    "corpus": subject.name,
                    "num_docs": measured.num_docs,
                    "num_queries": measured.num_queries,
                    "htok": measured.stats.htok,
                    "q": float(system.q),
                    **values,
                }
            )
    columns = [
        Column(name)
        for name in ("corpus", "num_docs", "num_queries", "htok", "q", "ndcg", "mrr", "recall")
    ]
    return Findings(
        (
            table("sweep", "NDCG@10 along q", _COLUMNS, rows),
            table("curves", "NDCG, MRR and recall along q", columns, raw, shown=False),
        ),
        (
            Figure(
                "sweep",
                "NDCG@10 along q; dotted line: the q that is predicted from the whole corpus",
                tuple(_panel(subject, found) for subject, found in curves.items()),
            ),
        ),
        paper.REMARKS["sweep"],
    )


def _means(measured: Measured) -> dict[float, float]:
    return {float(system.q): measured.mean(system) for system in qlog(paper.SWEEP_GRID)}


def _row(corpus: str, num_docs: int, means: Mapping[float, float]) -> dict[str, Cell]:
    return {
        "corpus": corpus,
        "num_docs": num_docs,
        **{f"q={q:g}": value for q, value in means.items()},
        # Of equal ones the q nearest BM25.
        "best_q": max(means, key=lambda q: (means[q], q)),
    }


def _panel(subject: Subject, found: list[Measured]) -> Panel:
    series = [
        Series(
            f"{measured.num_docs:,}",
            "line",
            paper.SWEEP_GRID,
            tuple(_means(measured).values()),
            colour=number,
        )
        for number, measured in enumerate(found)
    ]
    if subject.topic == "go":
        for number, (label, curve) in enumerate(
            (("paper, 50,000", paper.SWEEP_GO_50K), ("paper, 182,440", paper.SWEEP_GO_FULL))
        ):
            series.append(
                Series(label, "line", tuple(curve), tuple(curve.values()), number, paper=True)
            )
    return Panel(subject.name, "q", "NDCG@10", tuple(series), mark_x=found[-1].q_pred)


SWEEP = Study(
    "sweep",
    "Sweep: NDCG along q at two sizes",
    "fig. q-sweep",
    "Where along q is the best place, and does it move with the size of the corpus?",
    _run,
    lacks=lacks_collections,
)
