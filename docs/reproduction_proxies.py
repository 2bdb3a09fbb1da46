"""The rows of docs/reproduction.md that come from runs of their own: budgets, pools, overhead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

RUNS = Path(__file__).resolve().parent.parent / "benchmarks" / "runs"
BUDGET_RUN = RUNS / "budget-2026-11-16-8f7c96c"
STAND_INS_RUN = RUNS / "stand-ins-2026-11-16-f69e5c3"
OVERHEAD_RUN = RUNS / "overhead-2026-11-16-9f8fd59"

STAND_IN = "a stand-in from Debian packages in the original's layout; "
REPOBENCH = {
    "python/cff/easy": ("different sign, no difference", "the interval spans zero"),
    "python/cff/hard": ("same", "no gain; the interval spans zero"),
    "python/cfr/easy": ("same", "a small gain"),
    "python/cfr/hard": ("same sign, smaller", "a gain, a third of the paper's"),
}
LONG_CODE_ARENA = {
    "python": ("same in substance", "no difference that so few issues could show, in either"),
    "java": ("same", "no difference that so few issues could show, in either"),
}
BUDGET = {
    "50": (
        "same sign, larger",
        "lists end at 50 documents as in the paper, so that this is recall@50 at any budget",
    ),
    "1000": ("not in the paper", "lists that go on until the budget is used up"),
}
OVERHEAD = {
    "index build": ("same", "the rescaling is 1% of it; the paper's machine isn't named"),
    "rescale": ("same order", "less than the paper's"),
    "size on disk": (
        "different",
        "our rescaled folder keeps the original scores too, so that they can be restored",
    ),
    "query p50": ("same", "the same code over the same postings"),
    "query p95": ("same", "as p50"),
    "peak memory at query": ("same", "as p50"),
}


def proxies_section(
    run_of: Callable[[Path], Any],
    number: Callable[..., str],
    percent: Callable[[str], str],
    markdown: Callable[..., str],
) -> str:
    """All of them, each under its heading."""
    parts = [
        "## Context budgets (fig. recall@K-tokens)",
        f"Recall within K cl100k_base tokens, Go, q = 0.10 ({_link(BUDGET_RUN, 'budget')}).",
        markdown(_budget(run_of(BUDGET_RUN), number)),
        "## RepoBench-R (sec. RepoBench-R)",
        f"NDCG@10 at q = 0.10, every candidate ranked ({_link(STAND_INS_RUN, 'repobench')})."
        " The original's files could not be had, and no stand-in for its Java cells was built.",
        markdown(_pools(run_of(STAND_INS_RUN), "repobench", REPOBENCH, number, percent)),
        "## Long Code Arena (sec. Long Code Arena)",
        f"NDCG@10 at q = 0.5 ({_link(STAND_INS_RUN, 'lca')})."
        " The original's files could not be had.",
        markdown(_pools(run_of(STAND_INS_RUN), "lca", LONG_CODE_ARENA, number, percent)),
        "## Overhead (app. systems overhead)",
        f"bm25s → bm25s, rescaled ({_link(RUNS, OVERHEAD_RUN.name)}).",
        markdown(_overhead(run_of(OVERHEAD_RUN.parent), number, percent)),
    ]
    return "\n\n".join(parts)


def _link(folder: Path, study: str) -> str:
    page = (folder / study / "README.md").relative_to(RUNS)
    return f"[run](../benchmarks/runs/{page.as_posix()})"


def _budget(run: Any, number: Callable[..., str]) -> list[tuple[str, ...]]:
    rows = []
    for row in run.rows("budget", "budget"):
        if row["q"] != "0.1" or not row["corpus"].startswith("go"):
            continue
        verdict, why = BUDGET[row["depth"]]
        theirs = "–"
        if row["paper_bm25"]:
            theirs = f"{number(row['paper_bm25'])} → {number(row['paper_qlog'])}"
        ours = f"{number(row['bm25'])} → {number(row['qlog'])}, {row['ci95']}"
        name = f"{int(row['budget']):,} tokens, lists of {int(row['depth']):,}"
        rows.append((name, theirs, ours, verdict, why))
    return rows


def _pools(
    run: Any,
    study: str,
    verdicts: dict[str, tuple[str, str]],
    number: Callable[..., str],
    percent: Callable[[str], str],
) -> list[tuple[str, ...]]:
    rows = []
    for row in run.rows(study, study):
        theirs = f"{number(row['paper_bm25'])} → {number(row['paper_qlog'])}"
        theirs += f" ({percent(row['paper_relative'])})"
        if not row["num_queries"]:
            rows.append((row["cell"], theirs, "–", "not run", "data not reachable"))
            continue
        verdict, why = verdicts[row["cell"]]
        ours = f"{number(row['bm25'])} → {number(row['qlog'])} ({percent(row['relative'])}), "
        ours += f"{row['ci95']}, {int(row['num_queries']):,} queries"
        rows.append((row["cell"], theirs, ours, verdict, STAND_IN + why))
    return rows


def _overhead(
    run: Any, number: Callable[..., str], percent: Callable[[str], str]
) -> list[tuple[str, ...]]:
    rows = []
    for row in run.rows(OVERHEAD_RUN.name, "overhead"):
        verdict, why = OVERHEAD[row["measure"]]
        theirs, ours = (
            f"{number(row[before], 2)} → {number(row[after], 2)} {row['unit']}"
            for before, after in (("paper_bm25s", "paper_rescaled"), ("bm25s", "rescaled"))
        )
        if row["qidf"]:
            ours += f"; qidf {number(row['qidf'], 2)} {row['unit']}"
        rows.append((row["measure"], theirs, ours, verdict, why))
    return rows
