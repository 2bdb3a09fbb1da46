"""The predictor study's tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qidf.statistics import predict_q
from qidf.studies import paper
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.prediction import FORMS, Form, Point, rmse
from qidf.studies.sources import LANGUAGES, STRIPPED
from qidf.studies.tables import Cell, Column, Table, table

# Fig. q-prediction-boxplot is drawn from -1 to 1.
_CLIP = (-1.05, 1.05)
# "Oracle-flat" in sec. predictor.
_FLAT = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of all fits, with Python's queries in one form (`variant`, empty where it has one).

    `splits` has each form's mean test recovery for each half split (`trains` says which), `single`
    for each language left out; `left_out` what form A then predicts. `deployed` is the recovery of
    the paper's own coefficient at each point.
    """

    variant: str
    points: Sequence[Point]
    languages: Sequence[str]
    splits: Mapping[Form, Sequence[float | None]]
    trains: Mapping[Form, Sequence[tuple[str, ...]]]
    single: Mapping[Form, Mapping[str, float | None]]
    left_out: Mapping[Point, float]
    final: Mapping[Form, np.ndarray | None]
    deployed: Mapping[Point, float | None]

    def final_q(self, point: Point) -> float | None:
        """What form A predicts when it is fit to all points."""
        coefficients = self.final[FORMS[0]]
        return None if coefficients is None else FORMS[0].predict(coefficients, point)

    def known(self, form: Form) -> list[float]:
        """Mean test recoveries of the splits that have one."""
        return [each for each in self.splits[form] if each is not None]


def _grand_mean(by_language: Mapping[str, float | None]) -> float | None:
    values = [each for each in by_language.values() if each is not None]
    return float(np.mean(values)) if values else None


def summary_table(outcomes: Sequence[Outcome]) -> Table:
    """The numbers of sec. predictor, ours beside the paper's."""
    rows: list[dict[str, Cell]] = []
    for outcome in outcomes:
        rows += [
            {"variant": outcome.variant, "what": what, "ours": ours, "paper": theirs}
            for what, ours, theirs in _summary(outcome)
        ]
    return table(
        "summary",
        "The predictor in numbers",
        (
            Column("variant", "Python's queries"),
            Column("what", "what"),
            Column("ours", "ours", ".3g"),
            Column("paper", "paper", ".3g"),
        ),
        rows,
        note="Means leave out points whose best q is 1, where there is nothing to recover. A"
        " recovery is huge and negative where the gap is tiny, so that medians say more.",
    )


def _summary(outcome: Outcome) -> list[tuple[str, float | None, float | None]]:
    form = FORMS[0]
    coefficients = outcome.final[form]
    single = {key: each for key, each in outcome.single[form].items() if each is not None}
    known = outcome.known(form)
    quartiles = np.percentile(known, [25, 50, 75]).tolist() if known else [None] * 3
    flat = [predict_q(point.stats) for point in outcome.points if point.best_q >= _FLAT]
    alphas = [point.zipf for point in outcome.points if point.zipf is not None]
    finals = [(outcome.final_q(point), point.best_q) for point in outcome.points]
    residuals = [q - point.best_q for point, q in outcome.left_out.items()]
    companion = _grand_mean(outcome.single[FORMS[-1]])
    deployed = [each for each in outcome.deployed.values() if each is not None]
    return [
        ("labelled points", float(len(outcome.points)), 18.0),
        ("coefficient of htok, refit", _first(coefficients), paper.COEFFICIENT),
        (
            "RMSE to the best q, refit",
            rmse([(q, best) for q, best in finals if q is not None]) if finals else None,
            paper.CALIBRATION_RMSE,
        ),
        (
            "RMSE to the best q, the paper's 7.28",
            rmse([(predict_q(point.stats), point.best_q) for point in outcome.points]),
            paper.CALIBRATION_RMSE,
        ),
        ("half splits, median of mean recovery", quartiles[1], paper.FORM_BOXES["A"].median),
        ("half splits, lower quartile", quartiles[0], paper.FORM_BOXES["A"].lower_quartile),
        ("half splits, upper quartile", quartiles[2], paper.FORM_BOXES["A"].upper_quartile),
        ("language left out, grand mean", _grand_mean(single), paper.LEFT_OUT_RECOVERY),
        (
            "language left out, worst language",
            min(single.values(), default=None),
            paper.LEFT_OUT_WORST[1],
        ),
        (
            "language left out, best language",
            max(single.values(), default=None),
            paper.LEFT_OUT_BEST[1],
        ),
        (
            "language left out, standard deviation of residuals",
            float(np.std(residuals)) if residuals else None,
            paper.LEFT_OUT_SIGMA,
        ),
        ("df-only companion (E), grand mean", companion, paper.COMPANION_RECOVERY),
        ("the paper's 7.28, mean recovery", float(np.mean(deployed)) if deployed else None, None),
        (
            "the paper's 7.28, median recovery",
            float(np.median(deployed)) if deployed else None,
            None,
        ),
        (
            "least predicted q where the best is 0.95 or more",
            min(flat, default=None),
            paper.LEAST_Q_WHERE_FLAT,
        ),
        ("least Zipf exponent", min(alphas, default=None), paper.ZIPF_RANGE[0]),
        ("largest Zipf exponent", max(alphas, default=None), paper.ZIPF_RANGE[1]),
    ]


