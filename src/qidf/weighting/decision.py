"""The one decision: from what is known of corpus, analyzer and query to a weighting.

Everything that searches asks here, and shows the reason that comes with the answer.
"""

from __future__ import annotations

from dataclasses import replace

from qidf.analysis import Analyzer, parse_analyzer
from qidf.records import dataclass
from qidf.statistics import CorpusStats, predict_q
from qidf.weighting.kinds import Kind, checked_kind, kind_of
from qidf.weighting.weighting import AUTO, Weighting

# The smallest labelled corpora behind the predictor had 1,000 documents (paper, fit protocol), and
# 1,000 documents of the shortest kind, docstrings, have about 10,000 tokens.
MIN_DOCS = 1_000
MIN_TOKENS = 10_000

# The least q for a query that isn't code. The predicted q was fit on functions that ask for their
# documentation; on short prose documents it falls to 0.6, which loses (descriptions of packages
# asking for their synopsis: NDCG@10 .621 to .592), while from 0.9 on no prose set moves.
TEXT_Q = 0.9

# Okapi's k3 for code, whose tokens repeat by habit. On held-out functions of six languages 1 to 2
# is best or close to it, and at the predicted q it beats every q that is chosen with labels while
# repeats count in full; on prose it loses, where a word said twice is meant twice.
CODE_K3 = 1.0


@dataclass(frozen=True, slots=True)
class Decision:
    """A weighting with nothing left open, and why, in a sentence."""

    weighting: Weighting
    reason: str

    def to_dict(self) -> dict[str, object]:
        """The fields that every JSON answer has: weighting, q, k3, evidence and reason.

        `q` is null for a formula without one, `k3` where every repeat counts in full.
        """
        chosen = self.weighting
        return {
            "weighting": repr(chosen),
            "q": chosen.q,
            "k3": chosen.k3,
            "evidence": chosen.evidence,
            "reason": self.reason,
        }


def decide(
    asked: Weighting = AUTO,
    stats: CorpusStats | None = None,
    analyzer: str | Analyzer | None = None,
    *,
    query: str | None = None,
    kind: Kind | None = None,
) -> Decision:
    """Choose what is open in a weighting; what isn't known is None.

    `kind` says what the query is; without it, its text does, and a query known only by its tokens
    isn't taken for code.
    """
    kind = checked_kind(kind) or (None if query is None else kind_of(query))
    if not asked.is_open:
        return Decision(asked, f"{_capitalised(str(asked))} was asked for.")
    if asked.q != "auto":
        k3, why = _choose_k3(asked, kind)
        look = asked.evidence is True or (asked.evidence == "auto" and kind == "code")
        return Decision(replace(asked, k3=k3, evidence=look), f"{_capitalised(why)}.")
    if asked.formula == "qlog1p" and _is_small(stats):
        return Decision(_bm25(asked), _too_small(stats))
    q, why = _choose_q(asked, stats, analyzer, kind)
    k3, because = _choose_k3(asked, kind)
    evidence = asked.evidence
    if evidence == "auto":
        # Learnt of whole tokens, it gains as much where identifiers are split (qidf study
        # questions).
        evidence = kind == "code"
        because += " and what a token looks like counts" if evidence else ""
    decided = replace(asked, q=q, k3=k3, evidence=evidence)
    return Decision(decided, f"{why}." if asked.k3 != "auto" else f"{why}; {because}.")


def splits_identifiers(analyzer: str | Analyzer | None) -> bool:
    """Whether an analyzer gives parts of identifiers, under which BM25 has the rare evidence."""
    return analyzer is not None and parse_analyzer(analyzer).parts != "none"


def _bm25(asked: Weighting) -> Weighting:
    k3 = None if asked.k3 == "auto" else asked.k3
    return replace(asked, q=1.0, k3=k3, evidence=asked.evidence is True)


def _is_small(stats: CorpusStats | None) -> bool:
    return stats is None or stats.num_docs < MIN_DOCS or stats.num_tokens < MIN_TOKENS


def _too_small(stats: CorpusStats | None) -> str:
    if stats is None:
        return "BM25, since nothing is known of the corpus."
    return (
        f"BM25, since {stats.num_docs:,} documents with {stats.num_tokens:,} tokens are too few to"
        f" choose by; it takes {MIN_DOCS:,} and {MIN_TOKENS:,}."
    )


def _choose_q(
    asked: Weighting,
    stats: CorpusStats | None,
    analyzer: str | Analyzer | None,
    kind: Kind | None,
) -> tuple[float, str]:
    if stats is None or stats.num_tokens == 0:
        return 1.0, "q = 1, since nothing is known of the corpus"
    if splits_identifiers(analyzer):
        return 1.0, "q = 1, since the analyzer splits identifiers and BM25 has the rare evidence"
    q = predict_q(stats)
    since = f"since {stats.htok:.2%} of the corpus's tokens occur only once"
    if asked.formula == "qlog1p" and kind != "code" and q < TEXT_Q:
        return TEXT_Q, f"q = {TEXT_Q:g}, and {q:.3f} for queries that are code, {since}"
    return q, f"q = {q:.3f}, {since}"


def _choose_k3(asked: Weighting, kind: Kind | None) -> tuple[float | None, str]:
    if asked.k3 != "auto":
        return asked.k3, "k3 was asked for"
    if kind == "code":
        return CODE_K3, f"the query is code, so repeats of a token saturate (k3 = {CODE_K3:g})"
    if kind == "text":
        return None, "the query isn't code, so every repeat of a token counts in full"
    return None, f"repeats of a token count in full, and saturate (k3 = {CODE_K3:g}) in code"


def _capitalised(text: str) -> str:
    return text if text.startswith(("q ", "k3 ")) else text[:1].upper() + text[1:]
