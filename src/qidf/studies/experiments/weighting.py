"""The default weighting beside BM25, the paper's method and the best q that labels can choose."""

from __future__ import annotations

import numpy as np

from qidf.evaluation import BASELINE, QlogSystem, WeightingSystem
from qidf.studies import paper
from qidf.studies.sources import Subject
from qidf.studies.study import Findings, Study, lacks_collections
from qidf.studies.tables import Cell, Column, interval, table
from qidf.studies.workbench import Measured, Workbench, qlog
from qidf.weighting import AUTO, Weighting, kind_of

DEFAULT = WeightingSystem(AUTO)
PAPER_AUTO = QlogSystem("auto")
# Whether a stop list is there is the analyzer's business, not the weighting's: text sets are
# measured both ways, since engines that are not ours mostly have none.
STOP_WORDS_KEPT = "generic(stopwords=none)"

_COLUMNS = (
    Column("corpus", "corpus"),
    Column("stop_words", "stop words"),
    Column("num_docs", "documents", ",d"),
    Column("num_queries", "queries", ",d"),
    Column("code", "code", ".1%"),
    Column("bm25", "BM25", ".3f"),
    Column("paper", "paper", ".3f"),
    Column("q_full", "best q", ".2f"),
    Column("best_full", "NDCG there", ".3f"),
    Column("q_k3", "best q, k3 = 1", ".2f"),
    Column("best_k3", "NDCG there", ".3f"),
    Column("each_full", "best q of each query", ".3f"),
    Column("auto", "auto", ".3f"),
    Column("delta", "auto to BM25", "+.4f"),
    Column("low", "95% from", "+.4f"),
    Column("high", "to", "+.4f"),
    Column("to_best", "auto to best q, k3 = 1", "+.4f"),
    Column("to_best_ci95", "95% interval"),
    Column("share", "share of its gain", ".2f"),
)


def saturated(qs: tuple[float, ...]) -> list[WeightingSystem]:
    """A system for each q with repeats saturated at k3 = 1, whatever the query is."""
    return [WeightingSystem(Weighting("qlog1p", q, 1.0)) for q in qs]


def _run(bench: Workbench) -> Findings:
    rows: list[dict[str, Cell]] = []
    for subject in bench.track(bench.subjects(all_forms=True), lambda each: each.name):
        rows.append(_row(bench, subject, None))
        if not _is_code(rows[-1]):
            rows.append(_row(bench, subject, STOP_WORDS_KEPT))
    main = table(
        "weighting",
        "NDCG@10 of BM25, the paper's method, the best q and auto",
        _COLUMNS,
        rows,
        note="*code* is the share of queries that are taken for code. *paper* is the q predicted"
        " from the corpus, with repeats counted in full. *best q* is the best of the paper's grid,"
        " chosen with the labels of the very queries it is measured on: one for all queries, with"
        " repeats in full or saturated at k3 = 1 with ln_q(1 + odds), or one for each query with"
        " repeats in full. *share* is the part of the gain of the best q at k3 = 1 over BM25 that"
        " auto, which sees no label, gives; it is empty where that q gains nothing.",
    )
    return Findings((main,), (), _notes(rows))


def _row(bench: Workbench, subject: Subject, analyzer: str | None) -> dict[str, Cell]:
    full, kept = qlog(paper.LABEL_GRID), saturated(paper.LABEL_GRID)
    measured = bench.measure(subject, [*full, *kept, PAPER_AUTO, DEFAULT], analyzer=analyzer)
    best_full, best_kept = measured.best(full), measured.best(kept)
    [to_bm25] = measured.compare([DEFAULT])
    [to_best] = measured.compare([DEFAULT], best_kept)
    texts = bench.dataset(subject).queries.texts
    each = np.max([measured.per_query(system) for system in full], axis=0)
    return {
        "corpus": subject.name,
        "stop_words": "kept" if analyzer == STOP_WORDS_KEPT else "dropped",
        "num_docs": measured.num_docs,
        "num_queries": measured.num_queries,
        "code": sum(kind_of(text) == "code" for text in texts) / len(texts),
        "bm25": measured.mean(BASELINE),
        "paper": measured.mean(PAPER_AUTO),
        "q_full": float(best_full.q),
        "best_full": measured.mean(best_full),
        "q_k3": float(best_kept.weighting.q or 1.0),
        "best_k3": measured.mean(best_kept),
        "each_full": float(each.mean()),
        "auto": measured.mean(DEFAULT),
        "delta": to_bm25.delta,
        "low": to_bm25.ci95[0],
        "high": to_bm25.ci95[1],
        "to_best": to_best.delta,
        "to_best_ci95": interval(to_best.ci95),
        "share": _share(measured, best_kept),
    }


def _share(measured: Measured, best: WeightingSystem) -> float | None:
    gap = measured.mean(best) - measured.mean(BASELINE)
    return (measured.mean(DEFAULT) - measured.mean(BASELINE)) / gap if gap > 0 else None


def _notes(rows: list[dict[str, Cell]]) -> tuple[str, ...]:
    """Sentences that count: over sets whose queries are mostly code, and over the others."""
    code = [row for row in rows if _is_code(row)]
    text = [row for row in rows if not _is_code(row)]
    notes = []
    if code:
        shares = [_number(row["share"]) for row in code if row["share"] is not None]
        notes.append(
            f"auto is above BM25 with an interval above zero on {sum(map(_gains, code))} of"
            f" {len(code)} sets whose queries are code, below with one below zero on"
            f" {sum(map(_loses, code))}; the mean share of the gain of the best q at k3 = 1 is"
            f" {np.mean(shares):.2f}, the least {min(shares):.2f}."
            if shares
            else f"The best q at k3 = 1 gains nothing on the {len(code)} sets of code."
        )
    if text:
        notes.append(
            f"On {len(text)} sets whose queries are text auto is below BM25 with an interval below"
            f" zero on {sum(map(_loses, text))}, above with one above zero on"
            f" {sum(map(_gains, text))}."
        )
    return tuple(notes)


def _is_code(row: dict[str, Cell]) -> bool:
    return _number(row["code"]) > 0.5


def _gains(row: dict[str, Cell]) -> bool:
    return _number(row["low"]) > 0


def _loses(row: dict[str, Cell]) -> bool:
    return _number(row["high"]) < 0


def _number(value: Cell) -> float:
    return float(value) if isinstance(value, (int, float)) else float("nan")


WEIGHTING = Study(
    "weighting",
    "Weighting: what the default does, beside BM25, the paper and labels",
    "not in the paper",
    "What does `auto` gain or lose, and how much of what labels would choose?",
    _run,
    lacks=lacks_collections,
)
