"""RepoBench-R: the one snippet among a handful that the next line of a file needs."""

from __future__ import annotations

from qidf.studies import paper_proxies
from qidf.studies.experiments import task_cells
from qidf.studies.figures import Figure
from qidf.studies.study import Findings, Study
from qidf.studies.tables import Cell, ratio
from qidf.studies.workbench import Workbench

_READER = "repobench-r"


def _run(bench: Workbench) -> Findings:
    papers = {cell: _paper(cell) for cell in paper_proxies.REPOBENCH}
    rows, raw = task_cells.measure_cells(bench, _READER, paper_proxies.REPOBENCH_Q, papers)
    main = task_cells.main_table(
        "repobench",
        f"NDCG@10 at q = {paper_proxies.REPOBENCH_Q:g} by cell",
        rows,
        "Every query has a corpus of its own, so that the predicted q differs from query to query."
        " Name cells as repobench-r:python/cff/easy.",
    )
    figure = Figure(
        "repobench",
        "NDCG@10 of BM25 and q-log by cell of RepoBench-R",
        tuple(
            task_cells.panel(
                setting,
                [row for row in rows if f"/{setting}/" in str(row["cell"])],
                paper_proxies.REPOBENCH_Q,
            )
            for setting in ("cff", "cfr")
        ),
    )
    return Findings((main, *raw), (figure,), paper_proxies.PROXY_REMARKS["repobench"])


def _paper(cell: str) -> dict[str, Cell]:
    bm25, qlog = paper_proxies.REPOBENCH[cell]
    return {"paper_bm25": bm25, "paper_qlog": qlog, "paper_relative": ratio(qlog, bm25)}


def _lacks(bench: Workbench) -> str | None:
    if any(source.place.startswith(f"{_READER}:") for source in bench.sources):
        return None
    return "it takes RepoBench-R, such as repobench-r:python/cff/easy, and none is given"


REPOBENCH = Study(
    "repobench",
    "RepoBench-R: small pools of snippets",
    "fig. and sec. RepoBench-R",
    "Does q-log help to find the snippet that the next line needs among 5 to some dozens?",
    _run,
    lacks=_lacks,
)
