"""How often a few labelled queries pick a good q, and whether they know when they can't."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qidf.evaluation import BASELINE, FALLBACK_GRID, QlogSystem, Verdict, choose
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.paper_proxies import PROXY_REMARKS
from qidf.studies.study import Findings, Study, lacks_collections
from qidf.studies.tables import Cell, Column, table
from qidf.studies.workbench import Measured, Workbench, qlog

# From what one labels over coffee to what takes a week.
SAMPLE_SIZES = (10, 20, 50, 100, 200, 500)
SAMPLES = 200
# Enough for verdicts that are only counted.
RESAMPLES = 1_000
# As in evaluation/choice.py: less than this is nothing to act on.
GOOD = 0.01
_AUTO = QlogSystem("auto")
_COLUMNS = (
    Column("corpus", "corpus"),
    Column("size", "queries labelled", ",d"),
    Column("naive_good", "best of grid is good", ".0%"),
    Column("answered", "tune answers", ".0%"),
    Column("answers_good", "answers that are good", ".0%"),
    Column("tuned", "says: another q", ".0%"),
    Column("predicted", "says: predicted q", ".0%"),
    Column("bm25", "says: BM25", ".0%"),
    Column("no_difference", "says: no matter", ".0%"),
    Column("loss_naive", "loss, best of grid", ".4f"),
    Column("loss_tune", "loss, tune or else predicted", ".4f"),
    Column("loss_predicted", "loss, predicted", ".4f"),
    Column("loss_bm25", "loss, BM25", ".4f"),
)


@dataclass(frozen=True, slots=True)
class Trials:
    """What samples of one size said: verdicts, and losses of NDCG against the best q there is."""

    size: int
    verdicts: Counter[Verdict]
    naive: np.ndarray
    tuned: np.ndarray
    answered: np.ndarray


def _run(bench: Workbench) -> Findings:
    rows: list[dict[str, Cell]] = []
    panels = []
    notes = list(PROXY_REMARKS["tune"])
    for subject in bench.track(bench.subjects(), lambda each: each.name):
        measured = bench.measure(subject, [*qlog(FALLBACK_GRID), _AUTO])
        sizes = [size for size in SAMPLE_SIZES if 2 * size <= measured.num_queries]
        if not sizes:
            notes.append(f"{subject.name} has too few queries to draw samples from.")
            continue
        found = [_rehearse(measured, size, bench.settings.seed) for size in sizes]
        rows += [_row(measured, trials) for trials in found]
        panels.append(_panel(measured, found))
    main = table(
        "tune",
        "What a small labelled set is worth",
        _COLUMNS,
        rows,
        note=f"{SAMPLES} samples of each size, q from"
        f" {', '.join(f'{q:g}' for q in FALLBACK_GRID)}. A q is good if its mean NDCG@10 over all"
        f" queries is within {GOOD:g} of the best of these and the predicted one; a loss is the"
        " mean distance to that best. `tune` is `qidf tune`, which refuses where a sample can't"
        " tell, and then the predicted q is used.",
    )
    figure = Figure(
        "tune", "Loss of NDCG@10 against the best q, by queries labelled", tuple(panels)
    )
    return Findings((main,), (figure,) if panels else (), tuple(notes))


def _losses(measured: Measured) -> tuple[np.ndarray, float, float]:
    """What each q of the grid, the predicted q and BM25 lose against the best of them."""
    means = np.array([measured.mean(system) for system in qlog(FALLBACK_GRID)])
    predicted, bm25 = measured.mean(_AUTO), measured.mean(BASELINE)
    best = max(float(means.max()), predicted)
    return best - means, best - predicted, best - bm25


def _rehearse(measured: Measured, size: int, seed: int) -> Trials:
    """Draw samples of a size and let each of them choose."""
    grid = np.array([measured.per_query(system) for system in qlog(FALLBACK_GRID)])
    bm25, predicted = measured.per_query(BASELINE), measured.per_query(_AUTO)
    on_grid, of_predicted, of_bm25 = _losses(measured)
    draw = np.random.default_rng([seed, size])
    verdicts: Counter[Verdict] = Counter()
    naive, tuned, answered = np.empty(SAMPLES), np.empty(SAMPLES), np.empty(SAMPLES, bool)
    for at in range(SAMPLES):
        sample = draw.choice(measured.num_queries, size, replace=False)
        choice = choose(
            grid[:, sample], bm25[sample], predicted[sample], resamples=RESAMPLES, seed=seed
        )
        verdicts[choice.verdict] += 1
        naive[at] = on_grid[choice.best]
        answered[at] = choice.verdict != "too-small"
        tuned[at] = {"tuned": on_grid[choice.best], "bm25": of_bm25}.get(
            choice.verdict, of_predicted
        )
    return Trials(size, verdicts, naive, tuned, answered)


def _row(measured: Measured, trials: Trials) -> dict[str, Cell]:
    _, of_predicted, of_bm25 = _losses(measured)
    answers = trials.tuned[trials.answered]
    return {
        "corpus": measured.subject.name,
        "size": trials.size,
        "naive_good": float((trials.naive <= GOOD).mean()),
        "answered": float(trials.answered.mean()),
        "answers_good": float((answers <= GOOD).mean()) if answers.size else None,
        "tuned": trials.verdicts["tuned"] / SAMPLES,
        "predicted": trials.verdicts["predicted"] / SAMPLES,
        "bm25": trials.verdicts["bm25"] / SAMPLES,
        "no_difference": trials.verdicts["no-difference"] / SAMPLES,
        "loss_naive": float(trials.naive.mean()),
        "loss_tune": float(trials.tuned.mean()),
        "loss_predicted": of_predicted,
        "loss_bm25": of_bm25,
    }


def _panel(measured: Measured, found: Sequence[Trials]) -> Panel:
    sizes = tuple(float(trials.size) for trials in found)
    _, of_predicted, of_bm25 = _losses(measured)
    lines = (
        ("best of the grid", tuple(float(each.naive.mean()) for each in found), 0),
        ("qidf tune, else predicted", tuple(float(each.tuned.mean()) for each in found), 1),
        ("predicted", (of_predicted,) * len(found), 3),
        ("BM25", (of_bm25,) * len(found), 6),
    )
    return Panel(
        measured.subject.name,
        "queries labelled",
        "loss of NDCG@10",
        tuple(Series(label, "line", sizes, values, colour) for label, values, colour in lines),
        log_x=True,
        zero_line=True,
    )


TUNE = Study(
    "tune",
    "Tune: the fallback grid on a small labelled set",
    "sec. limitations",
    "How many labelled queries does it take to pick a good q, and what if there are fewer?",
    _run,
    lacks=lacks_collections,
)
