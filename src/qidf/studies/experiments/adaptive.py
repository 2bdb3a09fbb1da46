"""The predicted q against a fixed one as the corpus grows."""

from __future__ import annotations

from qidf.evaluation import BASELINE, QlogSystem
from qidf.studies import paper
from qidf.studies.experiments.deployable import AUTO
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.ladder import sizes_below
from qidf.studies.sources import STRIPPED, Subject
from qidf.studies.study import Findings, Study, lacks_code
from qidf.studies.tables import Cell, Column, interval, ratio, table
from qidf.studies.workbench import Measured, Workbench, qlog

_COLUMNS = (
    Column("corpus", "corpus"),
    Column("num_docs", "N", ",d"),
    Column("bm25", "BM25", ".3f"),
    Column("paper_bm25", "paper", ".3f"),
    Column("static", "q = 0.7", ".3f"),
    Column("paper_static", "paper", ".3f"),
    Column("adaptive", "predicted q", ".3f"),
    Column("paper_adaptive", "paper", ".3f"),
    Column("q_pred", "that q", ".3f"),
    Column("q_opt", "best q", ".2f"),
    Column("static_relative", "q = 0.7 to BM25", "+.1%"),
    Column("adaptive_relative", "predicted to BM25", "+.1%"),
    Column("ci95", "95% interval of predicted"),
)
_STATIC = QlogSystem(paper.STATIC_Q)


def _run(bench: Workbench) -> Findings:
    jobs = [
        (subject, size) for subject in bench.code() for size in sizes_below(bench.num_docs(subject))
    ]
    rows: list[dict[str, Cell]] = []
    found: dict[Subject, list[Measured]] = {}
    for subject, size in bench.track(jobs, lambda job: f"{job[0].name} {job[1] or ''}"):
        measured = bench.measure(subject, [_STATIC, AUTO, *qlog(paper.LABEL_GRID)], size=size)
        found.setdefault(subject, []).append(measured)
        rows.append(_row(measured, last=size is None))
    main = table(
        "adaptive",
        "BM25, q = 0.7 and the predicted q as the corpus grows",
        _COLUMNS,
        rows,
        note="The predicted q is that of the corpus at each size. The paper's figure is on Python"
        " as published, where a query contains the document it looks for.",
    )
    notes = [_outcome(subject, points) for subject, points in found.items()]
    return Findings((main,), (_figure(found),), (*paper.REMARKS["adaptive"], *notes))


def _row(measured: Measured, *, last: bool) -> dict[str, Cell]:
    bm25 = measured.mean(BASELINE)
    [compared] = measured.compare([AUTO])
    row: dict[str, Cell] = {
        "corpus": measured.subject.name,
        "num_docs": measured.num_docs,
        "bm25": bm25,
        "static": measured.mean(_STATIC),
        "adaptive": measured.mean(AUTO),
        "q_pred": measured.q_pred,
        "q_opt": float(measured.best(qlog(paper.LABEL_GRID)).q),
        "static_relative": ratio(measured.mean(_STATIC), bm25),
        "adaptive_relative": ratio(measured.mean(AUTO), bm25),
        "ci95": interval(compared.ci95),
    }
    if _is_papers(measured.subject):
        for theirs in paper.ADAPTIVE:
            if theirs.num_docs == measured.num_docs or (last and theirs is paper.ADAPTIVE[-1]):
                row["paper_bm25"] = theirs.bm25
                row["paper_static"] = theirs.static
                row["paper_adaptive"] = theirs.adaptive
    return row


def _is_papers(subject: Subject) -> bool:
    return subject.topic == "python" and subject.form != STRIPPED


def _outcome(subject: Subject, points: list[Measured]) -> str:
    below = [each.num_docs for each in points if each.mean(AUTO) < each.mean(BASELINE)]
    if not below:
        return f"{subject.name}: the predicted q is at or above BM25 at every size."
    sizes = ", ".join(f"{size:,}" for size in below)
    return f"{subject.name}: the predicted q is below BM25 at {sizes} documents."


def _figure(found: dict[Subject, list[Measured]]) -> Figure:
    panels = []
    for subject, points in found.items():
        sizes = tuple(float(each.num_docs) for each in points)
        series = [
            Series(label, "line", sizes, tuple(each.mean(system) for each in points), colour)
            for label, system, colour in (
                ("BM25", BASELINE, 6),
                ("q = 0.7", _STATIC, 3),
                ("predicted q", AUTO, 0),
            )
        ]
        if _is_papers(subject):
            theirs = tuple(float(row.num_docs) for row in paper.ADAPTIVE)
            for name, colour in (("bm25", 6), ("static", 3), ("adaptive", 0)):
                values = tuple(float(getattr(row, name)) for row in paper.ADAPTIVE)
                label = "paper" if name == "bm25" else ""
                series.append(Series(label, "line", theirs, values, colour, paper=True))
        panels.append(Panel(subject.name, "documents", "NDCG@10", tuple(series), log_x=True))
    return Figure("adaptive", "A fixed and a predicted q as the corpus grows", tuple(panels))


ADAPTIVE = Study(
    "adaptive",
    "Adaptive: a predicted q against a fixed one as the corpus grows",
    "fig. adaptive q",
    "Does the predicted q stay at or above BM25 where a fixed q falls below?",
    _run,
    lacks=lacks_code,
)
