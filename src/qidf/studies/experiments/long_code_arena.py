"""Long Code Arena: the files that the fix of an issue changes."""

from __future__ import annotations

from qidf.studies import paper_proxies
from qidf.studies.experiments import task_cells
from qidf.studies.figures import Figure
from qidf.studies.study import Findings, Study
from qidf.studies.tables import Cell, interval
from qidf.studies.workbench import Workbench

_READER = "lca"


def _run(bench: Workbench) -> Findings:
    papers = {cell: _paper(cell) for cell in paper_proxies.ARENA}
    rows, raw = task_cells.measure_cells(bench, _READER, paper_proxies.ARENA_Q, papers)
    main = task_cells.main_table(
        "lca",
        f"NDCG@10 at q = {paper_proxies.ARENA_Q:g} by language",
        rows,
        "Ties are queries to which both give the same NDCG; the paper puts them at about"
        f" {paper_proxies.ARENA_TIES:.0%}. Name languages as lca:python, with a folder for their"
        " repositories (--repos).",
    )
    figure = Figure(
        "lca",
        "NDCG@10 of BM25 and q-log on Long Code Arena",
        (task_cells.panel("Bug localisation", rows, paper_proxies.ARENA_Q),),
    )
    return Findings((main, *raw), (figure,), paper_proxies.PROXY_REMARKS["lca"])


def _paper(cell: str) -> dict[str, Cell]:
    theirs = paper_proxies.ARENA[cell]
    return {
        "paper_num_queries": theirs.num_queries,
        "paper_bm25": theirs.bm25,
        "paper_qlog": theirs.qlog,
        "paper_relative": theirs.relative,
        "paper_ci95": interval(theirs.ci95),
    }


def _lacks(bench: Workbench) -> str | None:
    if any(source.place.startswith(f"{_READER}:") for source in bench.sources):
        return None
    return "it takes Long Code Arena, such as lca:python, and none is given"


LONG_CODE_ARENA = Study(
    "lca",
    "Long Code Arena: the files that a fix changes",
    "sec. Long Code Arena",
    "Does q-log help to find the files that the fix of an issue changes?",
    _run,
    lacks=_lacks,
)