def _first(coefficients: np.ndarray | None) -> float | None:
    return None if coefficients is None else float(coefficients[0])


def labels_table(outcomes: Sequence[Outcome]) -> Table:
    """The labelled points: features, best q, predictions."""
    rows: list[dict[str, Cell]] = []
    for outcome in outcomes:
        for point in outcome.points:
            theirs = paper.CALIBRATION.get(_topic(point.language))
            alone = paper.LEFT_OUT.get(_topic(point.language))
            stats = point.stats
            rows.append(
                {
                    "variant": outcome.variant,
                    "language": point.language,
                    "num_docs": stats.num_docs,
                    "num_tokens": stats.num_tokens,
                    "vocab_size": stats.vocab_size,
                    "htok": stats.htok,
                    "type_token_ratio": stats.type_token_ratio,
                    "median_df": stats.median_df,
                    "share_df_le_5": stats.share_df_le_5,
                    "zipf": point.zipf,
                    "best_q": point.best_q,
                    "paper_best_q": None if theirs is None else theirs[point.place][1],
                    "q_728": predict_q(stats),
                    "paper_q_728": None if theirs is None else theirs[point.place][0],
                    "q_refit": outcome.final_q(point),
                    "q_left_out": outcome.left_out.get(point),
                    "paper_q_left_out": None if alone is None else alone[point.place][0],
                    "recovery_728": outcome.deployed[point],
                }
            )
    return table(
        "labels",
        "The labelled points: features, the best q, and what is predicted",
        (
            Column("variant", "Python's queries"),
            Column("language", "corpus"),
            Column("num_docs", "N", ",d"),
            Column("num_tokens", "tokens", ",d"),
            Column("vocab_size", "V", ",d"),
            Column("htok", "htok", ".4f"),
            Column("type_token_ratio", "TTR", ".4f"),
            Column("median_df", "median df", "g"),
            Column("share_df_le_5", "df <= 5", ".3f"),
            Column("zipf", "Zipf", ".3f"),
            Column("best_q", "best q", ".2f"),
            Column("paper_best_q", "paper", ".2f"),
            Column("q_728", "1 - 7.28 htok", ".3f"),
            Column("paper_q_728", "paper", ".3f"),
            Column("q_refit", "refit", ".3f"),
            Column("q_left_out", "left out", ".3f"),
            Column("paper_q_left_out", "paper", ".3f"),
            Column("recovery_728", "recovery at 7.28", ".2f"),
        ),
        rows,
    )


