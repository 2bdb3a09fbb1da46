"""BM25 against q-log at the best q of a grid, corpus by corpus, with text as negative control."""

from __future__ import annotations

from qidf.evaluation import BASELINE, Comparison, QlogSystem
from qidf.studies import paper
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.sources import Subject
from qidf.studies.study import Findings, Study, lacks_collections
from qidf.studies.tables import Cell, Column, Table, interval, table
from qidf.studies.workbench import Measured, Workbench, qlog

_COLUMNS = (
    Column("corpus", "corpus"),
    Column("num_docs", "N", ",d"),
    Column("paper_num_docs", "paper", ",d"),
    Column("num_queries", "queries", ",d"),
    Column("htok", "htok", ".4f"),
    Column("paper_htok", "paper", ".4f"),
    Column("q", "q", ".2f"),
    Column("paper_q", "paper", ".2f"),
    Column("bm25", "BM25", ".3f"),
    Column("paper_bm25", "paper", ".3f"),
    Column("qlog", "q-log", ".3f"),
    Column("paper_qlog", "paper", ".3f"),
    Column("delta", "delta", "+.3f"),
    Column("paper_delta", "paper", "+.3f"),
    Column("relative", "relative", "+.1%"),
    Column("ci95", "95% interval"),
    Column("paper_ci95", "paper"),
    Column("p", "p"),
)
_GRID_COLUMNS = (
    Column("corpus"),
    Column("q", "", "g"),
    Column("ndcg", "NDCG@10", ".4f"),
    Column("mrr", "MRR@10", ".4f"),
    Column("recall", "recall@100", ".4f"),
    Column("delta", "", "+.4f"),
    Column("low", "", "+.4f"),
    Column("high", "", "+.4f"),
    Column("p", "", "g"),
)


def _run(bench: Workbench) -> Findings:
    rows: list[dict[str, Cell]] = []
    grid: list[dict[str, Cell]] = []
    per_query: list[Table] = []
    gains: list[tuple[Subject, float, Comparison]] = []
    for subject in bench.track(bench.subjects(all_forms=True), lambda each: each.name):
        systems = qlog(paper.LABEL_GRID)
        if subject.source.is_text:
            systems.append(QlogSystem(paper.TEXT_Q))
        measured = bench.measure(subject, [*systems, QlogSystem("auto")])
        oracle = measured.best(systems)
        compared = dict(zip(systems, measured.compare(systems), strict=True))
        shown = [oracle]
        if subject.source.is_text:
            shown.append(QlogSystem(paper.TEXT_Q))
        for system in shown:
            rows.append(_row(measured, system, compared[system]))
        gains.append((subject, measured.mean(BASELINE), compared[oracle]))
        grid += [_grid_row(measured, system, compared[system]) for system in systems]
        per_query.append(_per_query(measured, oracle))
    main = table(
        "main",
        "NDCG@10 of BM25 and of q-log at the best q",
        _COLUMNS,
        rows,
        note="The best q is chosen on the very queries it is measured on, so that it is an upper"
        " bound and its interval is conditional on the choice. Text sets have a second row at the"
        " q that the paper gives them.",
    )
    raw = table("grid", "Every q of the grid", _GRID_COLUMNS, grid, shown=False)
    notes = paper.REMARKS["main"]
    return Findings((main, raw, *per_query), (_figure(gains),), notes)


def _row(measured: Measured, system: QlogSystem, compared: Comparison) -> dict[str, Cell]:
    theirs = paper.MAIN.get(measured.subject.topic or "")
    bm25 = measured.mean(BASELINE)
    ours: dict[str, Cell] = {
        "corpus": measured.subject.name,
        "num_docs": measured.num_docs,
        "num_queries": measured.num_queries,
        "htok": measured.stats.htok,
        "q": float(system.q),
        "bm25": bm25,
        "qlog": measured.mean(system),
        "delta": compared.delta,
        "relative": compared.delta / bm25 if bm25 else None,
        "ci95": interval(compared.ci95),
        "p": compared.p_text if system != BASELINE else None,
    }
    if theirs is None or (theirs.q_opt > 1 and system.q != theirs.q_opt):
        return ours
    return {
        **ours,
        "paper_num_docs": theirs.num_docs,
        "paper_htok": theirs.htok,
        "paper_q": theirs.q_opt,
        "paper_bm25": theirs.bm25,
        "paper_qlog": theirs.qlog,
        "paper_delta": theirs.delta,
        "paper_ci95": interval(theirs.ci95) or "spans zero",
    }


def _grid_row(measured: Measured, system: QlogSystem, compared: Comparison) -> dict[str, Cell]:
    ndcg, mrr, recall = (str(measure) for measure in measured.settings.measures)
    return {
        "corpus": measured.subject.name,
        "q": float(system.q),
        "ndcg": measured.mean(system, ndcg),
        "mrr": measured.mean(system, mrr),
        "recall": measured.mean(system, recall),
        "delta": compared.delta,
        "low": compared.ci95[0],
        "high": compared.ci95[1],
        "p": compared.p,
    }


def _per_query(measured: Measured, oracle: QlogSystem) -> Table:
    values = [
        measured.per_query(system).round(6).tolist()
        for system in (BASELINE, oracle, QlogSystem("auto"))
    ]
    subject = measured.subject
    stem = "-".join(part for part in ("queries", subject.source.name, subject.form) if part)
    return Table(
        stem.replace("/", "-"),
        f"NDCG@10 of each query of {subject.name}",
        (
            Column("query_id"),
            Column("bm25"),
            Column(f"best_{oracle.name}"),
            Column(f"predicted_q={measured.q_pred:.4f}"),
        ),
        tuple(zip(measured.query_ids, *values, strict=True)),
        shown=False,
        packed=True,
    )


def _figure(gains: list[tuple[Subject, float, Comparison]]) -> Figure:
    names = tuple(subject.name for subject, _, _ in gains)
    ours = Series(
        "ours",
        "bars",
        names,
        tuple(each.delta for _, _, each in gains),
        colour=0,
        low=tuple(each.ci95[0] for _, _, each in gains),
        high=tuple(each.ci95[1] for _, _, each in gains),
    )
    known = [
        (subject.name, paper.MAIN[subject.topic].delta)
        for subject, _, _ in gains
        if subject.topic is not None and subject.topic in paper.MAIN and not subject.source.is_text
    ]
    series = [ours]
    if known:
        series.append(
            Series(
                "paper",
                "bars",
                tuple(name for name, _ in known),
                tuple(delta for _, delta in known),
                colour=1,
                paper=True,
            )
        )
    panel = Panel("Gain at the best q", "", "delta NDCG@10", tuple(series), zero_line=True)
    return Figure("gains", "Gain of q-log over BM25 at the best q, 95% intervals", (panel,))


MAIN_RESULTS = Study(
    "main",
    "Main results: BM25 against q-log at the best q",
    "tab. main results",
    "How much does q-log gain over BM25 at the best q of the grid, and is that more than luck?",
    _run,
    lacks=lacks_collections,
)
