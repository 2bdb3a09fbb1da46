"""Recall within a budget, against walking down the lists one document at a time."""

from __future__ import annotations

import pytest
from study_data import MakeBench

from qidf.studies import Workbench, find_study, run_study
from qidf.studies.experiments import budget
from qidf.token_counts import count_tokens, counter

pytest.importorskip("tiktoken")


def records(bench: Workbench) -> list[dict[str, object]]:
    main = run_study(find_study("budget"), bench).tables[0]
    names = [column.name for column in main.columns]
    return [dict(zip(names, row, strict=True)) for row in main.rows]


def recall_slowly(bench: Workbench, q: float, depth: int, limit: int) -> float:
    """Ask one query after another and add up tokens until the budget is gone."""
    [subject] = bench.subjects()
    collection = bench.collection(subject)
    data = bench.dataset(subject)
    texts = dict(data.documents)
    recalled = 0
    for query_id, text in data.queries:
        used = 0
        for position in collection.index.rank([text], depth, q, weighting="paper").positions[0]:
            doc_id = collection.doc_ids[position] if position >= 0 else None
            if doc_id is None:
                break
            used += count_tokens(texts[doc_id])
            if used > limit:
                break
            if doc_id in data.judgements[query_id]:
                recalled += 1
                break
    return recalled / data.num_queries


@pytest.fixture
def small_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets and depths at which a small collection makes a difference."""
    monkeypatch.setattr(budget.paper_proxies, "BUDGETS", (30, 60, 120, 240))
    monkeypatch.setattr(budget.paper_proxies, "BUDGET_DEPTH", 3)
    monkeypatch.setattr(budget, "DEPTH", 8)


@pytest.mark.usefixtures("small_budgets")
def test_recall_is_what_walking_down_the_list_gives(make_bench: MakeBench) -> None:
    bench = make_bench("java")
    rows = records(bench)
    assert len(rows) == 16
    for row in rows:
        q, depth, limit = float(str(row["q"])), int(str(row["depth"])), int(str(row["budget"]))
        assert row["bm25"] == pytest.approx(recall_slowly(bench, 1.0, depth, limit))
        assert row["qlog"] == pytest.approx(recall_slowly(bench, q, depth, limit))
    assert len({row["bm25"] for row in rows}) > 2


@pytest.mark.usefixtures("small_budgets")
def test_the_paper_stands_beside_its_own_depth_and_q_only(make_bench: MakeBench) -> None:
    rows = records(make_bench("go"))
    beside = [row for row in rows if row["paper_bm25"] is not None]
    assert [(row["q"], row["depth"]) for row in beside] == [(0.1, 3)] * 4


def test_without_the_tokenizer_the_page_says_that_counts_are_estimates(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    counter._encoding.cache_clear()
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    try:
        findings = run_study(find_study("budget"), make_bench("ruby"))
    finally:
        counter._encoding.cache_clear()
    assert "Token counts are an estimate" in findings.tables[0].note
