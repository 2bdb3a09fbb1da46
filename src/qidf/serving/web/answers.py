"""What the API answers: rankings side by side, hits, explanations, the state of the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from qidf import __version__
from qidf.index import Hit, Index
from qidf.index.documents import DocId
from qidf.serving.web.collection import Collection
from qidf.serving.web.excerpts import CONTEXT_LINES, Line, excerpt
from qidf.serving.web.questions import Question
from qidf.weighting import AUTO, BM25, MIN_DOCS, MIN_TOKENS, Advice, Weighting, said_tokens

# Where a hit of one ranking stands in the other; ranks beyond are all alike to a reader.
DEPTH = 100
# Enough points for a smooth curve at any width of the page.
CURVE_POINTS = 48
# Metadata fields that name a document better than its id does, best first.
TITLE_FIELDS = ("title", "symbol", "name")


def compare(collection: Collection, question: Question) -> dict[str, Any]:
    """BM25's ranking beside the weighting's, the query's terms, and one document explained.

    That document is the one asked for, and the first of either ranking otherwise.
    """
    index = collection.index
    decision = collection.source.decide(question.query, question.weighting)
    chosen_weighting = decision.weighting
    started = perf_counter()
    bm25 = collection.source.plain(question.query, DEPTH)
    # Asked as the explanation below asks, which then needs no scores of its own.
    qlog = collection.source.search(question.query, DEPTH, question.weighting)
    elapsed = perf_counter() - started
    terms = query_terms(index, question.query, chosen_weighting)
    shown = {hit.id: hit for hit in (*bm25[: question.k], *qlog[: question.k])}
    worth = {term["token"]: max(term["idf"], 0.0) for term in terms if term["doc_freq"]}
    chosen = question.id
    if chosen is None or chosen not in index:
        chosen = next(iter(hit.id for hit in (*qlog[:1], *bm25[:1])), None)
    return {
        **decision.to_dict(),
        "auto_q": collection.source.decide(question.query, AUTO).weighting.q,
        "k": question.k,
        "milliseconds": round(elapsed * 1000, 3),
        "bm25": _ranking(bm25, qlog, question.k),
        "qlog": _ranking(qlog, bm25, question.k),
        "documents": [_document(collection, hit, worth) for hit in shown.values()],
        "terms": terms,
        "curve": curve(len(index), chosen_weighting),
        "explanation": None if chosen is None else _explained(collection, question, chosen),
    }


def search(collection: Collection, question: Question) -> dict[str, Any]:
    """The best documents by one weighting, with what every token added."""
    decision = collection.source.decide(question.query, question.weighting)
    hits = collection.source.search(
        question.query, question.k, decision.weighting, contributions=True
    )
    return {
        **decision.to_dict(),
        "k": question.k,
        "hits": [
            {
                **_document(collection, hit, hit.contributions or {}),
                "rank": hit.rank,
                "score": hit.score,
                "contributions": dict(hit.contributions or {}),
            }
            for hit in hits
        ],
    }


def explain(collection: Collection, question: Question) -> dict[str, Any]:
    """Why one document has its score and rank."""
    if question.id is None:
        raise TypeError("a question without an id explains nothing")
    return _explained(collection, question, question.id)


def status(collection: Collection, examples: Sequence[str] = ()) -> dict[str, Any]:
    """The corpus in numbers, and what the decision chart says about it."""
    index, source = collection.index, collection.source
    stats, analyzer = index.stats, str(index.analyzer)
    return {
        "version": __version__,
        "name": collection.name,
        "kind": collection.kind,
        "analyzer": analyzer,
        "num_docs": stats.num_docs,
        "num_tokens": stats.num_tokens,
        "vocab_size": stats.vocab_size,
        "type_token_ratio": stats.type_token_ratio,
        "median_df": stats.median_df,
        "share_df_le_5": stats.share_df_le_5,
        "htok": stats.htok,
        "min_docs": MIN_DOCS,
        "min_tokens": MIN_TOKENS,
        **source.decide(None, AUTO).to_dict(),
        "advice": _advice(source.advise(can_change_analyzer=False)),
        "advice_if_rebuilt": _advice(source.advise(can_change_analyzer=True)),
        "examples": list(examples),
    }


def query_terms(index: Index, query: str, weighting: Weighting) -> list[dict[str, Any]]:
    """Each distinct token of a query with its document frequency and its weights."""
    distinct, times, firsts = said_tokens(index.analyzer.tokens(query))
    doc_freqs = index.doc_freqs(distinct)
    bm25, weighed = (each.idfs(doc_freqs, len(index)) for each in (BM25, weighting))
    factors = weighting.repeats(times)
    looks = weighting.looks(distinct, times, firsts, doc_freqs, len(index))
    return [
        {
            "token": token,
            "count": int(times[row]),
            "factor": float(factors[row]),
            "evidence": float(looks[row]),
            "doc_freq": int(doc_freqs[row]),
            "bm25_idf": float(bm25[row]),
            "idf": float(weighed[row]),
            "ratio": (
                float(factors[row] * looks[row] * weighed[row] / (times[row] * bm25[row]))
                if bm25[row]
                else 0.0
            ),
        }
        for row, token in enumerate(distinct)
    ]


def curve(num_docs: int, weighting: Weighting) -> list[dict[str, float]]:
    """Both idfs from a document frequency of one to that of every document."""
    if num_docs == 0:
        return []
    steps = np.unique(np.geomspace(1, num_docs, CURVE_POINTS).round())
    bm25, weighed = (each.idf.weights(steps, num_docs) for each in (BM25, weighting))
    return [
        {"doc_freq": int(doc_freq), "bm25_idf": float(low), "idf": float(high)}
        for doc_freq, low, high in zip(steps, bm25, weighed, strict=True)
    ]


def _ranking(hits: Sequence[Hit], others: Sequence[Hit], k: int) -> list[dict[str, Any]]:
    elsewhere = {hit.id: hit.rank for hit in others}
    return [
        {
            "id": hit.id,
            "rank": hit.rank,
            "other_rank": elsewhere.get(hit.id),
            "score": hit.score,
        }
        for hit in hits[:k]
    ]


def _document(collection: Collection, hit: Hit, worth: Mapping[str, float]) -> dict[str, Any]:
    lines = _excerpt(collection, hit.id, hit.metadata, worth, 0)
    return {
        "id": hit.id,
        "title": _title(hit.metadata),
        "excerpt": [line.to_dict() for line in lines],
    }


def _explained(collection: Collection, question: Question, doc_id: DocId) -> dict[str, Any]:
    index = collection.index
    found = collection.source.explain(question.query, doc_id, question.weighting)
    metadata = index.metadata(doc_id)
    worth = {term.token: abs(term.contribution) for term in found.terms if term.tf}
    lines = _excerpt(collection, doc_id, metadata, worth, CONTEXT_LINES)
    return {
        **found.to_dict(),
        "title": _title(metadata),
        "excerpt": [line.to_dict() for line in lines],
    }


def _excerpt(
    collection: Collection,
    doc_id: DocId,
    metadata: Mapping[str, Any],
    worth: Mapping[str, float],
    context: int,
) -> tuple[Line, ...]:
    text = collection.texts.text(doc_id, metadata)
    if text is None or not text.content:
        return ()
    analyzer = collection.index.analyzer
    return excerpt(text.content, worth, analyzer, context=context, first_line=text.first_line)


def _title(metadata: Mapping[str, Any]) -> str:
    for name in TITLE_FIELDS:
        value = metadata.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _advice(advice: Advice) -> dict[str, Any]:
    return {
        "action": advice.action,
        "q": advice.q,
        "weighting": repr(advice.weighting),
        "code_weighting": repr(advice.code_weighting),
        "reason": advice.reason,
        "warnings": list(advice.warnings),
    }
