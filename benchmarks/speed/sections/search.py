"""Top-k of all queries: qidf against bm25s on the rescaled index and tantivy with boosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import qidf
from benchmarks.speed import bm25s_peer, tantivy_peer
from benchmarks.speed.clock import interleaved, latencies
from benchmarks.speed.goals import FORMS_POINT, FROM_TOKENS, fastest
from benchmarks.speed.settings import Settings
from benchmarks.speed.verification import check_close, check_equal, check_mostly_close
from benchmarks.speed.workload import ANALYZER, Workload
from qidf.weights import QlogRsj

# (name of q, k): the rows of the goal.
POINTS: tuple[tuple[str, int], ...] = (("1", 10), ("auto", 10), ("0.1", 10), ("auto", 100))
# Rows of terms are made once so many queries have come (index/layout.py).
WARM_UP_CALLS = 40


def measure(workload: Workload, settings: Settings) -> dict[str, Any]:
    """Whole batches and single calls, results checked first."""
    index = qidf.Index.build(workload.texts, analyzer=ANALYZER)
    warm_up(index, workload)
    plain = bm25s_peer.build(workload.texts, settings.bm25s_backend)
    numbers = {"1": 1.0, "auto": paper_q(index), "0.1": 0.1}
    retrievers = {
        "1": plain,
        **{name: bm25s_peer.at_q(plain, numbers[name]) for name in ("auto", "0.1")},
    }
    tokens = workload.query_tokens
    ids = bm25s_peer.token_ids(plain, tokens)
    prepared = index.prepare(tokens)
    samples: dict[str, Any] = {}
    checks: list[dict[str, object]] = []
    forms = {"ids": ids, "strings": tokens}
    for name, k in POINTS:
        retriever, q, label = retrievers[name], numbers[name], f"top-{k} q={name}"
        depth = min(k, len(workload.texts))
        checks += _check(name, depth, index, q, retriever, tokens, forms)
        contenders = {
            f"qidf {label}": _rank(index, prepared, depth, q),
            f"qidf {label}{FROM_TOKENS}": _rank(index, tokens, depth, q),
        }
        for form, queries in forms.items():
            contenders[f"bm25s {label}, {form}"] = _retrieve(retriever, queries, depth)
        samples |= interleaved(contenders, settings.repeats)
        if label == FORMS_POINT:
            found = fastest({"sections": {"search": {"samples": samples}}}, "search", "bm25s ")
            forms = {form: forms[form] for form in forms if found.endswith(form)}
    errors: dict[str, str] = {}
    depth_10 = min(10, len(workload.texts))
    try:
        tantivy_samples, tantivy_checks = _tantivy(workload, settings, index)
        samples |= tantivy_samples
        checks += tantivy_checks
    except ImportError as error:
        errors["tantivy"] = str(error)
    samples |= interleaved(
        {
            "qidf texts to hits": lambda: index.search_batch(
                workload.queries, 10, paper_q(index), weighting="paper"
            ),
            "bm25s texts to hits": _retrieve_texts(retrievers["auto"], workload.queries, depth_10),
            "qidf batch": _rank(index, prepared, 10, paper_q(index)),
            "qidf batch, two threads": lambda: index.rank(
                prepared, 10, paper_q(index), weighting="paper", threads=2
            ),
        },
        settings.repeats,
    )
    return {
        "samples": samples,
        "values": {
            "num_queries": len(tokens),
            "mean_query_tokens": float(np.mean([len(query) for query in tokens])),
            "q_auto": paper_q(index),
            "latency": _latency(workload, settings, index, retrievers, ids),
        },
        "checks": checks,
        "errors": errors,
    }


def warm_up(index: qidf.Index, workload: Workload) -> None:
    """Load the compiled search for batches and for single calls, for tokens and for text."""
    for k in (10, 100):
        index.rank(workload.query_tokens[:WARM_UP_CALLS], k)
    index.rank(workload.queries[:WARM_UP_CALLS])
    for place in range(WARM_UP_CALLS):
        index.rank([workload.query_tokens[place % len(workload.query_tokens)]])
        index.search(workload.queries[place % len(workload.queries)])


def paper_q(index: qidf.Index) -> float:
    """The q that the paper predicts, at which bm25s is rescaled."""
    return qidf.predict_q(index.stats)


def _rank(index: qidf.Index, queries: Any, k: int, q: float) -> Callable[[], object]:
    return lambda: index.rank(queries, k, q, weighting="paper")


def _retrieve(retriever: Any, queries: Any, k: int) -> Callable[[], object]:
    return lambda: bm25s_peer.retrieve(retriever, queries, k)


def _rank_one(index: qidf.Index, q: float) -> Callable[[Any], object]:
    return lambda query: index.rank([query], 10, q, weighting="paper")


def _retrieve_one(retriever: Any, k: int) -> Callable[[Any], object]:
    return lambda query: bm25s_peer.retrieve(retriever, [query], k)


def _search_one(index: qidf.Index, q: float) -> Callable[[Any], object]:
    return lambda text: index.search(text, 10, q, weighting="paper")


def _retrieve_text(retriever: Any, k: int) -> Callable[[Any], object]:
    return lambda text: bm25s_peer.retrieve(retriever, bm25s_peer.text_tokens([text]), k)


def _retrieve_texts(retriever: Any, texts: list[str], k: int) -> Callable[[], object]:
    return lambda: bm25s_peer.retrieve(retriever, bm25s_peer.text_tokens(texts), k)


def _check(
    name: str,
    k: int,
    index: qidf.Index,
    q: float,
    retriever: Any,
    tokens: Any,
    forms: dict[str, Any],
) -> list[dict[str, object]]:
    """Equal bits at q = 1, close elsewhere, for each form of bm25s's queries; warms them up."""
    ours = index.rank(tokens, k, q, weighting="paper").scores
    check = check_equal if name == "1" else check_close
    return [
        check(
            f"qidf = bm25s, top-{k}, q = {name}, {form}",
            ours,
            bm25s_peer.scores(retriever, queries, k),
        )
        for form, queries in forms.items()
    ]


