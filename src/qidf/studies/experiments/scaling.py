"""The gain at q = 0.10 as the corpus grows."""

from __future__ import annotations

from itertools import pairwise

from qidf.evaluation import BASELINE, Comparison, QlogSystem
from qidf.studies import paper
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.ladder import sizes_below
from qidf.studies.sources import PUBLISHED, Subject
from qidf.studies.study import Findings, Study, lacks_code
from qidf.studies.tables import Cell, Column, interval, ratio, table
from qidf.studies.workbench import Measured, Workbench

_COLUMNS = (
    Column("corpus", "corpus"),
    Column("num_docs", "N", ",d"),
    Column("num_queries", "queries", ",d"),
    Column("htok", "htok", ".4f"),
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
_SYSTEM = QlogSystem(paper.CONSERVATIVE_Q)


def _run(bench: Workbench) -> Findings:
    jobs = [
        (subject, size) for subject in bench.code() for size in sizes_below(bench.num_docs(subject))
    ]
    rows: list[dict[str, Cell]] = []
    found: dict[Subject, list[tuple[Measured, Comparison]]] = {}
    for subject, size in bench.track(jobs, lambda job: f"{job[0].name} {job[1] or ''}"):
        measured = bench.measure(subject, [_SYSTEM], size=size)
        [compared] = measured.compare([_SYSTEM])
        found.setdefault(subject, []).append((measured, compared))
        rows.append(_row(measured, compared, last=size is None))
    main = table(
        "scaling",
        f"BM25 and q = {paper.CONSERVATIVE_Q:.2f} as the corpus grows",
        _COLUMNS,
        rows,
        note="Each size is contained in the next: relevant documents of the queries first, queries"
        " in the order of a digest of their ids, then other documents in the order of a digest of"
        " theirs. The paper's table is on Go.",
    )
    return Findings((main,), (_figure(found),), tuple(_growth(*each) for each in found.items()))


def _row(measured: Measured, compared: Comparison, *, last: bool) -> dict[str, Cell]:
    bm25 = measured.mean(BASELINE)
    row: dict[str, Cell] = {
        "corpus": measured.subject.name,
        "num_docs": measured.num_docs,
        "num_queries": measured.num_queries,
        "htok": measured.stats.htok,
        "bm25": bm25,
        "qlog": measured.mean(_SYSTEM),
        "delta": compared.delta,
        "relative": ratio(measured.mean(_SYSTEM), bm25),
        "ci95": interval(compared.ci95),
        "p": compared.p_text,
    }
    if measured.subject.topic == "go":
        for theirs in paper.SCALING:
            # The whole corpus stands beside the paper's whole corpus, whatever its size.
            if theirs.num_docs == measured.num_docs or (last and theirs is paper.SCALING[-1]):
                row["paper_bm25"] = theirs.bm25
                row["paper_qlog"] = theirs.qlog
                row["paper_delta"] = theirs.delta
                row["paper_ci95"] = interval(theirs.ci95)
    return row


def _growth(subject: Subject, found: list[tuple[Measured, Comparison]]) -> str:
    deltas = [compared.delta for _, compared in found]
    shares = [
        compared.delta / base if (base := measured.mean(BASELINE)) else 0.0
        for measured, compared in found
    ]
    above = sum(compared.ci95[0] > 0 for _, compared in found)
    return (
        f"{subject.name}: from {found[0][0].num_docs:,} documents to {found[-1][0].num_docs:,} the"
        f" gain goes from {deltas[0]:+.3f} to {deltas[-1]:+.3f} ({_course(deltas)}), relative to"
        f" BM25 from {shares[0]:+.1%} to {shares[-1]:+.1%} ({_course(shares)}); {above} of"
        f" {len(found)} intervals lie above zero."
    )


def _course(values: list[float]) -> str:
    grows = len(values) > 1 and all(before < after for before, after in pairwise(values))
    return "growing at every step" if grows else "not growing at every step"


def _figure(found: dict[Subject, list[tuple[Measured, Comparison]]]) -> Figure:
    gains, levels = [], []
    for subject, points in found.items():
        sizes = tuple(float(measured.num_docs) for measured, _ in points)
        gains.append(
            Series(
                subject.name,
                "line",
                sizes,
                tuple(compared.delta for _, compared in points),
                subject.name if subject.form == PUBLISHED else subject.topic or 7,
                low=tuple(compared.ci95[0] for _, compared in points),
                high=tuple(compared.ci95[1] for _, compared in points),
            )
        )
        if subject.topic == "go":
            for label, system, colour in (("BM25", BASELINE, 6), ("q = 0.10", _SYSTEM, 0)):
                means = tuple(measured.mean(system) for measured, _ in points)
                levels.append(Series(label, "line", sizes, means, colour))
    panels = []
    if levels:
        gains.append(_paper_series("go, paper", "delta", "go"))
        levels += [
            _paper_series("BM25, paper", "bm25", 6),
            _paper_series("q = 0.10, paper", "qlog", 0),
        ]
        panels.append(Panel("Go", "documents", "NDCG@10", tuple(levels), log_x=True))
    panels.append(
        Panel(
            "Gain over BM25", "documents", "delta NDCG@10", tuple(gains), log_x=True, zero_line=True
        )
    )
    return Figure("scaling", "NDCG@10 at q = 0.10 as the corpus grows, 95% bands", tuple(panels))


def _paper_series(label: str, name: str, colour: str | int) -> Series:
    sizes = tuple(float(row.num_docs) for row in paper.SCALING)
    values = tuple(float(getattr(row, name)) for row in paper.SCALING)
    return Series(label, "line", sizes, values, colour, paper=True)


SCALING = Study(
    "scaling",
    "Scaling: the gain at q = 0.10 from 1,000 documents to all",
    "tab. Go scaling",
    "Does the gain grow with the corpus?",
    _run,
    lacks=lacks_code,
)
