"""Which questions gain from the default, with whole identifiers and with their parts."""

from __future__ import annotations

from qidf.evaluation import BASELINE, QlogSystem, WeightingSystem
from qidf.studies.study import Findings, Study, lacks_collections
from qidf.studies.tables import Cell, Column, table
from qidf.studies.workbench import Workbench
from qidf.weighting import AUTO, kind_of

ANALYZERS = ("generic", "identifier")
DEFAULT = WeightingSystem(AUTO)
PAPER_AUTO = QlogSystem("auto")
_COLUMNS = (
    Column("corpus", "questions"),
    Column("analyzer", "analyzer"),
    Column("num_docs", "documents", ",d"),
    Column("num_queries", "queries", ",d"),
    Column("code", "code", ".1%"),
    Column("bm25", "BM25", ".3f"),
    Column("paper", "paper", ".3f"),
    Column("auto", "auto", ".3f"),
    Column("delta", "auto to BM25", "+.4f"),
    Column("low", "95% from", "+.4f"),
    Column("high", "to", "+.4f"),
)


def _run(bench: Workbench) -> Findings:
    rows: list[dict[str, Cell]] = []
    for subject in bench.track(bench.subjects(), lambda each: each.name):
        texts = bench.dataset(subject).queries.texts
        code = sum(kind_of(text) == "code" for text in texts) / len(texts)
        for analyzer in ANALYZERS:
            measured = bench.measure(subject, [PAPER_AUTO, DEFAULT], analyzer=analyzer)
            [gain] = measured.compare([DEFAULT])
            rows.append(
                {
                    "corpus": subject.name,
                    "analyzer": analyzer,
                    "num_docs": measured.num_docs,
                    "num_queries": measured.num_queries,
                    "code": code,
                    "bm25": measured.mean(BASELINE),
                    "paper": measured.mean(PAPER_AUTO),
                    "auto": measured.mean(DEFAULT),
                    "delta": gain.delta,
                    "low": gain.ci95[0],
                    "high": gain.ci95[1],
                }
            )
    main = table(
        "questions",
        "NDCG@10 of BM25 and auto by the kind of question",
        _COLUMNS,
        rows,
        note="*code* is the share of questions that are taken for code. *identifier* indexes the"
        " parts of identifiers beside them; its BM25 is the one to compare across analyzers.",
    )
    return Findings((main,))


QUESTIONS = Study(
    "questions",
    "Questions: which of them gain from the default",
    "not in the paper",
    "What can someone expect who asks such questions, with whole identifiers or with their parts?",
    _run,
    lacks=lacks_collections,
)
