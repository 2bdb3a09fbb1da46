"""How well two rankings of the same queries agree, in figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

# Numbers of documents, best first, with their scores.
Ranking = Sequence[tuple[int, float]]
CUTOFF = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """Figures over all queries; a tau is None where it isn't defined for any query."""

    num_queries: int
    depth: int
    # Kendall's tau-b of the scores of documents both rank: equal scores are ties, not an order.
    tau_median: float | None
    tau_mean: float | None
    tau_min: float | None
    num_undefined_taus: int
    # The same of the places each engine lists them at, so that how ties are broken counts.
    order_tau_median: float | None
    order_tau_mean: float | None
    overlap_mean: float
    largest_relative_difference: float
    ndcg_ours: float
    ndcg_theirs: float
    ndcg_mean_abs_difference: float
    num_other_ndcg: int

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return asdict(self)


def kendall_tau(xs: np.ndarray, ys: np.ndarray) -> float | None:
    """Tau-b (Kendall 1945): agreeing minus disagreeing pairs, corrected for ties on each side."""
    above = np.triu_indices(len(xs), 1)
    x = np.sign(np.subtract.outer(xs, xs))[above]
    y = np.sign(np.subtract.outer(ys, ys))[above]
    pairs = float(np.count_nonzero(x)) * float(np.count_nonzero(y))
    return None if pairs == 0 else float((x * y).sum() / np.sqrt(pairs))


def ndcg(ranking: Ranking, gold: int, cutoff: int = CUTOFF) -> float:
    """With one relevant document it is 1 / log2(rank + 1), and 0 below the cutoff."""
    places = [place for place, (doc, _) in enumerate(ranking[:cutoff]) if doc == gold]
    return float(1 / np.log2(places[0] + 2)) if places else 0.0


def compare(
    ours: Sequence[Ranking],
    theirs: Sequence[Ranking],
    golds: Sequence[int],
    scales: Sequence[float],
    depth: int,
) -> Agreement:
    """Compare query by query; their scores are multiplied by the query's scale first.

    Both are rounded to float32, which is what trec_eval and qidf rank by.
    """
    taus: list[float | None] = []
    order_taus: list[float | None] = []
    overlaps, differences = [], [0.0]
    for our, their, scale in zip(ours, theirs, scales, strict=True):
        places = {doc: (place, score) for place, (doc, score) in enumerate(their)}
        shared = [
            (place, score, *places[doc]) for place, (doc, score) in enumerate(our) if doc in places
        ]
        overlaps.append(len(shared) / max(len(our), len(their), 1))
        our_place, our_score, their_place, their_score = np.array(shared).reshape(-1, 4).T
        their_score = their_score * scale
        gaps = np.abs(our_score - their_score)
        size = np.maximum(np.abs(their_score), np.finfo(np.float32).tiny)
        differences.append(float((gaps / size).max(initial=0.0)))
        taus.append(kendall_tau(our_score.astype(np.float32), their_score.astype(np.float32)))
        order_taus.append(kendall_tau(our_place, their_place))
    our_ndcg = np.array([ndcg(row, gold) for row, gold in zip(ours, golds, strict=True)])
    their_ndcg = np.array([ndcg(row, gold) for row, gold in zip(theirs, golds, strict=True)])
    defined = [tau for tau in taus if tau is not None]
    ordered = [tau for tau in order_taus if tau is not None]
    return Agreement(
        num_queries=len(golds),
        depth=depth,
        tau_median=float(np.median(defined)) if defined else None,
        tau_mean=float(np.mean(defined)) if defined else None,
        tau_min=min(defined) if defined else None,
        num_undefined_taus=len(taus) - len(defined),
        order_tau_median=float(np.median(ordered)) if ordered else None,
        order_tau_mean=float(np.mean(ordered)) if ordered else None,
        overlap_mean=float(np.mean(overlaps)),
        largest_relative_difference=max(differences),
        ndcg_ours=float(our_ndcg.mean()),
        ndcg_theirs=float(their_ndcg.mean()),
        ndcg_mean_abs_difference=float(np.abs(our_ndcg - their_ndcg).mean()),
        num_other_ndcg=int(np.count_nonzero(our_ndcg != their_ndcg)),
    )
