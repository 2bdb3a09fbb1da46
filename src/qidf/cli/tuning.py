"""What `qidf tune` shows: a table of q, and what to do about it in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qidf.cli.terminal import bold, dim, printable

if TYPE_CHECKING:
    from qidf.evaluation import Choice, Comparison, Contrast, Tuned, Tuning


def report(tuning: Tuning) -> str:
    """Everything for a person."""
    first = tuning.first
    evaluation = first.evaluation
    parts = [
        f"{bold(printable(tuning.dataset))}: {evaluation.num_docs:,} documents,"
        f" {evaluation.num_queries:,} queries",
        _grid(first),
        advice(first),
    ]
    if tuning.across is not None:
        parts += [_analyzers(tuning.tuned), _across(tuning, tuning.across)]
    return "\n\n".join(parts)


def advice(tuned: Tuned) -> str:
    """What the queries say about q, and how sure that is."""
    choice, evaluation = tuned.choice, tuned.evaluation
    predicted = f"the predicted q = {tuned.q_auto:.3f}"
    picked = (
        f"Picked by other queries than it is measured on, q is worth"
        f" {_gain(choice.against_bm25)} over"
        f" BM25 and {_gain(choice.against_predicted)} over {predicted}."
    )
    if choice.verdict == "tuned":
        return f"{bold(f'Use q = {tuned.best.q:g}.')} {picked}"
    if choice.verdict == "predicted":
        return (
            f"{bold(f'Keep {predicted}.')} It gains {_gain(choice.predicted_against_bm25)} over"
            f" BM25; picking another is worth"
            f" {_gain(choice.against_predicted)}, which may be luck."
        )
    if choice.verdict == "bm25":
        return (
            f"{bold('Use q = 1.')} BM25 is better here than {predicted}, which is worth"
            f" {_gain(choice.predicted_against_bm25)}."
        )
    if choice.verdict == "no-difference":
        return (
            f"{bold('q hardly matters here.')} {picked} None of these is worth acting on; keep"
            f" {predicted}."
        )
    return (
        f"{bold(f'{evaluation.num_queries:,} queries are too few to tell.')} {picked}"
        f" {_needed(choice)} Until then {predicted} is the best guess."
    )


def _needed(choice: Choice) -> str:
    bm25, predicted = choice.against_bm25, choice.against_predicted
    return (
        f"With this spread it takes about {bm25.needed:,} queries to see a difference of"
        f" {bm25.effect:.3f} to BM25, and {predicted.needed:,} for one of {predicted.effect:.3f} to"
        " the predicted q."
    )


def _grid(tuned: Tuned) -> str:
    evaluation = tuned.evaluation
    measure = str(evaluation.settings.measures[0])
    heading = ["", measure, "over BM25", "95% interval", "over predicted", "95% interval"]
    rows = [
        [
            f"q={row.q:g}",
            f"{row.mean(measure):.4f}",
            *(["", "BM25"] if row.q == 1 else _cells(row.comparison)),
            *_cells(beside),
        ]
        for row, beside in zip(tuned.rows, tuned.against_predicted, strict=True)
    ]
    predicted = tuned.predicted
    rows.append(
        [
            f"q={predicted.q:.3f}",
            f"{predicted.mean(measure):.4f}",
            *_cells(predicted.comparison),
            "",
            "predicted",
        ]
    )
    lines = _aligned([heading, *rows])
    best = 1 + tuned.choice.best
    return "\n".join(
        [dim(lines[0]), *(bold(x) if at == best else x for at, x in enumerate(lines) if at)]
    )


def _analyzers(tuned: Sequence[Tuned]) -> str:
    measure = str(tuned[0].evaluation.settings.measures[0])
    heading = ["analyzer", "htok", "BM25", "predicted q", "", "best q", ""]
    rows = [
        [
            each.analyzer,
            f"{each.evaluation.htok:.4f}",
            f"{each.evaluation.baseline.mean(measure):.4f}",
            f"{each.q_auto:.3f}",
            f"{each.predicted.mean(measure):.4f}",
            f"{each.best.q:g}",
            f"{each.best.mean(measure):.4f}",
        ]
        for each in tuned
    ]
    lines = _aligned([heading, *rows])
    return "\n".join([dim(lines[0]), *lines[1:]])


def _across(tuning: Tuning, choice: Choice) -> str:
    winner, row = tuning.winner
    first = tuning.first
    against = f"{first.analyzer} at its predicted q"
    picked = (
        f"Picked by other queries, both together are worth {_gain(choice.against_predicted)} over"
        f" {against}."
    )
    if choice.against_predicted.settled:
        best = f"With a choice of analyzer, take {winner.analyzer} at q = {row.q:g}."
        return f"{bold(best)} {picked}"
    if choice.against_predicted.negligible:
        return f"{bold('The analyzer hardly matters here.')} {picked}"
    return (
        f"{bold('These queries show no better analyzer.')} The highest is {winner.analyzer} at"
        f" q = {row.q:g}. {picked} About {choice.against_predicted.needed:,} queries would tell."
    )


def _gain(contrast: Contrast) -> str:
    return " ".join(_cells(contrast.comparison))


def _cells(comparison: Comparison) -> tuple[str, str]:
    low, high = comparison.ci95
    return f"{comparison.delta:+.4f}", f"[{low:+.4f}, {high:+.4f}]"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    def cells() -> Iterator[str]:
        for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
            yield cell.rjust(width) if at else cell.ljust(width)

    return "  ".join(cells()).rstrip()
