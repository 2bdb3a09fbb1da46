"""Four analyzers, each with BM25 and with q-log: whether a better analyzer makes q-log needless."""

from __future__ import annotations

from qidf.evaluation import BASELINE, QlogSystem
from qidf.studies import paper
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.sources import STRIPPED, Subject
from qidf.studies.study import Findings, Study, lacks_code
from qidf.studies.tables import Cell, Column, interval, ratio, table
from qidf.studies.workbench import Measured, Workbench, qlog

# T0 to T3 of the paper; what each does is in analysis/presets.py.
ANALYZERS = ("generic", "whitespace", "identifier", "subtoken")
_COLUMNS = (
    Column("corpus", "corpus"),
    Column("num_docs", "N", ",d"),
    Column("analyzer", "analyzer"),
    Column("htok", "htok", ".4f"),
    Column("bm25", "BM25", ".3f"),
    Column("paper_bm25", "paper", ".3f"),
    Column("q", "q", ".2f"),
    Column("qlog", "q-log", ".3f"),
    Column("paper_qlog", "paper", ".3f"),
    Column("relative", "to BM25", "+.1%"),
    Column("paper_relative", "paper", "+.1%"),
    Column("best_q", "best q", ".2f"),
    Column("best", "NDCG there", ".3f"),
    Column("best_relative", "to BM25", "+.1%"),
    Column("ci95", "95% interval"),
)


def _run(bench: Workbench) -> Findings:
    jobs = [(subject, analyzer) for subject in bench.code() for analyzer in ANALYZERS]
    rows: list[dict[str, Cell]] = []
    found: dict[Subject, dict[str, Measured]] = {}
    for subject, analyzer in bench.track(jobs, lambda job: f"{job[0].name} {job[1]}"):
        measured = bench.measure(
            subject, qlog(paper.LABEL_GRID), size=paper.TOKENIZER_SIZE, analyzer=analyzer
        )
        found.setdefault(subject, {})[analyzer] = measured
    for subject, by_analyzer in found.items():
        q = _chosen(subject, by_analyzer[ANALYZERS[0]])
        rows += [
            _row(analyzer, measured, q, number)
            for number, (analyzer, measured) in enumerate(by_analyzer.items())
        ]
    main = table(
        "tokenizers",
        f"Four analyzers at {paper.TOKENIZER_SIZE:,} documents, or at all where there are fewer",
        _COLUMNS,
        rows,
        note="q is the one of the paper's panel; where it has none, or is at 1 because of the"
        " published form of Python, the best q of the first analyzer. The best q is that of each"
        " analyzer by itself.",
    )
    notes = [_outcome(subject, each) for subject, each in found.items()]
    return Findings((main,), (_figure(found),), (*paper.REMARKS["tokenizers"], *notes))


def _chosen(subject: Subject, generic: Measured) -> QlogSystem:
    topic = subject.topic or ""
    if topic in paper.TOKENIZER_Q and not _differs(subject):
        return QlogSystem(paper.TOKENIZER_Q[topic])
    return generic.best(qlog(paper.LABEL_GRID))


def _differs(subject: Subject) -> bool:
    """Whether these are queries that the paper has no figures on."""
    return subject.topic == "python" and subject.form == STRIPPED


def _row(analyzer: str, measured: Measured, system: QlogSystem, number: int) -> dict[str, Cell]:
    bm25 = measured.mean(BASELINE)
    best = measured.best(qlog(paper.LABEL_GRID))
    [compared] = measured.compare([best])
    row: dict[str, Cell] = {
        "corpus": measured.subject.name,
        "num_docs": measured.num_docs,
        "analyzer": f"T{number} {analyzer}",
        "htok": measured.stats.htok,
        "bm25": bm25,
        "q": float(system.q),
        "qlog": measured.mean(system),
        "relative": ratio(measured.mean(system), bm25),
        "best_q": float(best.q),
        "best": measured.mean(best),
        "best_relative": ratio(measured.mean(best), bm25),
        "ci95": interval(compared.ci95),
    }
    theirs = paper.TOKENIZERS.get(measured.subject.topic or "")
    if theirs is not None and not _differs(measured.subject):
        row["paper_bm25"], row["paper_qlog"] = theirs[number]
        row["paper_relative"] = ratio(theirs[number][1], theirs[number][0])
    return row


def _outcome(subject: Subject, found: dict[str, Measured]) -> str:
    grid = qlog(paper.LABEL_GRID)
    generic, split = found["generic"], found["identifier"]
    lone = max(found, key=lambda name: found[name].mean(BASELINE))
    both = max(found, key=lambda name: found[name].mean(found[name].best(grid)))
    return (
        f"{subject.name}: q-log over the generic analyzer reaches"
        f" {generic.mean(generic.best(grid)):.3f}, BM25 over whole identifiers and parts"
        f" {split.mean(BASELINE):.3f}, both together {split.mean(split.best(grid)):.3f}; the best"
        f" analyzer for BM25 is {lone} ({found[lone].mean(BASELINE):.3f}), the best pair is {both}"
        f" at q = {found[both].best(grid).q:g} ({found[both].mean(found[both].best(grid)):.3f})."
    )


def _figure(found: dict[Subject, dict[str, Measured]]) -> Figure:
    panels = []
    names = tuple(f"T{number}" for number in range(len(ANALYZERS)))
    for subject, by_analyzer in found.items():
        q = _chosen(subject, by_analyzer[ANALYZERS[0]])
        every = list(by_analyzer.values())
        series = [
            Series("BM25", "bars", names, tuple(each.mean(BASELINE) for each in every), 6),
            Series("q-log", "bars", names, tuple(each.mean(q) for each in every), 0),
        ]
        theirs = paper.TOKENIZERS.get(subject.topic or "")
        if theirs is not None and not _differs(subject):
            values = tuple(pair[0] for pair in theirs), tuple(pair[1] for pair in theirs)
            series += [
                Series("BM25, paper", "bars", names, values[0], 6, paper=True),
                Series("q-log, paper", "bars", names, values[1], 0, paper=True),
            ]
        panels.append(Panel(f"{subject.name}, {q.name}", "", "NDCG@10", tuple(series)))
    return Figure(
        "tokenizers",
        "T0 generic, T1 whitespace, T2 identifiers and parts, T3 parts only",
        tuple(panels),
    )


TOKENIZERS = Study(
    "tokenizers",
    "Tokenizers: does an analyzer that splits identifiers make q-log needless?",
    "tab. and fig. tokenizer",
    "What is left of q-log's gain under each of four analyzers?",
    _run,
    lacks=lacks_code,
)
