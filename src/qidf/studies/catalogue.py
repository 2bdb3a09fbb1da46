"""All studies by name, in the order of the paper, what goes beyond it last."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from qidf.errors import InputError, InvalidArgumentError
from qidf.studies.experiments.adaptive import ADAPTIVE
from qidf.studies.experiments.budget import BUDGET
from qidf.studies.experiments.deployable import DEPLOYABLE
from qidf.studies.experiments.families import FAMILIES
from qidf.studies.experiments.learnt import LEARNT_EVIDENCE
from qidf.studies.experiments.long_code_arena import LONG_CODE_ARENA
from qidf.studies.experiments.main_results import MAIN_RESULTS
from qidf.studies.experiments.mechanism import MECHANISM
from qidf.studies.experiments.overhead import OVERHEAD
from qidf.studies.experiments.predictor import PREDICTOR
from qidf.studies.experiments.questions import QUESTIONS
from qidf.studies.experiments.repobench import REPOBENCH
from qidf.studies.experiments.scaling import SCALING
from qidf.studies.experiments.sweep import SWEEP
from qidf.studies.experiments.tokenizers import TOKENIZERS
from qidf.studies.experiments.tune import TUNE
from qidf.studies.experiments.weighting import WEIGHTING
from qidf.studies.study import Findings, Study
from qidf.studies.workbench import Workbench

STUDIES: Mapping[str, Study] = MappingProxyType(
    {
        study.name: study
        for study in (
            MAIN_RESULTS,
            DEPLOYABLE,
            SWEEP,
            SCALING,
            FAMILIES,
            MECHANISM,
            PREDICTOR,
            ADAPTIVE,
            TOKENIZERS,
            BUDGET,
            REPOBENCH,
            LONG_CODE_ARENA,
            TUNE,
            OVERHEAD,
            WEIGHTING,
            LEARNT_EVIDENCE,
            QUESTIONS,
        )
    }
)


def find_study(name: str) -> Study:
    """The study of a name."""
    if name not in STUDIES:
        raise InvalidArgumentError(
            f"there is no study {name!r}; choose from {', '.join(STUDIES)}, or all"
        )
    return STUDIES[name]


def run_study(study: Study, bench: Workbench) -> Findings:
    """Run a study, or remember what it found on the same data, settings and code."""
    lacking = study.lacks(bench)
    if lacking is not None:
        raise InputError(f"the study {study.name} can't be made: {lacking} (--dataset)")
    if study.timed:
        return study.run(bench)
    key = bench.key(study.name)
    saved = bench.store.json(key)
    if saved is not None:
        return Findings.from_dict(saved)
    findings = study.run(bench)
    bench.store.put_json(key, findings.to_dict())
    return findings
