"""Whether the right document is among the first K tokens that a language model would be given."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qidf.evaluation import paired_bootstrap, rank_index, recall_at_tokens
from qidf.studies import paper, paper_proxies
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.sources import Subject
from qidf.studies.study import Findings, Study, lacks_code
from qidf.studies.tables import Cell, Column, interval, table
from qidf.studies.workbench import Workbench, qlog
from qidf.token_counts import TokenCounter, token_counter
from qidf.weighting import PAPER, wanted

# Go's docstrings have some 25 tokens, so that about 700 of them are 16,000; a table column says
# how many lists end before the budget does.
DEPTH = 1_000
_PERCENTILES = (25, 50, 75, 99)
_COLUMNS = (
    Column("corpus", "corpus"),
    Column("depth", "list ends at", ",d"),
    Column("budget", "budget K", ",d"),
    Column("q", "q", ".3f"),
    Column("bm25", "BM25", ".4f"),
    Column("paper_bm25", "paper", ".4f"),
    Column("qlog", "q-log", ".4f"),
    Column("paper_qlog", "paper", ".4f"),
    Column("delta", "delta", "+.4f"),
    Column("paper_delta", "paper", "+.4f"),
    Column("ci95", "95% interval"),
    Column("unfilled", "lists that end first", ".0%"),
)


def _run(bench: Workbench) -> Findings:
    counter = token_counter(exact=False)
    rows: list[dict[str, Cell]] = []
    sizes: list[dict[str, Cell]] = []
    panels: list[Panel] = []
    for subject in bench.track(bench.code(), lambda each: each.name):
        counts = _token_counts(bench, subject, counter)
        values = np.percentile(counts, _PERCENTILES)
        sizes.append(
            {
                "corpus": subject.name,
                **{f"p{at}": float(each) for at, each in zip(_PERCENTILES, values, strict=True)},
            }
        )
        found = _rows(bench, subject, counts)
        rows += found
        panels += _panels(subject, found)
    counted = (
        f"Documents are counted in tokens of {counter.name}."
        if counter.exact
        else f"Token counts are an {counter.name}, since the extra qidf[tokens] isn't installed."
    )
    return Findings(
        (
            table(
                "budget",
                "Recall within K tokens",
                _COLUMNS,
                rows,
                note=f"{counted} The first q of a corpus is the paper's, or else the best of its"
                " grid by NDCG@10; the second is the predicted one. The paper's lists end at"
                f" {paper_proxies.BUDGET_DEPTH} documents.",
            ),
            table(
                "tokens",
                "Tokens of a document",
                (
                    Column("corpus"),
                    *(Column(f"p{at}", f"{at}% have at most", ",.0f") for at in _PERCENTILES),
                ),
                sizes,
            ),
        ),
        (
            Figure(
                "budget",
                "Recall within K tokens",
                tuple(panels),
            ),
        ),
        paper_proxies.PROXY_REMARKS["budget"],
    )


def _token_counts(bench: Workbench, subject: Subject, counter: TokenCounter) -> np.ndarray:
    """Tokens of each document in the collection's order; counting takes long, so it is kept."""
    documents = bench.dataset(subject).documents
    key = {"data": bench.digests[subject.source.name], "tokens": counter.name}
    saved = bench.store.arrays(key)
    if saved is None:
        saved = {"counts": counter.count_batch(documents.texts)}
        bench.store.put_arrays(key, saved)
    by_id = dict(zip(documents.ids, saved["counts"].tolist(), strict=True))
    return np.array([by_id[doc_id] for doc_id in bench.collection(subject).doc_ids], np.int64)