def _tantivy(
    workload: Workload, settings: Settings, index: qidf.Index
) -> tuple[dict[str, Any], list[dict[str, object]]]:
    """Search tantivy's index of the same tokens, and qidf beside it in the same repeats."""
    tokens, k = workload.query_tokens, min(10, len(workload.texts))
    formula = QlogRsj(paper_q(index))
    boosted = tantivy_peer.BoostedQueries(
        tantivy_peer.generic_build(workload.texts),
        lambda doc_freq: float(formula.weight(doc_freq, len(index))),
    )
    queries = [boosted.make(query) for query in tokens]
    sample = workload.some_queries(settings.latency_queries)
    asked = [tokens[place] for place in sample]
    ours = index.rank(asked, k, weighting="paper", k1=tantivy_peer.K1)
    checks = [
        check_mostly_close(
            f"qidf = tantivy with boosts, top-{k}, q = auto, k1 = {tantivy_peer.K1}",
            ours.scores * (tantivy_peer.K1 + 1),
            np.array([boosted.scores(queries[place], k) for place in sample]),
        )
    ]
    samples = interleaved(
        {
            "qidf beside tantivy": _rank(index, index.prepare(tokens), k, paper_q(index)),
            "tantivy boosted, queries made before": lambda: [
                boosted.search(query, k) for query in queries
            ],
            "tantivy boosted, queries made before, matches counted": lambda: [
                boosted.search(query, k, count=True) for query in queries
            ],
            "tantivy boosted, from tokens": lambda: [
                boosted.search(boosted.make(query), k) for query in tokens
            ],
        },
        settings.few_repeats,
    )
    return samples, checks


def _latency(
    workload: Workload, settings: Settings, index: qidf.Index, retrievers: Any, ids: Any
) -> dict[str, Any]:
    """One query in a call, both sides, at each q."""
    sample = [place for place in workload.some_queries(settings.latency_queries) if ids[place]]
    tokens = [workload.query_tokens[place] for place in sample]
    texts = [workload.queries[place] for place in sample]
    depth = min(10, len(workload.texts))
    calls: dict[str, Callable[[Any], object]] = {}
    inputs: dict[str, Any] = {}
    for name, retriever in retrievers.items():
        q = paper_q(index) if name == "auto" else float(name)
        calls[f"qidf q={name}"] = _rank_one(index, q)
        inputs[f"qidf q={name}"] = tokens
        calls[f"bm25s q={name}"] = _retrieve_one(retriever, depth)
        inputs[f"bm25s q={name}"] = [ids[place] for place in sample]
        calls[f"qidf text to hits, q={name}"] = _search_one(index, q)
        inputs[f"qidf text to hits, q={name}"] = texts
        calls[f"bm25s text to hits, q={name}"] = _retrieve_text(retriever, depth)
        inputs[f"bm25s text to hits, q={name}"] = texts
    return latencies(calls, inputs, settings.few_repeats)
