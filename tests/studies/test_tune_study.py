"""Rehearsals of tuning: samples choose, and everything is measured on all queries."""

from __future__ import annotations

import numpy as np
import pytest
from study_data import MakeBench

from qidf.evaluation import FALLBACK_GRID, QlogSystem
from qidf.studies import find_study, run_study
from qidf.studies.experiments import tune


@pytest.fixture(autouse=True)
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "SAMPLES", 20)
    monkeypatch.setattr(tune, "RESAMPLES", 100)


def test_losses_and_shares_are_those_of_the_samples(make_bench: MakeBench) -> None:
    bench = make_bench("go")
    findings = run_study(find_study("tune"), bench)
    [row] = findings.tables[0].rows
    record = dict(zip([column.name for column in findings.tables[0].columns], row, strict=True))
    [subject] = bench.subjects()
    grid = [QlogSystem(q) for q in FALLBACK_GRID]
    measured = bench.measure(subject, [*grid, QlogSystem("auto")])
    means = [measured.mean(system) for system in grid]
    best = max(*means, measured.mean(QlogSystem("auto")))
    draw = np.random.default_rng([bench.settings.seed, 10])
    losses = []
    for _ in range(20):
        sample = draw.choice(measured.num_queries, 10, replace=False)
        picked = [measured.per_query(system)[sample].mean() for system in grid]
        winner = max(range(len(grid)), key=lambda at: (round(picked[at], 9), at))
        losses.append(best - means[winner])
    assert record["size"] == 10
    assert record["loss_naive"] == pytest.approx(np.mean(losses))
    assert record["naive_good"] == pytest.approx(np.mean(np.array(losses) <= 0.01))
    assert record["loss_bm25"] == pytest.approx(best - means[-1])
    verdicts = sum(record[name] for name in ("tuned", "predicted", "bm25", "no_difference"))
    assert verdicts == pytest.approx(record["answered"])


def test_a_set_too_small_to_draw_from_is_named(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tune, "SAMPLE_SIZES", (500,))
    findings = run_study(find_study("tune"), make_bench("go"))
    assert findings.tables[0].rows == ()
    assert any("too few queries" in note for note in findings.notes)
