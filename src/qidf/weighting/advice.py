"""What to do about a corpus, in words: what search does there, and what would help more."""

from __future__ import annotations

from qidf.analysis import Analyzer, parse_analyzer
from qidf.records import dataclass
from qidf.statistics import Q_MIN, Q_SLOPE, CorpusStats, predict_q
from qidf.weighting.decision import decide, splits_identifiers
from qidf.weighting.kinds import Kind
from qidf.weighting.weighting import AUTO, BM25, Weighting

CHANGE_ANALYZER = "change-analyzer"
KEEP_BM25 = "keep-bm25"
APPLY_QLOG = "apply-qlog"
SATURATE_REPEATS = "saturate-repeats"
ACTIONS = (CHANGE_ANALYZER, KEEP_BM25, SATURATE_REPEATS, APPLY_QLOG)

# From here the predicted q sits on its floor. One labelled corpus lies beyond (Go, 1K documents,
# fig. q-prediction b): predicted 0.01, best 0.20.
HTOK_CEILING = (1.0 - Q_MIN) / Q_SLOPE
# An interval of q wider than this is worth a word.
WIDE_INTERVAL = 0.1

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
    """What to do about a corpus; the weightings are those that a search there uses.

    `action` is keep-bm25 where every query is weighed as BM25 does, saturate-repeats where only
    queries that are code are weighed otherwise, apply-qlog where all are, and change-analyzer where
    something else helps more.
    """

    action: str
    weighting: Weighting
    code_weighting: Weighting
    reason: str
    warnings: tuple[str, ...]
    stats: CorpusStats

    @property
    def q(self) -> float:
        """The q for queries that are code, which others are never below."""
        return float(self.code_weighting.q or 1.0)

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
            "weighting": repr(self.weighting),
            "code_weighting": repr(self.code_weighting),
            "warnings": list(self.warnings),
        }


def advise(
    stats: CorpusStats,
    *,
    can_change_analyzer: bool = False,
    analyzer: str | Analyzer | None = None,
    kind: Kind | None = None,
    asked: Weighting = AUTO,
) -> Advice:
    """Say what search does with a corpus whose counts an analyzer made, and what would help more.

    The order is that of the paper's decision chart (fig. decision-chart): the analyzer first, then
    the share of tokens that occur once. With a `kind`, it is said of such queries alone; `asked` is
    what a search is asked for.
    """
    text, code = (decide(asked, stats, analyzer, kind=each) for each in (kind, kind or "code"))
    splits = splits_identifiers(analyzer)
    if can_change_analyzer and not splits and stats.num_tokens:
        reason = (
            "The analyzer can be changed, which helps more than any q: index whole identifiers with"
            " their parts (whole identifiers only for snake_case languages) and leave q at 1."
        )
        split, split_code = (
            decide(asked, stats, "identifier", kind=each).weighting
            for each in (kind, kind or "code")
        )
        return Advice(CHANGE_ANALYZER, split, split_code, reason, (_SUBSTITUTION,), stats)
    if text.weighting.q != 1.0:
        action = APPLY_QLOG
    else:
        action = KEEP_BM25 if code.weighting == BM25 else SATURATE_REPEATS
    warnings = [*_doubts(stats)] if action == APPLY_QLOG else []
    if action == APPLY_QLOG or splits:
        warnings.append(_SUBSTITUTION)
    if splits and analyzer is not None and parse_analyzer(analyzer).parts == "only":
        warnings.append(_SUBTOKEN)
    return Advice(action, text.weighting, code.weighting, text.reason, tuple(warnings), stats)


def _doubts(stats: CorpusStats) -> list[str]:
    doubts = []
    if stats.htok > HTOK_CEILING:
        doubts.append(
            f"An htok of {stats.htok:.3f} lies beyond the corpora the predictor was fit on, where"
            " it asks for too small a q; try q = 0.2 as well."
        )
    interval = stats.htok_ci95
    if interval is not None:
        low, high = predict_q(interval[1]), predict_q(interval[0])
        if high - low > WIDE_INTERVAL:
            doubts.append(
                f"The 95% interval of htok, {interval[0]:.4f} to {interval[1]:.4f}, puts q anywhere"
                f" between {low:.2f} and {high:.2f}; sample more documents to be sure."
            )
    return doubts
