"""How much of the index a search touches as q falls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import qidf
from benchmarks.speed.clock import interleaved
from benchmarks.speed.sections.search import paper_q, warm_up
from benchmarks.speed.settings import Settings
from benchmarks.speed.workload import ANALYZER, Workload

QS = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1)
COUNTERS = ("postings", "windows_opened", "documents_scored", "documents_entered")


def measure(workload: Workload, settings: Settings) -> dict[str, Any]:
    """Count the kernel's work over all queries at each q, and time it."""
    index = qidf.Index.build(workload.texts, analyzer=ANALYZER)
    warm_up(index, workload)
    tokens = workload.query_tokens
    layouts = index._ranker.layouts()
    profile = []
    for q in (*QS, paper_q(index)):
        for layout in layouts:
            layout.counters[:] = 0
        index.rank(tokens, 10, q, weighting="paper")
        counted = sum(layout.counters for layout in layouts)
        profile.append({"q": q, **dict(zip(COUNTERS, np.asarray(counted).tolist(), strict=True))})
    timings = interleaved(
        {f"qidf q={q}": _rank(index, tokens, q) for q in (*QS, paper_q(index))},
        settings.few_repeats,
    )
    return {
        "samples": timings,
        "values": {
            "q_auto": paper_q(index),
            "num_queries": len(tokens),
            "query_postings": _query_postings(index, tokens),
            "profile": profile,
        },
    }


def _rank(index: qidf.Index, tokens: list[list[str]], q: float) -> Callable[[], object]:
    return lambda: index.rank(tokens, 10, q, weighting="paper")


def _query_postings(index: qidf.Index, tokens: list[list[str]]) -> int:
    """Postings of the queries' distinct terms: what exhaustive scoring would touch."""
    names = sorted({token for query in tokens for token in query})
    ranker = index._ranker
    found = [segment.terms.lookup(names) for segment in ranker.segments]
    doc_freq = dict(zip(names, ranker.doc_freqs(found, len(names)).tolist(), strict=True))
    return sum(doc_freq[token] for query in tokens for token in set(query))