def forms_table(outcomes: Sequence[Outcome]) -> Table:
    """The five forms over all half splits."""
    rows: list[dict[str, Cell]] = []
    for outcome in outcomes:
        for form in FORMS:
            known, box = outcome.known(form), paper.FORM_BOXES[form.name]
            quartiles = np.percentile(known, [25, 50, 75]).tolist() if known else [None] * 3
            coefficients = outcome.final[form]
            rows.append(
                {
                    "variant": outcome.variant,
                    "form": f"{form.name}: {form.formula}",
                    "coefficients": None
                    if coefficients is None
                    else ", ".join(f"{each:.3f}" for each in coefficients),
                    "splits": len(known),
                    "median": quartiles[1],
                    "paper_median": box.median,
                    "lower": quartiles[0],
                    "paper_lower": box.lower_quartile,
                    "upper": quartiles[2],
                    "paper_upper": box.upper_quartile,
                    "least": min(known, default=None),
                    "left_out": _grand_mean(outcome.single[form]),
                }
            )
    return table(
        "forms",
        "Mean test recovery of five forms over every split into halves",
        (
            Column("variant", "Python's queries"),
            Column("form", "form"),
            Column("coefficients", "fit to all points"),
            Column("splits", "splits", "d"),
            Column("median", "median", ".3f"),
            Column("paper_median", "paper", ".3f"),
            Column("lower", "lower quartile", ".3f"),
            Column("paper_lower", "paper", ".3f"),
            Column("upper", "upper quartile", ".3f"),
            Column("paper_upper", "paper", ".3f"),
            Column("least", "least", ".2f"),
            Column("left_out", "language left out", ".3f"),
        ),
        rows,
        note="T is the number of tokens. Quartiles of the paper at -1.00 are clipped there.",
    )


def splits_table(outcomes: Sequence[Outcome]) -> Table:
    """Every split and every language left out, for those who want to check."""
    rows: list[dict[str, Cell]] = []
    for outcome in outcomes:
        for form in FORMS:
            for train, value in zip(outcome.trains[form], outcome.splits[form], strict=True):
                rows.append(_split(outcome, form, " ".join(train), value))
            for language, value in outcome.single[form].items():
                rows.append(_split(outcome, form, f"all but {language}", value))
    columns = [Column(name) for name in ("variant", "form", "train", "recovery")]
    return table("splits", "Every split", columns, rows, shown=False)


def _split(outcome: Outcome, form: Form, train: str, value: float | None) -> dict[str, Cell]:
    return {"variant": outcome.variant, "form": form.name, "train": train, "recovery": value}


def figure(outcome: Outcome) -> Figure:
    """Left-out predictions, calibration, and the box plot."""
    forms = tuple(form for form in FORMS if outcome.known(form))
    ours = Series(
        "ours",
        "boxes",
        tuple(form.name for form in forms for _ in outcome.known(form)),
        tuple(value for form in forms for value in outcome.known(form)),
        0,
    )
    theirs = Series(
        "paper",
        "boxes",
        tuple(name for name in paper.FORM_BOXES for _ in range(5)),
        tuple(
            value
            for box in paper.FORM_BOXES.values()
            for value in (box.low, box.lower_quartile, box.median, box.upper_quartile, box.high)
        ),
        1,
        paper=True,
    )
    refit = {point: q for point in outcome.points if (q := outcome.final_q(point)) is not None}
    form = outcome.variant
    return Figure(
        f"predictor-{form}" if form else "predictor",
        "The predicted against the best q with the language left out (a) and with the refit"
        " coefficient (b), hollow: the paper's; (c) mean test recovery of five forms"
        + (f"; Python's queries {form}" if form else ""),
        (
            _scatter("(a) language left out", outcome.left_out, paper.LEFT_OUT, form),
            _scatter("(b) fit to all points", refit, paper.CALIBRATION, form),
            Panel(
                "(c) half splits",
                "form",
                "mean test recovery",
                (ours, theirs),
                zero_line=True,
                clip=_CLIP,
            ),
        ),
    )


def _scatter(
    title: str,
    predicted: Mapping[Point, float],
    theirs: Mapping[str, Sequence[tuple[float, float]]],
    variant: str,
) -> Panel:
    series = []
    for language in dict.fromkeys(point.language for point in predicted):
        topic = _topic(language)
        chosen = [(q, point.best_q) for point, q in predicted.items() if point.language == language]
        series.append(
            Series(
                language,
                "points",
                tuple(q for q, _ in chosen),
                tuple(best for _, best in chosen),
                topic or 7,
            )
        )
        if topic in theirs and not (topic == "python" and variant == STRIPPED):
            x, y = zip(*theirs[topic], strict=True)
            series.append(Series("", "points", tuple(x), tuple(y), topic, paper=True))
    return Panel(title, "predicted q", "best q", tuple(series), diagonal=True)


def _topic(language: str) -> str:
    return next(
        (
            each
            for each in sorted(LANGUAGES, key=len, reverse=True)
            if language.lower().startswith(each)
        ),
        "",
    )
