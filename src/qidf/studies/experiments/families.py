"""Other ways to favour rare words, or to rank altogether: idf^gamma and DPH beside q-log."""

from __future__ import annotations

from qidf.evaluation import BASELINE, GAMMAS, DphSystem, FormulaSystem, System
from qidf.studies import paper
from qidf.studies.experiments.deployable import grid, oracle
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.study import Findings, Study, lacks_code
from qidf.studies.tables import Cell, Column, interval, ratio, table
from qidf.studies.workbench import Measured, Workbench
from qidf.weights import GammaIdf

# The paper's best gamma on Go is the last of its grid; these tell whether the next would be better.
MORE_GAMMAS = (3.0, 4.0, 6.0, 8.0, 12.0)
_COLUMNS = (
    Column("corpus", "corpus"),
    Column("bm25", "BM25", ".3f"),
    Column("paper_bm25", "paper", ".3f"),
    Column("gamma", "best gamma", "g"),
    Column("paper_gamma", "paper", "g"),
    Column("gamma_ndcg", "idf^gamma", ".3f"),
    Column("paper_gamma_ndcg", "paper", ".3f"),
    Column("dph", "DPH", ".3f"),
    Column("paper_dph", "paper", ".3f"),
    Column("q", "best q", ".2f"),
    Column("qlog", "q-log", ".3f"),
    Column("paper_qlog", "paper", ".3f"),
    Column("gamma_relative", "idf^gamma to BM25", "+.1%"),
    Column("dph_relative", "DPH to BM25", "+.1%"),
    Column("qlog_relative", "q-log to BM25", "+.1%"),
    Column("far_gamma", "best gamma up to 12", "g"),
    Column("far_ndcg", "idf^gamma there", ".3f"),
    Column("lead", "q-log's lead over it", "+.4f"),
    Column("lead_ci95", "95% interval"),
)
_DPH = DphSystem()


def _gammas(values: tuple[float, ...]) -> list[FormulaSystem]:
    return [FormulaSystem(GammaIdf(gamma)) for gamma in values]


def _run(bench: Workbench) -> Findings:
    rows: list[dict[str, Cell]] = []
    raw: list[dict[str, Cell]] = []
    for subject in bench.track(bench.code(), lambda each: each.name):
        near, far = _gammas(GAMMAS), _gammas(GAMMAS + MORE_GAMMAS)
        systems: list[System] = [*grid(False), *far, _DPH]
        measured = bench.measure(subject, systems)
        rows.append(_row(measured, near, far))
        raw += [
            {"corpus": subject.name, "system": system.name, "ndcg": measured.mean(system)}
            for system in systems
        ]
    main = table(
        "families",
        "BM25, idf^gamma, DPH and q-log",
        _COLUMNS,
        rows,
        note="The paper's gammas are "
        + ", ".join(f"{gamma:g}" for gamma in GAMMAS)
        + "; ours go on to 12 in the last columns, where q-log's lead is over the best of all.",
    )
    columns = [Column("corpus"), Column("system"), Column("ndcg", "", ".4f")]
    return Findings(
        (main, table("systems", "Every system", columns, raw, shown=False)), (_figure(rows),)
    )


def _row(
    measured: Measured, near: list[FormulaSystem], far: list[FormulaSystem]
) -> dict[str, Cell]:
    best, furthest, qlog = measured.best(near), measured.best(far), oracle(measured)
    bm25 = measured.mean(BASELINE)
    [lead] = measured.compare([qlog], furthest)
    row: dict[str, Cell] = {
        "corpus": measured.subject.name,
        "bm25": bm25,
        "gamma": _gamma(best),
        "gamma_ndcg": measured.mean(best),
        "dph": measured.mean(_DPH),
        "q": float(qlog.q),
        "qlog": measured.mean(qlog),
        "gamma_relative": ratio(measured.mean(best), bm25),
        "dph_relative": ratio(measured.mean(_DPH), bm25),
        "qlog_relative": ratio(measured.mean(qlog), bm25),
        "far_gamma": _gamma(furthest),
        "far_ndcg": measured.mean(furthest),
        "lead": lead.delta,
        "lead_ci95": interval(lead.ci95),
    }
    theirs = paper.FAMILIES.get(measured.subject.topic or "")
    if theirs is not None:
        row["paper_bm25"] = theirs.bm25
        row["paper_gamma"] = theirs.best_gamma
        row["paper_gamma_ndcg"] = theirs.gamma_ndcg
        row["paper_dph"] = theirs.dph
        row["paper_qlog"] = theirs.qlog
    return row


def _gamma(system: FormulaSystem) -> float:
    formula = system.formula
    return formula.gamma if isinstance(formula, GammaIdf) else 1.0


def _figure(rows: list[dict[str, Cell]]) -> Figure:
    names = tuple(str(row["corpus"]) for row in rows)
    series = []
    for label, key, colour in (
        ("BM25", "bm25", 6),
        ("idf^gamma up to 2", "gamma_ndcg", 3),
        ("idf^gamma up to 12", "far_ndcg", 1),
        ("DPH", "dph", 4),
        ("q-log", "qlog", 0),
    ):
        values = tuple(float(row[key] or 0.0) for row in rows)
        series.append(Series(label, "bars", names, values, colour))
    panel = Panel("Lexical families", "", "NDCG@10", tuple(series))
    return Figure("families", "NDCG@10 of BM25, idf^gamma, DPH and q-log", (panel,))


FAMILIES = Study(
    "families",
    "Families: is it any rescaling of idf, or another model?",
    "tab. lexical families",
    "Do idf^gamma or DPH give what q-log gives?",
    _run,
    lacks=lacks_code,
)
