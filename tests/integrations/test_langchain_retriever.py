"""LangChain itself runs the retriever."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from small_texts import QUERY, TEXTS

import qidf

pytest.importorskip("langchain_core", reason="pip install langchain-core")

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from qidf.integrations.langchain import QidfRetriever, TokenIndex

DOCUMENTS = [
    Document(page_content=text, metadata={"n": n}, id=str(n)) for n, text in enumerate(TEXTS)
]


def test_documents_come_back_in_the_index_s_order_with_their_scores() -> None:
    retriever = QidfRetriever.from_documents(DOCUMENTS, k=3, q=0.5)
    found = retriever.invoke(QUERY)
    expected = qidf.Index.build(TEXTS).search(QUERY, 3, 0.5)
    assert [document.metadata["n"] for document in found] == [hit.id for hit in expected]
    assert [document.metadata["score"] for document in found] == [hit.score for hit in expected]
    assert [document.id for document in found] == [str(hit.id) for hit in expected]
    assert "score" not in DOCUMENTS[0].metadata


@pytest.mark.parametrize("weighting", ["paper", qidf.Weighting("qlog1p", 0.4, 1.0, True)])
def test_any_weighting_can_be_handed_over(weighting: str | qidf.Weighting) -> None:
    twice = f"{QUERY} auth auth"
    found = QidfRetriever.from_texts(TEXTS, k=3, weighting=weighting).invoke(twice)
    expected = qidf.Index.build(TEXTS).search(twice, 3, weighting=weighting)
    assert [document.metadata["score"] for document in found] == [hit.score for hit in expected]


def test_it_takes_part_in_chains_batches_and_async_code() -> None:
    retriever = QidfRetriever.from_texts(TEXTS, k=1)
    chain = retriever | RunnableLambda(lambda found: found[0].page_content)
    assert chain.invoke(QUERY) == TEXTS[0]
    assert chain.batch([QUERY, "route table"]) == [TEXTS[0], TEXTS[3]]
    assert asyncio.run(chain.ainvoke(QUERY)) == TEXTS[0]


def test_documents_can_be_added_and_nothing_is_found_in_nothing() -> None:
    retriever = QidfRetriever.from_texts([])
    assert retriever.invoke(QUERY) == []
    retriever.add_documents(DOCUMENTS)
    assert retriever.invoke(QUERY)[0].page_content == TEXTS[0]


def test_a_repository_s_code_is_retrieved_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "repository"
    source.mkdir()
    (source / "a.py").write_text("def alpha_beta():\n    return 1\n", encoding="utf-8")
    retriever = QidfRetriever.from_repository(source)
    (found,) = retriever.invoke("alpha_beta")
    assert found.metadata["path"] == "a.py"
    assert "return 1" in found.page_content
    (source / "b.py").write_text("def gamma_delta():\n    return 2\n", encoding="utf-8")
    assert retriever.invoke("gamma_delta")[0].metadata["path"] == "b.py"


def test_langchain_s_own_retriever_takes_the_vectorizer() -> None:
    community = pytest.importorskip(
        "langchain_community.retrievers", reason="pip install langchain-community"
    )
    tokens = TokenIndex([text.lower().split() for text in TEXTS], q=0.5)
    retriever = community.BM25Retriever(
        vectorizer=tokens, docs=DOCUMENTS, k=2, preprocess_func=lambda text: text.lower().split()
    )
    found = retriever.invoke("auth middleware")
    assert found[0] is DOCUMENTS[1]
    assert len(found) == 2
