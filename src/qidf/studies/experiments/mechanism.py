"""Which queries gain, and from which of their tokens."""

from __future__ import annotations

import numpy as np

from qidf.evaluation import BASELINE, Placement, QlogSystem
from qidf.index import DEFAULT_B, DEFAULT_K1
from qidf.studies import paper
from qidf.studies.experiments.case_study import case_tables
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.occlusion import BINS, MIDDLE, Shares, bin_name, occlusion_losses
from qidf.studies.regression import ols_slope, spearman
from qidf.studies.sources import STRIPPED, Subject
from qidf.studies.study import Findings, Study, lacks_code
from qidf.studies.tables import Cell, Column, Table, table
from qidf.studies.workbench import Measured, Workbench

_QLOG = QlogSystem(paper.CONSERVATIVE_Q)
_SYSTEMS = (_QLOG, BASELINE)
_BIN_NAMES = tuple(bin_name(*each) for each in BINS)
_CORRELATIONS = (
    Column("corpus", "corpus"),
    Column("num_queries", "queries", ",d"),
    Column("delta", "mean gain", "+.3f"),
    Column("without_rare", "queries without df <= 5", ".1%"),
    Column("gain_without", "their gain", "+.3f"),
    Column("gain_with", "gain of the others", "+.3f"),
    Column("rare_slope", "slope, df <= 5", "+.3f"),
    Column("paper_rare_slope", "paper", "+.2f"),
    Column("rare_rho", "rho", "+.3f"),
    Column("paper_rare_rho", "paper", "+.2f"),
    Column("unknown_slope", "slope, unknown words too", "+.3f"),
    Column("unknown_rho", "rho", "+.3f"),
    Column("orthographic_slope", "slope, CamelCase or dotted", "+.3f"),
    Column("paper_orthographic_slope", "paper", "+.3f"),
    Column("orthographic_rho", "rho", "+.3f"),
    Column("paper_orthographic_rho", "paper", "+.3f"),
)
_LOSSES = (
    Column("corpus", "corpus"),
    Column("q", "q", ".2f"),
    *(Column(f"df {name}", name, "+.4f") for name in _BIN_NAMES),
    Column("middle", "mean of 6-1000", "+.4f"),
)
_GROUPS = 10


def _run(bench: Workbench) -> Findings:
    correlations: list[dict[str, Cell]] = []
    losses: list[dict[str, Cell]] = []
    queries: list[Table] = []
    gains: list[Panel] = []
    panels: list[Panel] = []
    case: tuple[Table, ...] = ()
    notes: list[str] = []
    for subject in bench.track(bench.code(), lambda each: each.name):
        measured = bench.measure(subject, _SYSTEMS)
        collection = bench.collection(subject)
        placement = Placement.prepare(collection, DEFAULT_K1, DEFAULT_B)
        shares = Shares.of(placement, collection.dataset.queries.texts)
        gain = measured.per_query(_QLOG) - measured.per_query(BASELINE)
        correlations.append(_correlation(measured, shares, gain))
        lost = occlusion_losses(placement, _SYSTEMS, bench.settings.measures[0])
        for system in _SYSTEMS:
            losses += _loss_rows(subject, system, lost[system])
        queries.append(_queries(measured, shares))
        panels.append(_occlusion_panel(subject, lost))
        if len(correlations) == 1:
            gains = [
                _gain_panel("df <= 5", shares.rare, gain, subject),
                _gain_panel("CamelCase or dotted", shares.orthographic, gain, subject),
            ]
            case = case_tables(placement, _QLOG)
            if not case:
                notes.append(f"No query of {subject.name} fits the rule of the case study.")
    tables = (
        table(
            "correlations",
            "The gain of a query at q = 0.10 against the share of its tokens of a kind",
            _CORRELATIONS,
            correlations,
            note="Slopes of least squares and Spearman's rho, over queries. The share of df <= 5 is"
            " among the tokens that occur in the corpus; the paper doesn't say whether words that"
            " don't occur count, so that the other reading follows.",
        ),
        table(
            "occlusion",
            "NDCG@10 lost when a query's tokens of some document frequency are dropped",
            _LOSSES,
            losses,
            note="Dropping tokens changes a query's length and meaning too, so that this is a"
            " diagnosis and no proof; losses don't add up to the whole.",
        ),
        *case,
        *queries,
    )
    figure = Figure(
        "mechanism",
        "Gain against the share of rare and of identifier-like tokens (tenths of the queries, 95%"
        " intervals), and NDCG@10 lost without a bin's tokens",
        (*gains, *panels),
    )
    return Findings(tables, (figure,), (*paper.REMARKS["mechanism"], *notes))


