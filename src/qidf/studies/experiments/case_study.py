"""One query in full: what its tokens weigh, and who comes first with and without q-log."""

from __future__ import annotations

import numpy as np

from qidf.evaluation import BASELINE, Placement, QlogSystem
from qidf.studies import paper
from qidf.studies.tables import Cell, Column, Table, table
from qidf.weighting import BM25, PAPER, wanted
from qidf.weights import RsjIdf

# Beyond the first page under BM25, but found; few tokens, so that all of them can be shown.
_LEAST_RANK = 11
_DEPTH = 100
_LEAST_TOKENS = 4
_TOP = 5
_EXCERPT = 60
_RULE = (
    "The query is the one with the fewest distinct known tokens, four or more and one of them in a"
    f" single document, whose document is first at q = 0.10 and between ranks {_LEAST_RANK} and"
    f" {_DEPTH} under BM25; of several, the one with the smallest id."
)


def case_tables(placement: Placement, system: QlogSystem) -> tuple[Table, ...]:
    """The case study's tables, ours and the paper's; nothing where no query fits the rule."""
    found = _choose(placement, system)
    if found is None:
        return ()
    query, before = found
    collection = placement.collection
    text = collection.dataset.queries.texts[query]
    gold = int(collection.relevance.docs[collection.relevance.offsets[query]])
    return (
        _weights(placement, query, gold, before, float(system.q)),
        _rankings(placement, text, gold, system),
        _paper_weights(float(system.q)),
    )


def _choose(placement: Placement, system: QlogSystem) -> tuple[int, int] | None:
    """A query's number and its document's rank under BM25."""
    collection = placement.collection
    relevance = collection.relevance
    single = relevance.counts == 1
    first = relevance.offsets[:-1]
    ranks = [each.outcome(placement, _DEPTH).ranks for each in (BASELINE, system)]
    best: tuple[int, str, int, int] | None = None
    for query in np.flatnonzero(single).tolist():
        before, after = (int(each[first[query]]) for each in ranks)
        if after == 1 and before >= _LEAST_RANK:
            words = _known(placement, query)
            candidate = (len(words), collection.dataset.queries.ids[query], query, before)
            fits = len(words) >= _LEAST_TOKENS and placement.doc_freqs[words].min() == 1
            if fits and (best is None or candidate < best):
                best = candidate
    return None if best is None else (best[2], best[3])


def _known(placement: Placement, query: int) -> list[int]:
    """A query's distinct words that occur in the corpus, in the order they come."""
    start, end = placement.tokens.offsets[query : query + 2]
    words = dict.fromkeys(placement.tokens.names[start:end].tolist())
    return [word for word in words if placement.doc_freqs[word] > 0]


def _weights(placement: Placement, query: int, gold: int, before: int, q: float) -> Table:
    collection = placement.collection
    segment = collection.segment
    num_docs = segment.size
    plain, amplified = BM25.idf, wanted(PAPER, q=q).idf
    rows: list[dict[str, Cell]] = []
    for word in _known(placement, query):
        term = int(placement.terms[word])
        doc_freq = int(placement.doc_freqs[word])
        holders = segment.docs[segment.starts[term] : segment.starts[term + 1]]
        weight, more = plain.weight(doc_freq, num_docs), amplified.weight(doc_freq, num_docs)
        rows.append(
            {
                "token": segment.terms.token(term),
                "doc_freq": doc_freq,
                "idf": weight,
                "qlog_idf": more,
                "ratio": more / weight,
                "in_gold": bool((holders == gold).any()),
            }
        )
    rows.sort(key=lambda row: (row["doc_freq"], row["token"]))
    identifier = collection.dataset.queries.ids[query]
    return table(
        "case-tokens",
        f"Case study: the tokens of query {identifier} of {collection.dataset.name}",
        (
            Column("token", "token"),
            Column("doc_freq", "df", ",d"),
            Column("idf", "idf, BM25", ".1f"),
            Column("qlog_idf", f"idf, q = {q:.2f}", ",.1f"),
            Column("ratio", "ratio", ",.0f"),
            Column("in_gold", "in the right document"),
        ),
        rows,
        note=f"{_RULE} Its document goes from rank {before} to rank 1.",
    )


def _rankings(placement: Placement, text: str, gold: int, system: QlogSystem) -> Table:
    collection = placement.collection
    texts = dict(collection.dataset.documents)
    rows: list[dict[str, Cell]] = []
    tops = [
        collection.index.rank([text], _TOP, float(each.q)).positions[0]
        for each in (BASELINE, system)
    ]
    for rank, pair in enumerate(zip(*tops, strict=True), 1):
        row: dict[str, Cell] = {"rank": rank}
        for name, position in zip(("bm25", "qlog"), pair, strict=True):
            if position >= 0:
                words = " ".join(texts[collection.doc_ids[position]].split())
                shown = words if len(words) <= _EXCERPT else words[: _EXCERPT - 1] + "…"
                row[name] = f"{'★ ' if position == gold else ''}{shown}"
        rows.append(row)
    return table(
        "case-rankings",
        "Case study: the first five documents",
        (
            Column("rank", "rank", "d"),
            Column("bm25", "BM25"),
            Column("qlog", f"q = {system.q:.2f}" if isinstance(system.q, float) else "q-log"),
        ),
        rows,
        note="★ is the right document.",
    )


def _paper_weights(q: float) -> Table:
    num_docs = paper.MAIN["go"].num_docs
    plain, amplified = RsjIdf(), wanted(PAPER, q=q).idf
    return table(
        "case-paper",
        "The paper's case study, and what the formula gives for the df it prints",
        (
            Column("token", "token"),
            Column("doc_freq", "df", ",d"),
            Column("paper_idf", "idf, paper", ".1f"),
            Column("idf", "by the formula", ".1f"),
            Column("paper_qlog_idf", "idf at q = 0.10, paper", ",.1f"),
            Column("qlog_idf", "by the formula", ",.1f"),
        ),
        [
            {
                "token": each.token,
                "doc_freq": each.doc_freq,
                "paper_idf": each.idf,
                "idf": plain.weight(each.doc_freq, num_docs),
                "paper_qlog_idf": each.qlog_idf,
                "qlog_idf": amplified.weight(each.doc_freq, num_docs),
            }
            for each in paper.CASE_STUDY
        ],
    )
