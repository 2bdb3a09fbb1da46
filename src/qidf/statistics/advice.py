"""The paper's decision chart (fig. decision-chart) as code, with the doubts it leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from qidf.statistics.corpus_stats import CorpusStats
from qidf.statistics.predictor import Q_MIN, Q_SLOPE, predict_q

CHANGE_ANALYZER = "change-analyzer"
KEEP_BM25 = "keep-bm25"
APPLY_QLOG = "apply-qlog"

# "htok <= about 0.02" in the chart: there the predicted q is at least 0.85.
HTOK_THRESHOLD = 0.02

# Analyzers that emit parts of identifiers; under them BM25 already has the rare evidence.
CODE_AWARE_ANALYZERS = ("identifier", "subtoken")

# The smallest labelled corpora behind the predictor had 1,000 documents (paper, fit protocol), and
# 1,000 documents of the shortest kind, docstrings, have about 10,000 tokens.
MIN_DOCS = 1_000
MIN_TOKENS = 10_000

# From here the predicted q sits on its floor. One labelled corpus lies beyond (Go, 1K documents,
# fig. q-prediction b): predicted 0.01, best 0.20.
HTOK_CEILING = (1.0 - Q_MIN) / Q_SLOPE

_SUBSTITUTION = (
    "An analyzer that splits identifiers makes q-log nearly moot: in the paper it leaves a gain of"
    " 0.2% (Go, Java) to 3.6% (Ruby), so don't count on both."
)
_SUBTOKEN = (
    "Over sub-tokens without whole identifiers q < 1 hurts (-37% NDCG@10 on Go in the paper), so"
    " leave q at 1."
)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do about a corpus, with the q that `q="auto"` stands for there."""

    action: str
    q: float
    reason: str
    warnings: tuple[str, ...]
    stats: CorpusStats

    @property
    def htok(self) -> float:
        """The share of hapax tokens that decided."""
        return self.stats.htok

    def to_dict(self) -> dict[str, object]:
        """Return what a script needs, in JSON's types."""
        interval = self.stats.htok_ci95
        return {
            "num_docs": self.stats.num_docs,
            "num_tokens": self.stats.num_tokens,
            "vocab_size": self.stats.vocab_size,
            "htok": self.stats.htok,
            "htok_ci95": None if interval is None else list(interval),
            "q": self.q,
            "action": self.action,
            "reason": self.reason,
            "warnings": list(self.warnings),
        }


def advise(
    stats: CorpusStats, *, can_change_analyzer: bool = False, analyzer: str | None = None
) -> Advice:
    """Walk the decision chart: the analyzer first, then hapax density.

    `analyzer` names the one the counts were made with. The advice's q is 1 where the chart says to
    leave q at 1 (an analyzer that can be changed, or that already splits identifiers) and the
    predicted q elsewhere; "keep-bm25" then means that this q is too near 1 to be worth a change.
    """
    name = (analyzer or "").partition("(")[0].strip()
    if stats.num_tokens == 0:
        return Advice(
            KEEP_BM25, 1.0, "The corpus has no tokens, so there is nothing to judge by.", (), stats
        )
    if name in CODE_AWARE_ANALYZERS:
        warnings = (_SUBSTITUTION, _SUBTOKEN) if name == "subtoken" else (_SUBSTITUTION,)
        reason = f"The {name} analyzer already splits identifiers, so BM25 has the rare evidence."
        return Advice(KEEP_BM25, 1.0, reason, warnings, stats)
    if can_change_analyzer:
        reason = (
            "The analyzer can be changed, which helps more than any q: index whole identifiers with"
            " their parts (whole identifiers only for snake_case languages) and leave q at 1."
        )
        return Advice(CHANGE_ANALYZER, 1.0, reason, (_SUBSTITUTION,), stats)
    q = predict_q(stats)
    doubts = _doubts(stats)
    if stats.htok <= HTOK_THRESHOLD:
        reason = (
            f"{stats.htok:.2%} of tokens are hapaxes, at most about {HTOK_THRESHOLD:.0%}, so the"
            f" predicted q = {q:.2f} stays near plain BM25."
        )
        return Advice(KEEP_BM25, q, reason, doubts, stats)
    reason = (
        f"{stats.htok:.2%} of tokens are hapaxes, more than about {HTOK_THRESHOLD:.0%}, so rare"
        f" identifiers carry the signal and q = {q:.2f} brings it out."
    )
    return Advice(APPLY_QLOG, q, reason, (*doubts, _SUBSTITUTION), stats)


def _doubts(stats: CorpusStats) -> tuple[str, ...]:
    doubts = []
    if stats.num_docs < MIN_DOCS or stats.num_tokens < MIN_TOKENS:
        doubts.append(
            f"With {stats.num_docs:,} documents and {stats.num_tokens:,} tokens htok is unreliable:"
            f" the predictor was fit on corpora of {MIN_DOCS:,} documents and more."
        )
    if stats.htok > HTOK_CEILING:
        doubts.append(
            f"An htok of {stats.htok:.3f} lies beyond the corpora the predictor was fit on, where"
            " it asks for too small a q; try q = 0.2 as well."
        )
    interval = stats.htok_ci95
    if interval is not None and interval[0] <= HTOK_THRESHOLD < interval[1]:
        doubts.append(
            f"The 95% interval of htok, {interval[0]:.4f} to {interval[1]:.4f}, straddles the"
            f" threshold of {HTOK_THRESHOLD}; sample more documents to be sure."
        )
    return tuple(doubts)
