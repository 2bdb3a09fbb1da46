"""Whether q-log is better here, and not by luck: measures, significance, baselines, runs.

What belongs here: whatever turns rankings and judgements into numbers. A measure is a function of
the ranks of relevant documents and goes into `measures.py`; another ranking model is a `System` of
its own, in a file beside `dph.py`, named in `systems.parse_baseline`.
"""

from qidf.evaluation.bootstrap import RESAMPLES, SEED, Comparison, paired_bootstrap
from qidf.evaluation.budget import recall_at_tokens
from qidf.evaluation.choice import Choice, Contrast, Verdict, choose, queries_needed
from qidf.evaluation.collection import DEFAULT_TIES, TIES, Collection, Ties
from qidf.evaluation.dph import dph_weights, rank_dph
from qidf.evaluation.experiment import BASELINE, evaluate, outcomes
from qidf.evaluation.measures import Measure, parse_measure
from qidf.evaluation.placement import Placement
from qidf.evaluation.relevance import Relevance
from qidf.evaluation.results import Evaluation, Row, Settings
from qidf.evaluation.runs import Run, rank_index, read_run, run_search, write_run
from qidf.evaluation.systems import (
    GAMMAS,
    DphSystem,
    FormulaSystem,
    QlogSystem,
    RunSystem,
    System,
    WeightingSystem,
    parse_baseline,
)
from qidf.evaluation.trec_check import TrecCheck, ir_measures_values
from qidf.evaluation.tuning import FALLBACK_GRID, MAX_GRID, Tuned, Tuning, tune

__all__ = [
    "BASELINE",
    "DEFAULT_TIES",
    "FALLBACK_GRID",
    "GAMMAS",
    "MAX_GRID",
    "RESAMPLES",
    "SEED",
    "TIES",
    "Choice",
    "Collection",
    "Comparison",
    "Contrast",
    "DphSystem",
    "Evaluation",
    "FormulaSystem",
    "Measure",
    "Placement",
    "QlogSystem",
    "Relevance",
    "Row",
    "Run",
    "RunSystem",
    "Settings",
    "System",
    "Ties",
    "TrecCheck",
    "Tuned",
    "Tuning",
    "Verdict",
    "WeightingSystem",
    "choose",
    "dph_weights",
    "evaluate",
    "ir_measures_values",
    "outcomes",
    "paired_bootstrap",
    "parse_baseline",
    "parse_measure",
    "queries_needed",
    "rank_dph",
    "rank_index",
    "read_run",
    "recall_at_tokens",
    "run_search",
    "tune",
    "write_run",
]
