"""The evidence in a token's look, fit with every language left out in turn."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from qidf.analysis import TermTable, analyze_batch
from qidf.errors import InvalidArgumentError
from qidf.evaluation import BASELINE, Collection, System, WeightingSystem
from qidf.evaluation.placement import Placement, found_nothing
from qidf.evaluation.runs import Run
from qidf.evaluation.systems import Outcome
from qidf.statistics import predict_q
from qidf.studies.regression import fit_log_odds
from qidf.studies.sources import Subject
from qidf.studies.study import Findings, Study
from qidf.studies.tables import Cell, Column, interval, table
from qidf.studies.workbench import Workbench
from qidf.weighting import WeightedQueries, Weighting
from qidf.weighting.evidence import LEARNT, Evidence, combined, features

_COLUMNS = (
    Column("corpus", "left out"),
    Column("bm25", "BM25", ".3f"),
    Column("plain", "without evidence", ".3f"),
    Column("learnt", "with evidence", ".3f"),
    Column("delta", "evidence gains", "+.4f"),
    Column("ci95", "95% interval"),
    Column("kept", "with the numbers in use", ".3f"),
    Column("kept_delta", "those gain", "+.4f"),
    Column("kept_ci95", "95% interval"),
)
_NUMBERS = (
    Column("left_out", "left out"),
    Column("constant", "constant", "+.2f"),
    Column("commonness", "ln n / ln N", "+.2f"),
    Column("position", "ln(1 + position)", "+.2f"),
    Column("length", "ln(length)", "+.2f"),
    Column("keyword", "keyword", "+.2f"),
)


@dataclass(frozen=True, slots=True)
class EvidenceSystem:
    """A weighting of code with an evidence of one's own multiplied in."""

    weighting: Weighting
    evidence: Evidence

    @property
    def name(self) -> str:
        """The weighting's name and the numbers."""
        return f"{self.weighting!r} with {self.evidence!r}"

    def outcome(self, placement: Placement, depth: int) -> Outcome:
        """Place the relevant documents."""
        asked = placement.tokens.folded()
        before = self.evidence.of_tokens(
            _tokens(placement.collection),
            placement.doc_freqs,
            placement.collection.segment.size,
        )
        plain = placement.weigh(self.weighting)
        evidence = self.evidence.at(before[asked.names], asked.places)
        weights = combined(plain.weights.astype(np.float64), evidence).astype(np.float32)
        weighted = WeightedQueries(plain.names, plain.offsets, weights)
        return Outcome(
            placement.ranks(weighted, depth),
            np.ones(placement.collection.relevance.num_queries, bool),
            found_nothing(weighted),
        )

    def run(self, collection: Collection, depth: int) -> Run:
        """Refuse: a study has no use for whole rankings."""
        raise InvalidArgumentError(f"{self.name} places relevant documents only; ask `outcome`")


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Tokens of code, a row each, and whether the documentation says them."""

    rows: np.ndarray
    said: np.ndarray


def _tokens(collection: Collection) -> list[str]:
    """The queries' distinct tokens, numbered as `Placement` numbers them."""
    names = TermTable.empty()
    analyze_batch(collection.index.analyzer, list(collection.dataset.queries.texts), names)
    return names.tokens()


def _examples(collection: Collection) -> Examples:
    """Every distinct token of every query that some document holds."""
    dataset, index = collection.dataset, collection.index
    texts = dict(zip(dataset.documents.ids, dataset.documents.texts, strict=True))
    rows, said = [], []
    for query_id, text in dataset.queries:
        tokens = index.analyzer.tokens(text)
        firsts = {token: at for at, token in reversed(list(enumerate(tokens)))}
        distinct = list(firsts)
        doc_freqs = index.doc_freqs(distinct)
        relevant: set[str] = set()
        for doc_id, grade in dataset.judgements[query_id].items():
            if grade > 0 and doc_id in texts:
                relevant.update(index.analyzer.tokens(texts[doc_id]))
        positions = np.fromiter(firsts.values(), np.float64, len(firsts))
        known = doc_freqs > 0
        rows.append(features(distinct, doc_freqs, len(index), positions)[known])
        said.append(np.array([token in relevant for token in distinct], bool)[known])
    return Examples(np.concatenate(rows), np.concatenate(said))


