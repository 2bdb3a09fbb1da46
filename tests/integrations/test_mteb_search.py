"""mteb itself evaluates the model, on the small tasks it brings for that."""

from __future__ import annotations

from typing import Any

import pytest

import qidf
from qidf.errors import InputError

mteb = pytest.importorskip("mteb", reason="pip install mteb; it brings torch, so CI goes without")
tasks = pytest.importorskip("mteb.mocks.mock_tasks", reason="this mteb has no small tasks")

from qidf.integrations.mteb import QidfSearch  # noqa: E402

CORPUS = [
    {"id": "ws", "title": "", "text": "func handleWebSocketUpgrade checks auth"},
    {"id": "auth", "title": "Auth", "text": "auth middleware checks the token"},
    {"id": "log", "title": None, "text": "log middleware writes the request"},
    *({"id": f"o{number}", "text": f"unrelated words n{number}"} for number in range(20)),
]
QUERY = "handleWebSocketUpgrade auth middleware"


@pytest.mark.parametrize(
    "name",
    ["MockRetrievalTask", "MockRerankingTask", "MockInstructionRetrieval",
     "MockInstructionReranking", "MockRetrievalDialogTask", "MockMultilingualRetrievalTask"],
)  # fmt: skip
def test_mteb_evaluates_it_on_every_kind_of_task(name: str) -> None:
    results = mteb.evaluate(
        QidfSearch(q=0.5), getattr(tasks, name)(), cache=None, show_progress_bar=False
    )
    (result,) = results.task_results
    assert 0 <= result.get_score() <= 1


def test_at_q_1_it_scores_as_mteb_s_own_bm25_does_with_the_same_tokens() -> None:
    pytest.importorskip("bm25s", reason="mteb's own BM25 needs it")
    from mteb.models.model_implementations.bm25 import BM25Search

    from datasets import Dataset

    # mteb's asks the task for a language unless it is given a tokenizer of its own.
    analyzer = qidf.parse_analyzer("generic")
    corpus = Dataset.from_list([{**row, "title": row.get("title") or ""} for row in CORPUS])
    queries = Dataset.from_list([{"id": "1", "text": QUERY}, {"id": "2", "text": "token words"}])
    context: dict[str, Any] = {
        "task_metadata": None, "hf_split": "test", "hf_subset": "default", "encode_kwargs": {},
    }  # fmt: skip
    own = BM25Search(tokenizer=analyzer.tokens, freq_threshold=0)
    ours = QidfSearch(q=1)
    for model in (own, ours):
        model.index(corpus, **context)
    expected = own.search(queries, top_k=23, **context)
    found = ours.search(queries, top_k=23, **context)
    for name, scores in expected.items():
        assert found[name] == {document: score for document, score in scores.items() if score > 0}


def test_reranking_ranks_the_candidates_and_nothing_else() -> None:
    model = QidfSearch(q=0.5)
    model.index(CORPUS)
    queries = [{"id": "1", "text": QUERY}, {"id": "2", "text": QUERY}]
    found = model.search(queries, top_k=10, top_ranked={"1": ["log", "o3", "auth", "gone"]})
    assert list(found["1"]) == ["auth", "log", "o3"]
    assert found["1"]["o3"] == 0
    assert found["2"] == {}


def test_it_must_be_told_the_corpus_first_and_is_filed_under_its_settings() -> None:
    with pytest.raises(InputError, match="nothing is indexed"):
        QidfSearch().search([], top_k=1)
    meta = QidfSearch(q=0.3, analyzer="identifier", weighting="paper").mteb_model_meta
    assert meta.name == "qidf/bm25-qlog"
    assert meta.experiment_kwargs == {
        "weighting": "qlog(q=0.3)", "analyzer": "identifier", "k1": 1.5, "b": 0.75,
    }  # fmt: skip
