"""Haystack itself runs the component, in a pipeline that is saved and loaded."""

from __future__ import annotations

import pytest
from small_texts import QUERY, TEXTS

import qidf

pytest.importorskip("haystack", reason="pip install haystack-ai")

from haystack import Document, Pipeline
from haystack.document_stores.in_memory import InMemoryDocumentStore

from qidf.integrations.haystack import QidfRetriever


@pytest.fixture
def store() -> InMemoryDocumentStore:
    store = InMemoryDocumentStore()
    store.write_documents(
        [Document(id=f"d{n}", content=text, meta={"n": n}) for n, text in enumerate(TEXTS)]
    )
    return store


def test_a_pipeline_finds_what_the_index_finds(store: InMemoryDocumentStore) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", QidfRetriever(store, top_k=3, q=0.5))
    found = pipeline.run({"retriever": {"query": QUERY}})["retriever"]["documents"]
    expected = qidf.Index.build(TEXTS).search(QUERY, 3, 0.5)
    assert [(document.id, document.score) for document in found] == [
        (f"d{hit.id}", hit.score) for hit in expected
    ]
    again = Pipeline.loads(
        pipeline.dumps(), allowed_modules=["qidf.integrations.haystack"]
    ).get_component("retriever")
    assert (again.top_k, again.analyzer) == (3, "generic")
    assert again.weighting == qidf.Weighting("qlog1p", 0.5)
    paper = again.run(QUERY, weighting="paper")["documents"]
    assert [document.score for document in paper] == [
        hit.score for hit in qidf.Index.build(TEXTS).search(QUERY, 3, weighting="paper")
    ]


def test_filters_are_the_store_s(store: InMemoryDocumentStore) -> None:
    retriever = QidfRetriever(store)
    only = {"field": "meta.n", "operator": ">", "value": 0}
    found = retriever.run(QUERY, filters=only)["documents"]
    assert found[0].id == "d1"
    assert "d0" not in {document.id for document in found}
    nothing = {"field": "meta.n", "operator": ">", "value": 1000}
    assert retriever.run(QUERY, filters=nothing) == {"documents": []}


def test_what_the_store_gains_loses_and_changes_is_taken_up_exactly(
    store: InMemoryDocumentStore,
) -> None:
    from haystack.document_stores.types import DuplicatePolicy

    retriever = QidfRetriever(store, q=0.5)
    assert retriever.run(QUERY)["documents"][0].id == "d0"
    store.delete_documents(["d0"])
    store.write_documents([Document(id="new", content="handleWebSocketUpgrade again")])
    store.write_documents(
        [Document(id="d2", content="nothing of the kind")], policy=DuplicatePolicy.OVERWRITE
    )
    found = retriever.run(QUERY)["documents"]
    fresh = QidfRetriever(store, q=0.5).run(QUERY)["documents"]
    assert {document.id: document.score for document in found} == {
        document.id: document.score for document in fresh
    }
    assert {"new", "d1"} == {document.id for document in found}


def test_an_empty_store_and_documents_without_text_find_nothing() -> None:
    empty = InMemoryDocumentStore()
    assert QidfRetriever(empty).run(QUERY) == {"documents": []}
    empty.write_documents([Document(id="image", content=None)])
    assert QidfRetriever(empty).run(QUERY) == {"documents": []}
    with pytest.raises(ValueError, match="k must be"):
        QidfRetriever(empty, top_k=0)
