"""What a q that no label helped to choose is worth: the share of the best q's gain it recovers."""

from __future__ import annotations

from qidf.evaluation import BASELINE, QlogSystem
from qidf.studies import paper
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.study import Findings, Study, lacks_collections
from qidf.studies.tables import Cell, Column, interval, table
from qidf.studies.workbench import Measured, Workbench, qlog

_COLUMNS = (
    Column("corpus", "corpus"),
    Column("bm25", "BM25", ".3f"),
    Column("paper_bm25", "paper", ".3f"),
    Column("q_opt", "best q", ".2f"),
    Column("paper_q_opt", "paper", ".2f"),
    Column("ndcg_opt", "NDCG there", ".3f"),
    Column("paper_ndcg_opt", "paper", ".3f"),
    Column("q_pred", "predicted q", ".3f"),
    Column("paper_q_pred", "paper", ".2f"),
    Column("ndcg_pred", "NDCG there", ".3f"),
    Column("paper_ndcg_pred", "paper", ".3f"),
    Column("delta", "delta to BM25", "+.4f"),
    Column("ci95", "95% interval"),
    Column("recovery", "recovery", ".1%"),
    Column("paper_recovery", "paper", ".1%"),
)
AUTO = QlogSystem("auto")


def oracle(measured: Measured) -> QlogSystem:
    """The best q of the paper's grid; text sets have 1.1 as well."""
    return measured.best(grid(measured.subject.source.is_text))


def grid(text: bool) -> list[QlogSystem]:
    """The grid that oracles are chosen from."""
    return qlog((*paper.LABEL_GRID, paper.TEXT_Q) if text else paper.LABEL_GRID)


def recovery(measured: Measured, best: QlogSystem, chosen: QlogSystem) -> float | None:
    """The share of the gap between BM25 and the best q that a q closes; None without a gap."""
    gap = measured.mean(best) - measured.mean(BASELINE)
    return (measured.mean(chosen) - measured.mean(BASELINE)) / gap if gap > 0 else None


def _run(bench: Workbench) -> Findings:
    rows: list[dict[str, Cell]] = []
    for subject in bench.track(bench.subjects(), lambda each: each.name):
        measured = bench.measure(subject, [*grid(subject.source.is_text), AUTO])
        rows.append(_row(measured))
    main = table(
        "deployable",
        "BM25, the best q, and the predicted q",
        _COLUMNS,
        rows,
        note="Recovery is the share of the gap from BM25 to the best q of the grid that the"
        " predicted q closes; it is empty where BM25 is the best, can pass 100% where the"
        " predicted q lies between two of the grid, and says little where the gap is small.",
    )
    return Findings((main,), (_figure(rows),), paper.REMARKS["deployable"])


def _row(measured: Measured) -> dict[str, Cell]:
    best = oracle(measured)
    [compared] = measured.compare([AUTO])
    topic = measured.subject.topic or ""
    main, theirs = paper.MAIN.get(topic), paper.DEPLOYABLE.get(topic)
    row: dict[str, Cell] = {
        "corpus": measured.subject.name,
        "bm25": measured.mean(BASELINE),
        "q_opt": float(best.q),
        "ndcg_opt": measured.mean(best),
        "q_pred": measured.q_pred,
        "ndcg_pred": measured.mean(AUTO),
        "delta": compared.delta,
        "ci95": interval(compared.ci95),
        "recovery": recovery(measured, best, AUTO),
    }
    if main is not None and theirs is not None:
        row["paper_bm25"] = main.bm25
        row["paper_q_opt"] = main.q_opt
        row["paper_ndcg_opt"] = main.qlog
        row["paper_q_pred"] = theirs.q_pred
        row["paper_ndcg_pred"] = theirs.ndcg_pred
        row["paper_recovery"] = theirs.recovery
    return row


def _figure(rows: list[dict[str, Cell]]) -> Figure:
    names = tuple(str(row["corpus"]) for row in rows)
    series = tuple(
        Series(label, "bars", names, tuple(_number(row[key]) for row in rows), colour=colour)
        for label, key, colour in (
            ("BM25", "bm25", 6),
            ("predicted q", "ndcg_pred", 0),
            ("best q", "ndcg_opt", 2),
        )
    )
    panel = Panel("BM25, predicted q, best q", "", "NDCG@10", series)
    return Figure("deployable", "NDCG@10 of BM25, of the predicted and of the best q", (panel,))


def _number(value: Cell) -> float:
    return float(value) if isinstance(value, (int, float)) else float("nan")


DEPLOYABLE = Study(
    "deployable",
    "Deployable: the q that is predicted from the corpus",
    "tab. deployable",
    "How much of the best q's gain does the predicted q give?",
    _run,
    lacks=lacks_collections,
)