def _correlation(measured: Measured, shares: Shares, gain: np.ndarray) -> dict[str, Cell]:
    none = shares.rare == 0
    row: dict[str, Cell] = {
        "corpus": measured.subject.name,
        "num_queries": measured.num_queries,
        "delta": float(gain.mean()),
        "without_rare": float(none.mean()),
        "gain_without": float(gain[none].mean()) if none.any() else None,
        "gain_with": float(gain[~none].mean()) if not none.all() else None,
    }
    for name, share in (
        ("rare", shares.rare),
        ("unknown", shares.rare_or_unknown),
        ("orthographic", shares.orthographic),
    ):
        row[f"{name}_slope"] = ols_slope(share, gain)
        row[f"{name}_rho"] = spearman(share, gain)
    if measured.subject.topic == "go":
        for name, theirs in (
            ("rare", paper.RARE_SHARE),
            ("orthographic", paper.ORTHOGRAPHIC_SHARE),
        ):
            row[f"paper_{name}_slope"] = theirs.slope
            row[f"paper_{name}_rho"] = theirs.spearman
    return row


def _loss_rows(
    subject: Subject, system: QlogSystem, lost: dict[str, float]
) -> list[dict[str, Cell]]:
    ours: dict[str, Cell] = {
        "corpus": subject.name,
        "q": float(system.q),
        **{f"df {name}": value for name, value in lost.items()},
        "middle": float(np.mean([lost[name] for name in MIDDLE])),
    }
    topic = subject.topic or ""
    if paper.OCCLUSION_Q.get(topic) != system.q or (topic == "python" and subject.form == STRIPPED):
        return [ours]
    theirs: dict[str, Cell] = {
        "corpus": f"{topic}, paper",
        "q": float(system.q),
        **{f"df {name}": value for name, value in paper.OCCLUSION[topic].items()},
        "middle": paper.OCCLUSION_GO_MIDDLE if topic == "go" else None,
    }
    return [ours, theirs]


def _queries(measured: Measured, shares: Shares) -> Table:
    subject = measured.subject
    stem = "-".join(part for part in ("queries", subject.source.name, subject.form) if part)
    columns = (
        measured.per_query(BASELINE),
        measured.per_query(_QLOG),
        shares.rare,
        shares.rare_or_unknown,
        shares.orthographic,
    )
    return Table(
        stem.replace("/", "-"),
        f"Gain and tokens of each query of {subject.name}",
        tuple(
            Column(name)
            for name in (
                "query_id", "num_tokens", "bm25", "q=0.1", "share_df_le_5",
                "share_df_le_5_or_unknown", "share_orthographic",
            )
        ),
        tuple(
            zip(
                measured.query_ids,
                shares.num_tokens.tolist(),
                *(np.round(column, 4).tolist() for column in columns),
                strict=True,
            )
        ),
        shown=False,
        packed=True,
    )  # fmt: skip


def _gain_panel(what: str, share: np.ndarray, gain: np.ndarray, subject: Subject) -> Panel:
    """Means over tenths of the queries; equal shares stay together."""
    edges = np.unique(np.quantile(share, np.linspace(0, 1, _GROUPS + 1)[1:-1]))
    group = np.searchsorted(edges, share, side="left")
    x, y, error = [], [], []
    for number in np.unique(group):
        chosen = gain[group == number]
        x.append(float(share[group == number].mean()))
        y.append(float(chosen.mean()))
        error.append(1.96 * float(chosen.std()) / len(chosen) ** 0.5)
    series = Series(
        "",
        "line",
        tuple(x),
        tuple(y),
        subject.topic or 0,
        low=tuple(at - by for at, by in zip(y, error, strict=True)),
        high=tuple(at + by for at, by in zip(y, error, strict=True)),
    )
    return Panel(
        f"{subject.name}: {what}",
        f"share of tokens: {what}",
        "gain in NDCG@10",
        (series,),
        zero_line=True,
    )


def _occlusion_panel(subject: Subject, lost: dict[QlogSystem, dict[str, float]]) -> Panel:
    series = [
        Series(label, "bars", _BIN_NAMES, tuple(lost[system].values()), colour)
        for label, system, colour in (("BM25", BASELINE, 6), ("q = 0.10", _QLOG, 0))
    ]
    topic = subject.topic or ""
    if topic in paper.OCCLUSION and not (topic == "python" and subject.form == STRIPPED):
        theirs = paper.OCCLUSION[topic]
        series.append(
            Series(
                f"paper, q = {paper.OCCLUSION_Q[topic]:.2f}",
                "bars",
                tuple(theirs),
                tuple(theirs.values()),
                1,
                paper=True,
            )
        )
    return Panel(
        f"{subject.name}: without tokens of df", "document frequency", "NDCG@10 lost", tuple(series)
    )


MECHANISM = Study(
    "mechanism",
    "Mechanism: which queries gain, and from which tokens",
    "sec. per-query mechanism and fig. case study",
    "Does the gain come from the rarest tokens?",
    _run,
    lacks=lacks_code,
)
