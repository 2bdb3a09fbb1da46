"""Whether corpus statistics predict the best q: labels, five forms, splits, refit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qidf.errors import InvalidArgumentError
from qidf.evaluation import BASELINE, QlogSystem
from qidf.statistics import predict_q
from qidf.studies import paper
from qidf.studies.experiments.deployable import recovery
from qidf.studies.experiments.predictor_report import (
    Outcome,
    figure,
    forms_table,
    labels_table,
    splits_table,
    summary_table,
)
from qidf.studies.ladder import sizes_below
from qidf.studies.prediction import FORMS, Point, Trial, half_splits, left_out, trials
from qidf.studies.sources import Subject
from qidf.studies.study import Findings, Study
from qidf.studies.workbench import Measured, Workbench, qlog

_SIZES = tuple(size for size in paper.PREDICTION_SIZES if size is not None)
# Recovery is measured at the predicted q to this many digits: NDCG doesn't tell finer ones apart,
# and predictions of many fits share their measurements.
_DIGITS = 2


@dataclass(frozen=True, slots=True)
class _Job:
    subject: Subject
    size: int | None


def _run(bench: Workbench) -> Findings:
    every = bench.code()
    variants = _variants(every)
    jobs = [
        _Job(subject, size)
        for subject in every
        for size in sizes_below(bench.num_docs(subject), _SIZES)
    ]
    notes: list[str] = []
    points: dict[_Job, Point] = {}
    for job in bench.track(jobs, lambda job: f"{job.subject.name} {job.size or ''}"):
        measured = bench.measure(job.subject, qlog(paper.LABEL_GRID), size=job.size)
        points[job] = _point(bench, job, measured, notes)
    outcomes = []
    for name, members in variants.items():
        chosen = {job: point for job, point in points.items() if job.subject in members}
        outcomes.append(_judge(bench, name, chosen))
    return Findings(
        (
            summary_table(outcomes),
            labels_table(outcomes),
            forms_table(outcomes),
            splits_table(outcomes),
        ),
        tuple(figure(outcome) for outcome in outcomes),
        (*paper.REMARKS["predictor"], *map(_winner, outcomes), *dict.fromkeys(notes)),
    )


def _winner(outcome: Outcome) -> str:
    """Say which form has the best median, and how far A is from it."""
    medians = {
        form.name: float(np.median(outcome.known(form))) for form in FORMS if outcome.known(form)
    }
    queries = f"With Python's queries {outcome.variant}, the" if outcome.variant else "The"
    if not medians:
        return f"{queries} forms could be tried on no split that has a gap to recover."
    best = max(medians, key=lambda name: medians[name])
    rest = f"; A's is {medians['A']:.3f}" if best != "A" and "A" in medians else ""
    return (
        f"{queries} best median recovery over half splits is form {best}'s,"
        f" {medians[best]:.3f}{rest}."
    )


def _lacks_languages(bench: Workbench) -> str | None:
    if len({subject.source for subject in bench.code()}) > 1:
        return None
    return "it fits on some languages and predicts others, so it takes two datasets of code or more"


def _variants(subjects: Sequence[Subject]) -> dict[str, list[Subject]]:
    """The subjects with each language once: Python's best q depends on the form of its queries."""
    forms: dict[str, list[Subject]] = {}
    for subject in subjects:
        forms.setdefault(subject.source.name, []).append(subject)
    twofold = {name: each for name, each in forms.items() if len(each) > 1}
    if not twofold:
        return {"": [subject for each in forms.values() for subject in each]}
    variants = {}
    for form in dict.fromkeys(subject.form for each in twofold.values() for subject in each):
        variants[form] = [
            next((one for one in each if one.form == form), each[0]) for each in forms.values()
        ]
    return variants


def _point(bench: Workbench, job: _Job, measured: Measured, notes: list[str]) -> Point:
    try:
        alpha: float | None = bench.zipf(job.subject, job.size)
    except InvalidArgumentError as error:
        alpha = None
        notes.append(f"{job.subject.name} has no Zipf exponent: {error}")
    sizes = [*_SIZES, None]
    return Point(
        job.subject.source.name,
        sizes.index(job.size),
        measured.stats,
        alpha,
        float(measured.best(qlog(paper.LABEL_GRID)).q),
    )


def _judge(bench: Workbench, variant: str, points: Mapping[_Job, Point]) -> Outcome:
    labelled = list(points.values())
    languages = list(dict.fromkeys(point.language for point in labelled))
    splits = {form: list(trials(form, labelled, half_splits(languages))) for form in FORMS}
    single = {form: list(trials(form, labelled, left_out(languages))) for form in FORMS}
    final = {form: form.fit(labelled) for form in FORMS}
    wanted: dict[Point, set[float]] = {point: set() for point in labelled}
    for group in (*splits.values(), *single.values()):
        for trial in group:
            for point, q in trial.predictions:
                wanted[point].add(round(q, _DIGITS))
    recoveries: dict[tuple[Point, float], float | None] = {}
    for job, point in bench.track(list(points.items()), lambda each: each[0].subject.name):
        own = round(predict_q(point.stats), _DIGITS)
        systems = [QlogSystem(q) for q in sorted(wanted[point] | {own})]
        grid = qlog(paper.LABEL_GRID)
        measured = bench.measure(job.subject, [*grid, *systems], size=job.size)
        best = measured.best(grid)
        for system in systems:
            found = None if best == BASELINE else recovery(measured, best, system)
            recoveries[point, float(system.q)] = found
    return Outcome(
        variant,
        labelled,
        languages,
        {form: [_mean(trial, recoveries) for trial in group] for form, group in splits.items()},
        {form: [trial.train for trial in group] for form, group in splits.items()},
        {form: _by_language(group, recoveries) for form, group in single.items()},
        {point: q for trial in single[FORMS[0]] for point, q in trial.predictions},
        final,
        {point: recoveries[point, round(predict_q(point.stats), _DIGITS)] for point in labelled},
    )


def _mean(trial: Trial, recoveries: Mapping[tuple[Point, float], float | None]) -> float | None:
    """The mean over test points that have a gap to recover."""
    found = [recoveries[point, round(q, _DIGITS)] for point, q in trial.predictions]
    values = [each for each in found if each is not None]
    return float(np.mean(values)) if values else None


def _by_language(
    group: Sequence[Trial], recoveries: Mapping[tuple[Point, float], float | None]
) -> dict[str, float | None]:
    return {trial.predictions[0][0].language: _mean(trial, recoveries) for trial in group}


PREDICTOR = Study(
    "predictor",
    "Predictor: does hapax density tell the best q?",
    "sec. predictor, fig. q-prediction, app. candidate forms",
    "Which corpus statistic predicts the best q, and does it carry over to other languages?",
    _run,
    lacks=_lacks_languages,
)