def _fit(examples: list[list[Examples]]) -> Evidence:
    """Fit one evidence; languages count alike, and so do the forms of one."""
    rows, said, counts = [], [], []
    for forms in examples:
        for each in forms:
            rows.append(each.rows)
            said.append(each.said)
            counts.append(np.full(len(each.said), _ROWS / len(each.said) / len(forms)))
    found = fit_log_odds(np.concatenate(rows), np.concatenate(said), np.concatenate(counts))
    return Evidence(*(float(number) for number in found))


# A language counts as so many tokens, however many it has.
_ROWS = 20_000


def _run(bench: Workbench) -> Findings:
    subjects = bench.subjects(text=False, all_forms=True)
    groups: dict[str, list[Subject]] = {}
    for subject in subjects:
        groups.setdefault(subject.topic or subject.source.name, []).append(subject)
    examples = {
        name: [_examples(bench.collection(subject)) for subject in groups[name]]
        for name in bench.track(list(groups))
    }
    fits = {name: _fit([examples[other] for other in groups if other != name]) for name in groups}
    rows = [
        _row(bench, subject, fits[name])
        for name in bench.track(list(groups))
        for subject in groups[name]
    ]
    numbers: list[dict[str, Cell]] = [
        {"left_out": name, **_numbers(evidence)} for name, evidence in fits.items()
    ]
    numbers.append({"left_out": "none", **_numbers(_fit(list(examples.values())))})
    numbers.append({"left_out": "in use", **_numbers(LEARNT)})
    main = table(
        "learnt",
        "NDCG@10 without and with the evidence, its language left out of the fit",
        _COLUMNS,
        rows,
        note="*without evidence* is ln_q(1 + odds) at the predicted q with repeats saturated at"
        " k3 = 1, all queries taken for code. *with evidence* multiplies in what a logistic"
        " regression on the other languages says. *in use* are the numbers of"
        " qidf/weighting/evidence.py, which are the same for every language.",
    )
    raw = table("numbers", "What each fit found", _NUMBERS, numbers)
    return Findings((main, raw))


def _row(bench: Workbench, subject: Subject, evidence: Evidence) -> dict[str, Cell]:
    stats = bench.measure(subject, []).stats
    weighting = Weighting("qlog1p", predict_q(stats), 1.0)
    plain: System = WeightingSystem(weighting)
    learnt, kept = EvidenceSystem(weighting, evidence), EvidenceSystem(weighting, LEARNT)
    measured = bench.measure(subject, [plain, learnt, kept])
    gain, kept_gain = measured.compare([learnt, kept], plain)
    return {
        "corpus": subject.name,
        "bm25": measured.mean(BASELINE),
        "plain": measured.mean(plain),
        "learnt": measured.mean(learnt),
        "delta": gain.delta,
        "ci95": interval(gain.ci95),
        "kept": measured.mean(kept),
        "kept_delta": kept_gain.delta,
        "kept_ci95": interval(kept_gain.ci95),
    }


def _numbers(evidence: Evidence) -> dict[str, Cell]:
    return {str(name): value for name, value in asdict(evidence).items()}


def _lacks_languages(bench: Workbench) -> str | None:
    names = {each.topic or each.source.name for each in bench.subjects(text=False)}
    return None if len(names) > 1 else "it leaves languages out in turn and needs at least two"


LEARNT_EVIDENCE = Study(
    "learnt",
    "Learnt: what a token's look says about the text that describes the code",
    "not in the paper",
    "Does evidence that is learnt from other languages gain on a language it hasn't seen?",
    _run,
    lacks=_lacks_languages,
)