def _rows(bench: Workbench, subject: Subject, counts: np.ndarray) -> list[dict[str, Cell]]:
    measured = bench.measure(subject, qlog(paper.LABEL_GRID))
    fixed = paper_proxies.BUDGET_Q.get(subject.topic or "")
    best = float(measured.best(qlog(paper.LABEL_GRID)).q) if fixed is None else fixed
    cuts = [
        (depth, budget)
        for depth in (paper_proxies.BUDGET_DEPTH, DEPTH)
        for budget in paper_proxies.BUDGETS
    ]
    theirs = dict(zip(cuts, paper_proxies.BUDGET_RECALL.get(subject.topic or "", ()), strict=False))
    plain = _Ranked(bench, subject, 1.0, counts)
    bm25 = np.array([plain.recall(*cut) for cut in cuts])
    rows: list[dict[str, Cell]] = []
    for q in (best, measured.q_pred):
        ranked = _Ranked(bench, subject, q, counts)
        qlog_recall = np.array([ranked.recall(*cut) for cut in cuts])
        # One set of resamples for all: differences to BM25 are differences to nothing, minus it.
        compared = paired_bootstrap(
            np.zeros(bm25.shape[1]),
            qlog_recall - bm25,
            resamples=bench.settings.resamples,
            seed=bench.settings.seed,
        )
        for at, cut in enumerate(cuts):
            row: dict[str, Cell] = {
                "corpus": subject.name,
                "depth": cut[0],
                "budget": cut[1],
                "q": q,
                "bm25": float(bm25[at].mean()),
                "qlog": float(qlog_recall[at].mean()),
                "delta": compared[at].delta,
                "ci95": interval(compared[at].ci95),
                "unfilled": ranked.unfilled(*cut),
            }
            if cut in theirs and q == best:
                row["paper_bm25"], row["paper_qlog"] = theirs[cut]
                row["paper_delta"] = theirs[cut][1] - theirs[cut][0]
            rows.append(row)
    return rows


class _Ranked:
    """A subject's queries ranked at one q, deep enough for the largest budget."""

    def __init__(self, bench: Workbench, subject: Subject, q: float, counts: np.ndarray) -> None:
        collection = bench.collection(subject)
        self._relevance = collection.relevance
        self._counts = counts
        self._positions = rank_index(collection, DEPTH, wanted(PAPER, q=q)).positions

    def recall(self, depth: int, budget: int) -> np.ndarray:
        """Each query's recall within a budget, of lists cut at a depth."""
        return recall_at_tokens(self._relevance, self._positions[:, :depth], self._counts, budget)

    def unfilled(self, depth: int, budget: int) -> float:
        """The share of lists that end before the budget does."""
        cut = self._positions[:, :depth]
        sizes = np.where(cut >= 0, self._counts[cut], 0)
        return float((sizes.sum(axis=1) <= budget).mean())


def _panels(subject: Subject, rows: list[dict[str, Cell]]) -> Iterator[Panel]:
    """Lists as long as the paper's, with its bars where it has them; and long ones."""
    names = tuple(f"{budget // 1000}K" for budget in paper_proxies.BUDGETS)
    best = rows[0]["q"]
    for depth in (paper_proxies.BUDGET_DEPTH, DEPTH):
        cut = [row for row in rows if row["depth"] == depth]
        first, second = cut[: len(names)], cut[len(names) :]
        series = [
            Series("BM25", "bars", names, _values(first, "bm25"), 6),
            Series("q-log", "bars", names, _values(first, "qlog"), 0),
            Series("q-log, predicted q", "bars", names, _values(second, "qlog"), 3),
        ]
        if "paper_bm25" in first[0]:
            for label, key, colour in (
                ("BM25, paper", "paper_bm25", 6),
                ("q-log, paper", "paper_qlog", 0),
            ):
                values = _values(first, key)
                series.append(Series(label, "bars", names, values, colour, paper=True))
        title = f"{subject.name}, q = {best:g}, lists of {depth:,}"
        yield Panel(title, "tokens", "recall", tuple(series))


def _values(rows: list[dict[str, Cell]], key: str) -> tuple[float, ...]:
    return tuple(float(row[key] or 0.0) for row in rows)


BUDGET = Study(
    "budget",
    "Budget: recall within a context window",
    "fig. recall@K-tokens",
    "How often is the right document among the first K tokens?",
    _run,
    lacks=lacks_code,
)
